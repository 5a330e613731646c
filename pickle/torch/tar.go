// Tar archives of version 0.1.

package torch

import (
	"io"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/tarwalk"
	"github.com/weightools/safetensors/pickle/internal/torchfile"
)

// tar reads the file as an archive of version 0.1. PyTorch since 2.6 does not read these with weights_only.
func (f *file) tar() error {
	f.Format = FormatTar
	a, err := tarwalk.Walk(f.r, f.size, nil)
	if err != nil {
		return err
	}
	members := make(map[string]*io.SectionReader)
	for i := range a.Members {
		if m := &a.Members[i]; m.File() {
			members[m.Name] = io.NewSectionReader(f.r, m.Data.Begin, m.Data.Len())
		}
	}
	if members["storages"] == nil || members["tensors"] == nil || members["pickle"] == nil {
		return f.otherArchive()
	}
	if len(a.Faults) > 0 {
		return refuse("the archive is ambiguous: %s (%s)", a.Faults[0].Detail, a.Faults[0].Kind)
	}
	t := &tarFile{blocks: make(map[string]*storage), tensors: make(map[string]*torchfile.TarTensor)}
	if err := t.storages(members["storages"], f.opts.Pickle); err != nil {
		return err
	}
	if err := t.list(members["tensors"], f.opts.Pickle); err != nil {
		return err
	}
	g, err := f.object(members["pickle"], t)
	if err != nil {
		return err
	}
	return f.collect(g.Roots()[0], t)
}

// object loads the pickle that refers to the tensors by key.
func (f *file) object(r *io.SectionReader, t *tarFile) (*pickle.Graph, error) {
	opts := *f.opts.Pickle
	opts.PersistentID = func(id pickle.Value) bool {
		key, ok := id.Str()
		return ok && (t.tensors[key] != nil || t.blocks[key] != nil)
	}
	g, err := pickle.Load(r, r.Size(), &opts)
	if err != nil {
		return nil, err
	}
	return g, f.judge(g, 1)
}

// storages reads the member with the storages, and the list of views after them.
func (t *tarFile) storages(r *io.SectionReader, o *pickle.Options) error {
	m, err := torchfile.ReadStorages(r, r.Size(), o)
	if err != nil {
		return err
	}
	if err := whole("storages", m, r); err != nil {
		return err
	}
	for _, b := range m.Blocks {
		if t.blocks[b.Key] != nil {
			return refuse("storage %s occurs twice", quoted(b.Key))
		}
		t.blocks[b.Key] = &storage{key: b.Key, class: b.Class, r: r, base: b.Begin, size: b.Size}
	}
	for _, v := range m.Views {
		root := t.blocks[v.Root]
		if root == nil || t.blocks[v.Key] != nil {
			return refuse("storage %s is a view of %s, which is missing, or it exists already",
				quoted(v.Key), quoted(v.Root))
		}
		view := &torchfile.View{Key: v.Key, Offset: v.Offset, Elements: v.Elements}
		id := torchfile.Storage{Class: root.class, View: view}
		if t.blocks[v.Key], err = root.viewed(&id); err != nil {
			return err
		}
	}
	return nil
}

// list reads the member with the shapes of tensors.
func (t *tarFile) list(r *io.SectionReader, o *pickle.Options) error {
	m, err := torchfile.ReadTensors(r, r.Size(), o)
	if err != nil {
		return err
	}
	if err := whole("tensors", m, r); err != nil {
		return err
	}
	for i := range m.Tensors {
		key := m.Tensors[i].Key
		if t.tensors[key] != nil {
			return refuse("tensor %s occurs twice", quoted(key))
		}
		t.tensors[key] = &m.Tensors[i]
	}
	return nil
}

// whole returns an error for a member that is incomplete or has trailing data.
func whole(name string, m *torchfile.Member, r *io.SectionReader) error {
	switch {
	case len(m.Faults) > 0:
		return refuse("member %q is invalid: %s (%s)", name, m.Faults[0].Detail, m.Faults[0].Rule)
	case !m.Complete:
		return refuse("member %q is incomplete", name)
	case m.End < r.Size():
		return refuse("member %q has %s after its end", name, wording.Count(r.Size()-m.End, "byte"))
	}
	return nil
}
