// Opening checkpoints.

package torch

import (
	"errors"
	"io"
	"strings"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle/internal/strided"
	"github.com/weightools/safetensors/pickle/internal/tarwalk"
	"github.com/weightools/safetensors/pickle/internal/zipwalk"
)

// Open opens the checkpoint of the given size in r.
//
// The error is a *FormatError if the file is not a checkpoint (errors.Is(err, [ErrNotCheckpoint])), if it does not have
// the requested root ([ErrNoRoot]), or if it is damaged or ambiguous. Other errors are read errors.
func Open(r io.ReaderAt, size int64, o *Options) (*Checkpoint, error) {
	f := &file{r: r, size: size, opts: o.forSize(size),
		Checkpoint: &Checkpoint{tiles: strided.Tiles{Most: strided.TileSize}}}
	if err := f.open(); err != nil {
		var fault *FormatError
		if errors.As(err, &fault) {
			fault.budget = f.opts.Budget
		}
		return nil, err
	}
	return f.Checkpoint, nil
}

// open detects the format of the file and reads it.
func (f *file) open() error {
	head := make([]byte, min(f.size, filetype.HeadSize))
	if err := bytesio.ReadFull(f.r, head, 0); err != nil {
		return err
	}
	at, err := zipwalk.Find(f.r, f.size)
	if err != nil {
		return err
	}
	switch {
	case at == 0:
		return f.archive()
	case at > 0:
		// PyTorch sees the pickle in front of the archive, Python the archive.
		return refuse("the file is ambiguous: an archive starts in the middle of it, or other data precedes the archive")
	case tarwalk.Has(head):
		return f.tar()
	case !looksLikePickle(head):
		t := filetype.DetectHead(head)
		return notCheckpoint("it is %s. %s", t, t.Advice())
	}
	return f.stream()
}

// looksLikePickle reports whether head may be the start of a pickle: PROTO, or in protocols without it, an opcode for
// the first value of a checkpoint.
func looksLikePickle(head []byte) bool {
	switch filetype.DetectHead(head).Kind {
	case filetype.Pickle, filetype.TorchLegacy:
		return true
	case filetype.Text, filetype.Unknown:
		return len(head) > 1 && (head[0] == 0x80 && head[1] <= 1 || strings.IndexByte("(c]}IL\x8a", head[0]) >= 0)
	}
	return false
}
