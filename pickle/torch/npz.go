// NumPy archives: zip files with an array in each member.

package torch

import (
	"strings"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle/internal/npy"
	"github.com/weightools/safetensors/pickle/internal/zipwalk"
)

// arrays reads the file as a NumPy archive, if it is one. Like numpy.load, it recognizes arrays by their first bytes
// and not by name.
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
				err = f.skip(Skipped{Path: m.Name, What: "a file that is not an array", Values: 1})
			}
			if err != nil {
				return err
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
		return f.otherArchive()
	}
	if f.opts.Root != "" && !f.opts.All {
		detail := "there is no " + quoted(f.opts.Root) + ": NumPy archives contain only arrays"
		return &FormatError{Detail: detail, is: ErrNoRoot}
	}
	return f.finish(false)
}

// array returns the view for the array in a member.
func (z *zipFile) array(m *zipwalk.Member) (*view, error) {
	h, data, err := z.npyHeader(m)
	if err != nil {
		return nil, err
	}
	r, stored, err := z.content(m)
	if err != nil {
		return nil, err
	}
	st := &storage{key: m.Name, r: r, base: data, size: r.Size() - data, unpacked: !stored}
	st.record = recordOf(m, r, r.Size())
	if stored {
		st.r, st.base = z.file, m.Views[0].Span.Begin+data
	}
	return arrayView(st, h.Descr, h.Shape, h.Order == 'F')
}

// npyHeader parses the header of the array in a member, and returns the offset of the data.
func (z *zipFile) npyHeader(m *zipwalk.Member) (h npy.Header, data int64, err error) {
	const longest = 64 << 10 // bytes; NumPy accepts 10,000
	b, err := z.headOf(m, longest)
	if err != nil {
		return h, 0, err
	}
	p, ok := npy.ReadPrefix(b)
	switch {
	case !ok:
		return h, 0, refuse("the header is truncated")
	case !p.Exists():
		return h, 0, refuse("the header has the unknown version %d.%d", p.Major, p.Minor)
	case p.Length > int64(len(b))-p.Begin:
		return h, 0, refuse("the header has the invalid length of %s", wording.Count(p.Length, "byte"))
	}
	h, err = npy.Parse(b[p.Begin : p.Begin+p.Length])
	switch {
	case err != nil:
		return h, 0, refuse("the header is invalid: %v", err)
	case h.Objects:
		return h, 0, unsupportedf("an array of objects, which are stored as a pickle")
	case h.Descr != "" && h.Order != 0 && h.Shape != nil && !known(h.Descr):
		return h, 0, lacking(h.Descr)
	case h.Size < 0 || h.Order == 0:
		return h, 0, refuse("the header has no valid dtype, order or shape")
	case h.Descr == "":
		return h, 0, unsupportedf("an array with fields")
	case len(h.Shape) > maxRank:
		return h, 0, refuse("the array has %d dimensions; the maximum is %d", len(h.Shape), maxRank)
	}
	return h, p.Begin + p.Length, nil
}
