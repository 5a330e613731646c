// NumPy's archives: a zip file with an array in each member.

package torch

import (
	"encoding/binary"
	"strings"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/internal/zipwalk"
	"github.com/weightools/safetensors/pickle"
)

// arrays reads the file as an archive of NumPy, if it is one. numpy.load tells arrays by
// their first bytes, and not by their names.
func (f *file) arrays(z *zipFile) error {
	f.Format = FormatNPZ
	w := &walker{builder: &builder{loaded: make(map[pickle.Value]*storage)}}
	c := &collector{file: f, walker: w, names: make(map[string]bool), records: make(map[*storage]bool)}
	found := false
	for i := range z.Members {
		m := &z.Members[i]
		head, err := z.headOf(m, int64(len(npyMagic)))
		if err != nil {
			return err
		}
		if string(head) != npyMagic {
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
	return f.finish()
}

// array returns the view that the array in a member is.
func (z *zipFile) array(m *zipwalk.Member) (*view, error) {
	h, err := z.npyHeader(m)
	if err != nil {
		return nil, err
	}
	r, stored, err := z.content(m)
	if err != nil {
		return nil, err
	}
	st := &storage{key: m.Name, r: r, base: h.data, size: r.Size() - h.data, unpacked: !stored, record: recordOf(m, r, r.Size())}
	if stored {
		st.r, st.base = z.file, m.Views[0].Span.Begin+h.data
	}
	return arrayView(st, h.descr, h.shape, h.fortran)
}

// npyHeader reads the header of the array in a member.
func (z *zipFile) npyHeader(m *zipwalk.Member) (*npyHeader, error) {
	const longest = 64 << 10 // bytes; NumPy itself reads 10,000
	b, err := z.headOf(m, longest)
	if err != nil {
		return nil, err
	}
	const prefix = len(npyMagic) + 2 // and the version
	begin, length := prefix+2, int64(0)
	switch {
	case len(b) < prefix+4:
		return nil, refuse("its header is cut off")
	case b[prefix-2] == 1:
		length = int64(binary.LittleEndian.Uint16(b[prefix:]))
	case b[prefix-2] == 2 || b[prefix-2] == 3:
		begin, length = prefix+4, int64(binary.LittleEndian.Uint32(b[prefix:]))
	default:
		return nil, refuse("its header is of version %d.%d, and there are 1 to 3", b[prefix-2], b[prefix-1])
	}
	if length > int64(len(b)-begin) {
		return nil, refuse("its header is said to have %s", wording.Count(length, "byte"))
	}
	h, err := parseNPY(string(b[begin : begin+int(length)]))
	if err == nil {
		h.data = int64(begin) + length
	}
	return h, err
}
