// Zip archives, which PyTorch writes since version 1.6.

package torch

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle/internal/torchfile"
	"github.com/weightools/safetensors/pickle/internal/zipwalk"
	"github.com/weightools/safetensors/pickle/torch/internal/script"
)

// archive reads the file as a PyTorch or NumPy archive.
func (f *file) archive() error {
	z, err := openZip(f.r, f.size)
	if err != nil {
		return f.orShard(err)
	}
	z.root, z.warn = z.Root()+"/", f.warn
	program := z.names[z.root+"data.pkl"]
	if program == nil {
		return f.arrays(z)
	}
	f.Format = FormatZip
	if z.names[z.root+"constants.pkl"] != nil {
		f.Format = FormatScript
	}
	if err := z.byteOrder(); err != nil {
		return err
	}
	r, size, err := z.whole(program, f.opts)
	if err != nil {
		return err
	}
	g, err := f.load(r, size)
	if err != nil {
		return err
	}
	if _, faults := torchfile.Storages(g); len(faults) > 0 {
		return refuse("%s: %s (%s)", program.Name, faults[0].Detail, faults[0].Rule)
	}
	f.constants(z)
	if f.Format != FormatScript {
		return f.collect(g.Roots()[0], z)
	}
	s := script.New(z.code)
	f.class = s.Class
	if err := f.collect(g.Roots()[0], z); s.Err == nil {
		return err
	}
	return s.Err
}

// orShard returns err, or a better error for a shard of a distributed checkpoint: several archives in a row.
func (f *file) orShard(err error) error {
	const most = 1 << 20 // archives
	row, failed := zipwalk.Row(f.r, f.size, most)
	if len(row) == 0 || failed != nil {
		return cmp.Or(failed, err)
	}
	return &FormatError{
		Detail: fmt.Sprintf("the file is a shard of a distributed checkpoint: %s in a row, whose names are in "+
			"the file .metadata", wording.Count(len(row), "archive")),
		unsupported: true,
		fix:         "Name its folder, which has .metadata: `weigh convert FOLDER -o NEW`.",
	}
}

// constants reports the constant tensors of TorchScript programs.
func (f *file) constants(z *zipFile) {
	n := 0
	for name := range z.names {
		if strings.HasPrefix(name, z.root+"constants/") {
			n++
		}
	}
	if n > 0 {
		what := fmt.Sprintf("%s used by TorchScript programs", wording.Count(n, "tensor"))
		f.Skipped = append(f.Skipped, Skipped{Path: "constants", What: what, Tensors: n})
	}
}

// find returns the storage with a key.
func (z *zipFile) find(id *torchfile.Storage) (*storage, error) {
	if s := z.found[id.Key]; s != nil {
		return s, nil
	}
	m := z.names[z.root+"data/"+id.Key]
	if m == nil {
		return nil, refuse("storage %s of %d elements is missing: there is no %s",
			quoted(id.Key), id.Elements, quoted(z.root+"data/"+id.Key))
	}
	r, stored, err := z.content(m)
	if err != nil {
		return nil, err
	}
	s := &storage{key: id.Key, class: id.Class, r: r, size: r.Size(), big: z.big, unpacked: !stored}
	if stored {
		s.r, s.base = z.file, m.Views[0].Span.Begin
	}
	s.record = recordOf(m, r, r.Size())
	if want, ok := id.Bytes(); ok && want != s.size {
		said := fmt.Sprintf("storage %s has %s in the pickle, but %s in the archive",
			quoted(id.Key), wording.Count(want, "byte"), wording.Count(s.size, "byte"))
		if want > s.size {
			return nil, refuse("%s", said)
		}
		z.warn(said)
	}
	z.found[id.Key] = s
	return s, nil
}
