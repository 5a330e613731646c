// Streams: checkpoints of versions before 1.6, and pickles in no container.

package torch

import (
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/torchfile"
)

// A streamFile is the storages of a stream, by their keys.
type streamFile map[string]*storage

// stream reads the file as a stream of PyTorch, or as a pickle.
func (f *file) stream() error {
	s, err := torchfile.ReadStream(f.r, f.size, f.opts.Pickle)
	if err != nil {
		return err
	}
	if s == nil {
		return f.bare()
	}
	f.Format = FormatStream
	const pickles = 5
	if err := f.judge(s.Graph, pickles); err != nil {
		return err
	}
	if err := f.sound(s); err != nil {
		return err
	}
	z := make(streamFile, len(s.Blocks))
	for _, b := range s.Blocks {
		z[b.Key] = &storage{key: b.Key, class: b.Class, r: f.r, base: b.Begin, size: b.Size}
	}
	return f.collect(s.Object, z)
}

// sound refuses a stream that is not whole, or contradicts itself.
func (f *file) sound(s *torchfile.Stream) error {
	for _, fault := range s.Faults {
		if fault.Rule == torchfile.RuleMagic {
			f.warn(fault.Detail)
			continue
		}
		return refuse("%s (%s)", fault.Detail, fault.Rule)
	}
	if !s.Complete {
		return refuse("the numbers of the tensors are not all there")
	}
	if left := f.size - s.End; left > 0 {
		f.warn(wording.Count(left, "byte") + " stand after the last storage")
	}
	return nil
}

// bare reads the file as a pickle in which everything is.
func (f *file) bare() error {
	f.Format = FormatPickle
	g, err := f.load(f.r, f.size)
	if err != nil {
		return err
	}
	return f.collect(g.Roots()[0], nowhere{})
}

// nowhere is the storages of a pickle that is in no container.
type nowhere struct{}

func (nowhere) find(id *torchfile.Storage) (*storage, error) {
	return nil, refuse("the storage %s is in another file: a pickle alone does not have it", quoted(id.Key))
}

// find returns the storage that the stream has under a key. Streams are little-endian,
// whatever they say of the machine that wrote them: torch.save swaps if it has to.
func (z streamFile) find(id *torchfile.Storage) (*storage, error) {
	s := z[id.Key]
	if s == nil {
		return nil, refuse("the storage %s is not in the file", quoted(id.Key))
	}
	return s.viewed(id)
}

// inner returns the storage that torch.storage._load_from_bytes would make of a string:
// it is a stream whose object is a storage. Pickles in no container have their
// storages so.
func inner(v pickle.Value, o *pickle.Options) (*storage, error) {
	data := v.Data()
	if data == nil {
		return nil, refuse("a storage is to be loaded from bytes, and there is %s", whatIs(v))
	}
	s, err := torchfile.ReadStream(data, data.Size(), o)
	if err != nil {
		return nil, err
	}
	switch {
	case s == nil:
		return nil, refuse("a storage is to be loaded from bytes that are no stream of PyTorch")
	case len(s.Faults) > 0 && s.Faults[0].Rule != torchfile.RuleMagic:
		return nil, refuse("a storage that is loaded from bytes: %s (%s)", s.Faults[0].Detail, s.Faults[0].Rule)
	case !s.Complete:
		return nil, refuse("a storage that is loaded from bytes is not whole")
	}
	persistent, _ := s.Object.Persistent()
	id, ok := torchfile.StorageOf(persistent)
	if !ok || len(s.Blocks) != 1 {
		return nil, refuse("bytes from which a storage is to be loaded hold %s, and %s", whatIs(s.Object), wording.Count(len(s.Blocks), "storage"))
	}
	b := s.Blocks[0]
	st := &storage{key: b.Key, class: b.Class, r: data, base: b.Begin, size: b.Size}
	return st.viewed(&id)
}
