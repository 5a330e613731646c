// Packed weights as their values.

package target

import (
	"context"
	"io"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/model/unpack"
)

// PackedUsage is the description of the flag --packed.
const PackedUsage = "show the stored tensors of packed weights, not their values"

// mostBeside is how large a configuration file is at most, in bytes.
const mostBeside = 32 << 20

// Packed returns the packed weights among the tensors of a checkpoint. It reads the configuration beside them.
func Packed(ctx context.Context, cp *checkpoint.Checkpoint, tensors []checkpoint.Located) *unpack.Weights {
	src := &unpack.Source{Beside: func(name string) ([]byte, error) {
		object, err := cp.Set().OpenBeside(ctx, name)
		if err != nil {
			return nil, err
		}
		defer object.Close()
		return io.ReadAll(io.NewSectionReader(object.ReaderAt(ctx), 0, min(object.Size(), mostBeside)))
	}}
	at := make(map[string]int) // the index of each file
	for _, t := range tensors {
		i, ok := at[t.File]
		if !ok {
			i = len(src.Files)
			at[t.File] = i
			one := unpack.File{}
			if h, err := cp.Header(ctx, t.File); err == nil {
				one.Metadata = h.Metadata
			}
			src.Files = append(src.Files, one)
		}
		src.Files[i].Tensors = append(src.Files[i].Tensors, t.Tensor)
	}
	return unpack.Of(src)
}

// Located returns the tensors of a checkpoint, in the order of shards and headers. It reads only headers.
func Located(ctx context.Context, cp *checkpoint.Checkpoint) (list []checkpoint.Located, err error) {
	for t, err := range cp.Tensors(ctx) {
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

// An unpacking is how Weights shows packed weights as their values.
type unpacking struct {
	sess *cli.Session
	of   map[*checkpoint.Checkpoint]*unpack.Weights
	told map[string]bool // notices
}

// Unpack makes Tensors, Find and Slices return the values of packed weights in place of their parts. Weights that stay
// packed keep their parts, and a notice says why.
func (w *Weights) Unpack(sess *cli.Session) {
	w.unpacking = &unpacking{sess, make(map[*checkpoint.Checkpoint]*unpack.Weights), make(map[string]bool)}
}

// tell shows a notice once.
func (u *unpacking) tell(format string, args ...any) {
	if !u.told[format] {
		u.told[format] = true
		u.sess.Notice(format, args...)
	}
}

// packed returns the packed weights of a checkpoint.
func (u *unpacking) packed(ctx context.Context, cp *checkpoint.Checkpoint) (*unpack.Weights, error) {
	if ws := u.of[cp]; ws != nil {
		return ws, nil
	}
	tensors, err := Located(ctx, cp)
	if err != nil {
		return nil, err
	}
	u.of[cp] = Packed(ctx, cp, tensors)
	return u.of[cp], nil
}

// plain returns tensors of a checkpoint with the values of packed weights.
func (u *unpacking) plain(ctx context.Context, cp *checkpoint.Checkpoint, tensors []checkpoint.Located) []*safetensors.Tensor {
	ws := u.of[cp]
	if ws == nil {
		ws = Packed(ctx, cp, tensors)
		u.of[cp] = ws
	}
	all := make([]*safetensors.Tensor, len(tensors))
	for i, t := range tensors {
		all[i] = t.Tensor
	}
	list, left := ws.Plain(all, nil)
	Tell(u.tell, len(ws.All), left)
	return list
}

// Tell tells users how many packed weights are shown as values, and why others are not.
func Tell(notice func(format string, args ...any), all int, left []error) {
	if all > len(left) {
		notice("packed weights are shown as their values; --packed shows the stored tensors")
	}
	if len(left) > 0 {
		notice("%d of %d packed weights are shown as they are stored; %v", len(left), all, left[0])
	}
}

// values returns the values of the packed weight of the given name, or nil if there is none. Stored is the tensor of
// that name in a checkpoint, or nil.
func (u *unpacking) values(ctx context.Context, cp *checkpoint.Checkpoint, name string, stored *safetensors.Tensor) (*safetensors.Tensor, error) {
	if index := cp.Index(); index != nil { // to read no headers in vain
		held := func(holder string) bool { return index.Lookup(holder) != nil }
		switch {
		case stored == nil && !slices.ContainsFunc(unpack.Holders(name), held),
			stored != nil && stored.Dtype.Class() == safetensors.ClassFloat && stored.Dtype.Bits() > 8 && !held(name+".absmax"):
			return nil, nil
		}
	}
	ws, err := u.packed(ctx, cp)
	if err != nil {
		return nil, nil // of another shard; the tensor itself was read
	}
	w := ws.Of(name)
	if w == nil || w.Name != name {
		return nil, nil
	}
	t, err := w.Tensor()
	switch {
	case err == nil:
		u.tell("packed weights are shown as their values; --packed shows the stored tensors")
	case stored == nil:
		return nil, cli.Usage(err)
	default:
		u.tell("%v", err)
	}
	return t, nil
}
