// The verb get for some tensors: a new file of ranges of others.

package main

import (
	"context"
	"io"
	"path/filepath"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/store"
)

// wantedTensors returns the file of the tensors that are selected, and their number.
func wantedTensors(ctx context.Context, sess *cli.Session, at *target.Target, sets []*checkpoint.Set, f *getFlags) ([]*wanted, int, error) {
	if len(sets) > 1 {
		return nil, 0, cli.Usagef("the target has %d models: name the one whose tensors are meant", len(sets))
	}
	chosen, err := f.NameFlags.Compile()
	if err != nil {
		return nil, 0, err
	}
	cp := sets[0].Open()
	defer cp.Close()
	var tensors []*safetensors.Tensor
	homes := make(map[string]string)      // the shard of each tensor
	for _, err := range cp.Tensors(ctx) { // which reads headers side by side
		if err != nil {
			return nil, 0, err
		}
	}
	for _, shard := range cp.Shards() {
		for t, err := range cp.TensorsOf(ctx, shard) {
			if err != nil {
				return nil, 0, err
			}
			if chosen.Has(t.Name) {
				tensors = append(tensors, t.Tensor)
				homes[t.Name] = shard
			}
		}
	}
	if len(tensors) == 0 {
		return nil, 0, cli.Usagef("no tensor matches: a pattern matches the whole name, and weigh info lists those there are")
	}
	w := &wanted{path: filepath.Join(f.dir, "model.safetensors")}
	if err := w.make(ctx, at.Store, cp, tensors, homes); err != nil {
		w.close()
		return nil, 0, err
	}
	return []*wanted{w}, len(tensors), nil
}

// make makes the file of the tensors: their bytes are where the headers say, and what the
// first file says of itself the new one does, too.
func (w *wanted) make(ctx context.Context, from store.Store, cp *checkpoint.Checkpoint, tensors []*safetensors.Tensor, homes map[string]string) error {
	first, err := cp.Header(ctx, cp.Shards()[0])
	if err != nil {
		return err
	}
	made, h, err := newMade(&safetensors.Encoder{Metadata: first.Metadata}, tensors)
	if err != nil {
		return err
	}
	objects := make(map[string]store.Object)
	for i := range h.Tensors {
		name := h.Tensors[i].Name
		shard := homes[name]
		source, err := cp.Header(ctx, shard) // which was read
		if err != nil {
			return err
		}
		if objects[shard] == nil {
			if objects[shard], err = openShard(ctx, from, cp, shard); err != nil {
				return err
			}
			w.parts = append(w.parts, objects[shard])
		}
		span := source.FileSpan(source.Lookup(name))
		made.add(objects[shard], span.Begin, span.Len())
	}
	w.object = made
	return nil
}

// openShard opens a shard, to be read after the checkpoint was closed. A shard of another
// format is opened as the safetensors file that its tensors would make.
func openShard(ctx context.Context, from store.Store, cp *checkpoint.Checkpoint, shard string) (store.Object, error) {
	if target.Format(ctx, cp, shard) == "" {
		return from.Open(ctx, shard)
	}
	h, err := cp.Header(ctx, shard)
	if err != nil {
		return nil, err
	}
	o := &shardObject{Checkpoint: cp.Set().Open(), shard: shard, size: h.DataStart()}
	for i := range h.Tensors {
		o.size += h.Tensors[i].Size()
	}
	return o, nil
}

// A shardObject is a shard of another format, as a safetensors file.
type shardObject struct {
	*checkpoint.Checkpoint
	shard string
	size  int64
}

// Size returns the size of the safetensors file.
func (o *shardObject) Size() int64 { return o.size }

// ReaderAt returns a reader of the safetensors file.
func (o *shardObject) ReaderAt(ctx context.Context) io.ReaderAt {
	r, err := o.Checkpoint.ReaderAt(ctx, o.shard)
	if err != nil {
		return unreadable{err}
	}
	return r
}

// An unreadable file gives an error.
type unreadable struct{ err error }

func (u unreadable) ReadAt([]byte, int64) (int, error) { return 0, u.err }
