// Overwriting headers in place.

package edit

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/atomicfile"
)

// patches makes the patches of files that change only in their metadata. It returns true if
// nothing else is to be written. Otherwise nothing is overwritten: all changed files are
// written again, to appear at once.
func (p *Plan) patches() (all bool, err error) {
	some, rewrite := false, p.newIndex
	for _, f := range p.files {
		switch f.action {
		case Overwritten:
			if err := p.patchFile(f); err != nil {
				return false, err
			}
			some, rewrite = true, rewrite || f.patch == nil
		case Written, Removed:
			rewrite = true
		}
	}
	if !rewrite {
		return some, nil
	}
	for _, f := range p.files {
		if f.action == Overwritten {
			f.action, f.patch = Written, nil
		}
	}
	return false, nil
}

// patchFile makes the patch of a file, if it may be overwritten.
func (p *Plan) patchFile(f *file) error {
	alone, err := hasOneName(filepath.Join(p.dir, f.name))
	if err != nil || !alone {
		return err
	}
	start, err := f.start()
	if err != nil {
		return err
	}
	patch, err := patchOf(start, f.metadata)
	if patch == nil || err != nil {
		return err
	}
	f.patch = patch
	return f.tryPatch(start)
}

// tryPatch applies the patch to start, the file up to its data, in memory, and parses the
// result as the header of an untrusted file. A patch that fails is not written.
func (f *file) tryPatch(start []byte) error {
	copy(start[f.patch.at:], f.patch.now)
	h, err := safetensors.ReadHeader(bytes.NewReader(start))
	if err != nil {
		return err
	}
	same := slices.EqualFunc(h.Tensors, f.header.Tensors, func(a, b safetensors.TensorInfo) bool {
		return a.Name == b.Name && a.Dtype == b.Dtype && a.Offsets == b.Offsets && slices.Equal(a.Shape, b.Shape)
	})
	if !same || !maps.Equal(h.Metadata, f.metadata) {
		return fmt.Errorf("edit: the header of %q would be invalid with the new metadata", f.name)
	}
	return nil
}

// overwrite applies the patches of all files. It checks all files before it writes the first.
func (p *Plan) overwrite(ctx context.Context) error {
	var patches []atomicfile.Patch
	for _, f := range p.files {
		if f.action == Overwritten {
			patches = append(patches, atomicfile.NewPatch(f.name, f.size, f.patch.at, f.patch.was, f.patch.now))
		}
	}
	o, err := atomicfile.Overwrite(p.dir, patches)
	if err != nil {
		return err
	}
	defer o.Close()
	// Only the bytes that change were compared. Other changes in the header may give them
	// another meaning.
	if err := p.claim.Check(); err != nil {
		return err
	}
	if err := p.source.close(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return o.Apply()
}
