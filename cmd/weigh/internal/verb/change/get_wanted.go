// A file to download, with the constants of downloads.

package change

import (
	"context"
	"errors"
	"io"
	"path/filepath"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/receipt"
	"github.com/weightools/safetensors/store"
)

const (
	// filesAtOnce is how many files are downloaded at a time, and requestsAtOnce how many requests
	// all of them make at a time.
	filesAtOnce, requestsAtOnce = 16, 16
)

// A wanted file is one to download.
type wanted struct {
	name   string          // in the store
	path   string          // the output file: below the output folder, and later with that folder
	set    *checkpoint.Set // that it belongs to, or nil
	size   int64
	object store.Object // nil for a dry run
	from   io.Closer    // what object reads from, or nil

	companion bool // it belongs to the weights
}

// receipt returns the report of a file that is not downloaded yet.
func (w *wanted) receipt() receipt.GotFile {
	return receipt.GotFile{Path: filepath.ToSlash(w.path), Size: w.size, Companion: w.companion}
}

// close closes the object.
func (w *wanted) close() {
	if w.object != nil {
		w.object.Close()
	}
	if w.from != nil {
		w.from.Close()
	}
}

// missing returns the error of a shard that does not exist as all verbs report it. Otherwise it
// returns err.
func missing(ctx context.Context, w *wanted, err error) error {
	cp := w.set.Open()
	defer cp.Close()
	var v *safetensors.Violation
	if _, fault := cp.Header(ctx, w.name); errors.As(fault, &v) {
		return fault
	}
	return err
}
