// Files of one size, of which one is there and the other is to be fetched.

package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
)

// fileOf writes a file of one tensor.
func fileOf(t *testing.T, dir string, data []byte) string {
	t.Helper()
	one, err := safetensors.NewTensor("t", data, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "model.safetensors")
	if err := safetensors.WriteFile(name, one); err != nil {
		t.Fatal(err)
	}
	return name
}

// A model and one that was trained from it have the same header and size. A server that
// tells no digest does not tell them apart, and the bytes do.
func TestGetOfTrainedModel(t *testing.T) {
	for _, where := range []string{"here", "on the web"} {
		for _, size := range []int{100, 2 << 20} {
			first, second, dst := t.TempDir(), t.TempDir(), t.TempDir()
			old := fileOf(t, first, bytes.Repeat([]byte{1}, size))
			target := fileOf(t, second, bytes.Repeat([]byte{2}, size))
			want, err := os.ReadFile(target)
			if err != nil {
				t.Fatal(err)
			}
			if where == "on the web" {
				server := httptest.NewServer(http.FileServer(http.Dir(second)))
				defer server.Close()
				target = server.URL + "/model.safetensors"
			}
			var out, errs bytes.Buffer
			get := func(args ...string) int {
				errs.Reset()
				return run(t.Context(), append([]string{"get", "-o", dst}, args...), nil, &out, &errs, noEnv)
			}
			if code := get(old); code != cli.ExitOK {
				t.Fatalf("%d: %s", code, errs.String())
			}
			if code := get(target); code != cli.ExitIO || !strings.Contains(errs.String(), "is another file") {
				t.Errorf("%s, %d bytes: exit code %d: %s", where, size, code, errs.String())
			}
			if code := get("--force", target); code != cli.ExitOK {
				t.Errorf("%s, %d bytes: exit code %d: %s", where, size, code, errs.String())
			}
			if got, err := os.ReadFile(filepath.Join(dst, "model.safetensors")); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s, %d bytes: with --force, the file is still the other one (%v)", where, size, err)
			}
			if code := get(target); code != cli.ExitOK {
				t.Errorf("%s, %d bytes: the same file is not kept: %s", where, size, errs.String())
			}
		}
	}
}
