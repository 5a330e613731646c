// NumPy's archives: a zip file with an array in each member.

package torch

import (
	"strings"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle/internal/npy"
	"github.com/weightools/safetensors/pickle/internal/zipwalk"
)

// arrays reads the file as an archive of NumPy, if it is one. numpy.load tells arrays by
// their first bytes, and not by their names.
func (f *file) arrays(z *zipFile) error {
	f.Format = FormatNPZ
	c := &collector{file: f, names: make(map[string]bool), records: make(map[*record]bool)}
	found := false
	for i := range z.Members {
		m := &z.Members[i]
		head, err := z.headOf(m, int64(len(npy.Magic)))
		if err != nil {
			return err
		}
		if string(head) != npy.Magic {
			if !strings.HasSuffix(m.Name, "/") {
				f.skip(Skipped{Path: m.Name, What: "a file that is no array", Values: 1})
			}
			continue
		}
		found = true
		name := strings.TrimSuffix(m.Name, ".npy")
		v, err := z.array(m)
		if err == nil {
			err = c.add(name, v)
		} else {
			err = c.failed(name, err)
		}
		if err != nil {
			return err
		}
	}
	if !found {
		return notCheckpoint("it is a zip archive, and has neither %s nor arrays of NumPy in it", quoted(z.root+"data.pkl"))
	}
	if f.opts.Root != "" && !f.opts.All {
		return &FormatError{Detail: "there is no " + quoted(f.opts.Root) + " in it: archives of NumPy have arrays and nothing around them", is: ErrNoRoot}
	}
	return f.finish()
}

// array returns the view that the array in a member is.
func (z *zipFile) array(m *zipwalk.Member) (*view, error) {
	h, data, err := z.npyHeader(m)
	if err != nil {
		return nil, err
	}
	r, stored, err := z.content(m)
	if err != nil {
		return nil, err
	}
	st := &storage{key: m.Name, r: r, base: data, size: r.Size() - data, unpacked: !stored, record: recordOf(m, r, r.Size())}
	if stored {
		st.r, st.base = z.file, m.Views[0].Span.Begin+data
	}
	return arrayView(st, h.Descr, h.Shape, h.Order == 'F')
}

// npyHeader reads the header of the array in a member, and returns where its numbers
// begin.
func (z *zipFile) npyHeader(m *zipwalk.Member) (h npy.Header, data int64, err error) {
	const longest = 64 << 10 // bytes; NumPy itself reads 10,000
	b, err := z.headOf(m, longest)
	if err != nil {
		return h, 0, err
	}
	p, ok := npy.ReadPrefix(b)
	switch {
	case !ok:
		return h, 0, refuse("its header is cut off")
	case !p.Exists():
		return h, 0, refuse("its header is of version %d.%d, which there is not", p.Major, p.Minor)
	case p.Length > int64(len(b))-p.Begin:
		return h, 0, refuse("its header is said to have %s", wording.Count(p.Length, "byte"))
	}
	h, err = npy.Parse(b[p.Begin : p.Begin+p.Length])
	switch {
	case err != nil:
		return h, 0, refuse("its header is no literal of Python: %v", err)
	case h.Objects:
		return h, 0, unsupportedf("an array of objects, which are a pickle")
	case h.Size < 0 || h.Order == 0:
		return h, 0, refuse("its header has no dtype, no order or no shape that NumPy knows")
	case h.Descr == "":
		return h, 0, unsupportedf("an array of a dtype with fields")
	case len(h.Shape) > maxRank:
		return h, 0, refuse("it has %d dimensions, and there are %d at most", len(h.Shape), maxRank)
	}
	return h, p.Begin + p.Length, nil
}
