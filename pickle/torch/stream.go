// Streams, which PyTorch wrote before 1.6, and pickles without a container.

package torch

import (
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/torchfile"
)

// A streamFile maps keys to the storages of a stream.
type streamFile map[string]*storage

// stream reads the file as a PyTorch stream or as a pickle.
func (f *file) stream() error {
	s, err := torchfile.ReadStream(f.r, f.size, f.opts.Pickle)
	if err != nil {
		return err
	}
	if s == nil {
		return f.noStream()
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

// noStream reads a file that is not a stream, as far as it was read: values over the budget are dropped, and the first
// pickle with them.
func (f *file) noStream() error {
	opts := *f.opts.Pickle
	opts.MaxStreams, opts.NoSweep = 1, true
	g, err := pickle.Load(f.r, f.size, &opts)
	if err != nil {
		return err
	}
	if roots := g.Roots(); len(roots) > 0 && torchfile.IsStream(roots[0]) {
		f.Format = FormatStream
		return exceeds("the values of the checkpoint exceed the limits of %s and %s",
			wording.Count(opts.MaxOpcodes, "instruction"), wording.Count(opts.MaxMemory, "byte"))
	}
	return f.bare()
}

// sound returns an error for a stream that is incomplete or inconsistent.
func (f *file) sound(s *torchfile.Stream) error {
	for _, fault := range s.Faults {
		if fault.Rule == torchfile.RuleMagic {
			f.warn(fault.Detail)
			continue
		}
		if fault.Rule == pickle.RuleTruncated {
			return refuse("the file is truncated: %s; %s", fault.Detail, again)
		}
		return refuse("%s (%s)", fault.Detail, fault.Rule)
	}
	if !s.Complete {
		return refuse("the file is truncated: data of tensors is missing; %s", again)
	}
	if left := f.size - s.End; left > 0 {
		f.warn(wording.Count(left, "byte") + " follow the last storage")
	}
	return nil
}

// bare reads the file as a pickle that contains everything.
func (f *file) bare() error {
	f.Format = FormatPickle
	g, err := f.load(f.r, f.size)
	if err != nil {
		return err
	}
	return f.collect(g.Roots()[0], nowhere{})
}

// find returns the storage with a key. Streams are always little-endian; torch.save swaps bytes on other machines.
func (z streamFile) find(id *torchfile.Storage) (*storage, error) {
	s := z[id.Key]
	if s == nil {
		return nil, refuse("storage %s is missing", quoted(id.Key))
	}
	return s.viewed(id)
}
