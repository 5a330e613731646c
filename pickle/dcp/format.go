// Distributed checkpoints as a format of package checkpoint.

package dcp

import (
	"bytes"
	"context"
	"path"
	"strings"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/pickle/torch"
	"github.com/weightools/safetensors/store"
)

// The names of the files.
const (
	metadataName = ".metadata"
	firstPart    = "__0_0.distcp"
	extension    = ".distcp"
)

// Options configure the format. The zero value is the default.
type Options struct {
	// Torch has the limits of pickles, and selects the root. Nil selects the defaults.
	Torch *torch.Options

	// Optimizer includes the tensors of the optimizer state, which are named "optimizer.…".
	Optimizer bool
}

// Format returns the format, for [checkpoint.Options]. List it before other formats of PyTorch. Its tensors are
// *[Tensors].
func Format(o Options) checkpoint.Format {
	return checkpoint.Format{
		Name:       "distributed PyTorch",
		Extensions: []string{extension},
		Rank: func(name string) int {
			if strings.HasPrefix(path.Base(path.Dir(name)), "optim") { // as accelerate names the folder
				return -1
			}
			return 0
		},
		Match: func(head []byte, name string) bool {
			switch {
			case path.Base(name) == metadataName:
				return len(head) > 1 && head[0] == 0x80 // PROTO
			case path.Ext(name) == extension:
				return bytes.HasPrefix(head, []byte("PK"))
			}
			return false
		},
		Joined: &checkpoint.Joined{
			Heads: func(base string) []string {
				if base == metadataName || path.Ext(base) == extension {
					return []string{metadataName, firstPart}
				}
				return nil
			},
			Open: func(ctx context.Context, name string, head store.Object, beside checkpoint.Beside) (
				checkpoint.Tensors, error) {
				if path.Base(name) != metadataName {
					v := checkpoint.Damaged("the file is part of a distributed checkpoint, but its folder lacks the file %s, "+
						"which has the names and shapes", metadataName)
					v.Fix = "Also copy the file " + metadataName + ". Its name begins with a dot, so some programs skip it."
					return nil, v
				}
				t, err := open(ctx, &o, head, beside)
				if err != nil {
					return nil, err
				}
				return t, nil
			},
		},
	}
}
