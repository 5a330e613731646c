// Receipts: what they say is what there is.

package edit_test

import (
	"crypto/sha256"
	"testing"

	"github.com/weightools/safetensors/edit"
)

// checkRow compares what a receipt says of a tensor with the file it is in.
func checkRow(t *testing.T, action edit.Action, row edit.Tensor, file parsed) {
	t.Helper()
	if row.Now == nil {
		if _, there := file.entries[row.Was.Name]; there || row.Payload != edit.Dropped {
			t.Errorf("%s is %s, and there: %t", row.Was.Name, row.Payload, there)
		}
		return
	}
	e, there := file.entries[row.Now.Name]
	if !there || e.Dtype != string(row.Now.Dtype) {
		t.Errorf("the receipt has %s as %s, and the file %+v", row.Now.Name, row.Now.Dtype, e)
	}
	want, payload := sha256.Sum256(e.data), edit.Same
	switch {
	case action != edit.Written:
		want, payload = [32]byte{}, edit.Untouched
	case row.Now.Dtype != row.Was.Dtype:
		payload = edit.Converted
	}
	if row.Payload != payload || row.SHA256 != want {
		t.Errorf("%s is %s with digest %x, want %s with %x", row.Now.Name, row.Payload, row.SHA256, payload, want)
	}
}
