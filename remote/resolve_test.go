// The natural path of a program that has no wishes: checkpoint.Open with Resolve.

package remote_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/remote"
)

// Resolve gives checkpoint.Open the tensors of a web server: the last row of
// lm_head.weight is read from the second shard.
func TestResolveOpensCheckpoints(t *testing.T) {
	t.Setenv("WEIGH_CACHE", "off")
	server := httptest.NewServer(http.FileServer(http.Dir("../testdata/sample")))
	defer server.Close()

	cp, err := checkpoint.Open(t.Context(), server.URL+"/model.safetensors.index.json", &checkpoint.Options{Resolve: remote.Resolve})
	if err != nil {
		t.Fatal(err)
	}
	defer cp.Close()
	head, err := cp.Tensor(t.Context(), "lm_head.weight")
	if err != nil {
		t.Fatal(err)
	}
	row := make([]byte, 64*2) // 64 of BF16
	if n, err := head.ReadAt(row, 999*64*2); n != len(row) {
		t.Errorf("%d bytes: %v", n, err)
	}
	if head.NumElems() != 1000*64 {
		t.Errorf("%d elements, want 64,000", head.NumElems())
	}
}
