// Decisions: what happens to each file of a source.

package edit

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/shards"
)

// decide opens the source and decides the new contents of each file, wherever that is written.
// The caller closes the source.
func (e *Edit) decide(ctx context.Context, ref string, inPlace bool) (*source, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	s, err := e.open(ctx, ref, inPlace)
	if err != nil {
		return nil, err
	}
	if err := s.decide(ctx, e); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// decide decides what each file is like after the edit.
func (s *source) decide(ctx context.Context, e *Edit) error {
	if err := s.apply(ctx, e); err != nil {
		return err
	}
	if err := e.unset(s.files); err != nil {
		return err
	}
	s.restem(e.Stem)
	for _, f := range s.files {
		f.metadata = s.out.metadata(e.metadata(f.header.Metadata))
		if err := f.decide(e); err != nil {
			return err
		}
	}
	s.renumber()
	return nil
}

// apply applies the edit to the tensors of all files at once, because names are unique in the
// set. An edit of metadata makes no list of tensors: a file may have a million of them.
func (s *source) apply(ctx context.Context, e *Edit) error {
	if len(e.Keep)+len(e.Drop)+len(e.Rename)+len(e.Cast)+len(e.Copy) == 0 && e.Arrange == nil {
		return nil
	}
	var all []*safetensors.Tensor
	for _, f := range s.files {
		all = append(all, f.tensors()...)
	}
	changes, err := e.Apply(all)
	if err != nil {
		return err
	}
	for _, f := range s.files {
		n := len(f.header.Tensors)
		f.changes, changes = changes[:n:n], changes[n:]
	}
	if e.Arrange != nil {
		return s.arrange(ctx, e)
	}
	return s.copy(e)
}

// renumber renumbers the shards that stay if others are removed: a gap in the numbers would
// mean a missing shard.
func (s *source) renumber() {
	var stay []*file
	next := 1
	for _, f := range s.files {
		n, ok := shards.ParseName(f.rename)
		if !ok {
			return
		}
		if n.Number == 0 {
			next = 0 // some sets count from there
		}
		if f.action != Removed {
			stay = append(stay, f)
		}
	}
	if len(stay) == len(s.files) {
		return
	}
	for i, f := range stay {
		n, _ := shards.ParseName(f.rename)
		n.Number, n.Total = next+i, len(stay)
		f.rename = n.String()
		f.action = Written
	}
}

// decide decides what happens to the file.
func (f *file) decide(e *Edit) error {
	canonical, err := f.isCanonical(e)
	switch {
	case err != nil:
		return err
	case len(f.changes) > 0 && len(f.added) == 0 && !slices.ContainsFunc(f.changes, func(c Change) bool { return c.Now != nil }):
		f.action = Removed
	case f.isTouched(), f.rename != outputName(f.name), f.hasFaults(), !canonical, e.Align > 0 && f.header.DataStart()%int64(e.Align) != 0:
		f.action = Written
	case f.isRetitled():
		f.action = Overwritten // if there is room: see patches
	default:
		f.action = Unchanged
	}
	return nil
}

// isTouched reports whether a tensor changes.
func (f *file) isTouched() bool {
	return len(f.added) > 0 || slices.ContainsFunc(f.changes, func(c Change) bool { return c.Now != c.Was })
}

// isRetitled reports whether the metadata changes. No metadata differs from metadata without
// keys.
func (f *file) isRetitled() bool {
	return !maps.Equal(f.metadata, f.header.Metadata) || (f.metadata == nil) != (f.header.Metadata == nil)
}

// hasFaults reports whether something other than metadata will be repaired.
func (f *file) hasFaults() bool {
	return slices.ContainsFunc(f.faults, func(fault Fault) bool { return fault.Rule != safetensors.RuleMetadataFormat })
}

// isCanonical reports whether the file is in canonical form, or need not be. Only the header
// is compared: it determines where the data is.
func (f *file) isCanonical(e *Edit) (bool, error) {
	if !e.Canonical {
		return true, nil
	}
	was, err := f.start()
	if err != nil {
		return false, err
	}
	h, err := (&safetensors.Encoder{Metadata: f.metadata, Align: e.Align}).Plan(f.now()...)
	if err != nil {
		return false, err
	}
	now, err := h.AppendBinary(nil)
	return bytes.Equal(was, now), err
}

// unset returns the error of a key to unset that no file has, or nil.
func (e *Edit) unset(files []*file) error {
	for _, key := range e.Unset {
		found := false
		for _, f := range files {
			_, has := f.header.Metadata[key]
			found = found || has
		}
		if !found {
			return refuse("metadata has no key %s to unset", quote(key))
		}
	}
	return nil
}
