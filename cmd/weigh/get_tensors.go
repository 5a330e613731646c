// The verb get for some tensors: a new file of ranges of others.

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/render"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// getTensors fetches the tensors that are selected, as one file.
func (a *app) getTensors(ctx context.Context, sets []*checkpoint.Set, f *getFlags) (*render.Got, error) {
	if len(sets) > 1 {
		return nil, usagef("the target has %d models: name the one whose tensors are meant", len(sets))
	}
	chosen, err := f.choice.compile()
	if err != nil {
		return nil, err
	}
	cp := sets[0].Open()
	defer cp.Close()
	done := new(fetched)
	var tensors []*safetensors.Tensor
	var enc safetensors.Encoder
	for t, err := range cp.Tensors(ctx) {
		if err != nil {
			return nil, err
		}
		if !chosen.has(t.Name) {
			continue
		}
		done.of += t.Size()
		tensors = append(tensors, &safetensors.Tensor{TensorInfo: t.TensorInfo, ReaderAt: &counting{t.ReaderAt, done}})
	}
	if len(tensors) == 0 {
		return nil, usagef("no tensor matches: a pattern matches the whole name, and weigh info lists those there are")
	}
	if shards := cp.Shards(); len(shards) > 0 {
		if h, err := cp.Header(ctx, shards[0]); err == nil {
			enc.Metadata = h.Metadata
		}
	}
	name := filepath.Join(f.dir, "model.safetensors")
	if _, err := os.Lstat(name); err == nil && !f.force {
		return nil, fmt.Errorf("%q exists already: choose another folder, or overwrite it with --force", name)
	}
	if free := freeSpace(f.dir); free >= 0 && done.of > free {
		return nil, fmt.Errorf("the disk of %q has %s free, and %s are to be written: nothing was fetched", f.dir, typeset.Bytes(free), typeset.Bytes(done.of))
	}
	defer a.watch(done)()
	if err := enc.WriteFile(name, tensors...); err != nil {
		return nil, err
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	return &render.Got{Files: []render.GotFile{{Path: filepath.ToSlash(name), Size: info.Size()}}, Tensors: len(tensors)}, nil
}

// A counting reader says how much of it was read.
type counting struct {
	io.ReaderAt
	done *fetched
}

func (c *counting) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, off)
	c.done.bytes.Add(int64(n))
	return n, err
}
