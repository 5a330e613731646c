// Any bytes: the walk holds its promises, and sees at least what archive/zip sees.

package zipwalk

import (
	"archive/zip"
	"bytes"
	"testing"
)

func FuzzWalk(f *testing.F) {
	b := two(f)
	f.Add(b)
	f.Add(append([]byte("prefix"), b...))
	f.Add(append(bytes.Clone(b), b...))
	f.Add(b[:firstCentral])
	f.Add(put(b, firstCentral+10, 8))
	f.Add(put(b, firstCentral+20, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff))
	f.Fuzz(func(t *testing.T, b []byte) {
		size := int64(len(b))
		a := walked(t, b, &Options{Head: 16, Members: 100})
		for i := range a.Members {
			for _, v := range a.Members[i].Views {
				if v.Span.Begin < 0 || v.Span.Begin > v.Span.End || v.Span.End > size || int64(len(v.Head)) > v.Span.Len() {
					t.Errorf("%q has the span %v of %d bytes, and %d for its head", a.Members[i].Name, v.Span, size, len(v.Head))
				}
			}
		}
		for _, gap := range a.Gaps {
			if gap.Begin < 0 || gap.Begin >= gap.End || gap.End > size {
				t.Errorf("a gap is %v of %d bytes", gap, size)
			}
		}
		sees(t, a, b)
	})
}

// sees checks that whatever archive/zip lists, the walk does, at the same place.
func sees(t *testing.T, a *Archive, b []byte) {
	other, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if other == nil || err != nil && err != zip.ErrInsecurePath || len(other.File) > 100 {
		return
	}
	for _, f := range other.File {
		off, err := f.DataOffset()
		if err != nil {
			continue
		}
		found := false
		for i := range a.Members {
			m := &a.Members[i]
			found = found || m.Name == f.Name && len(m.Views) > 0 && m.Views[0].Span.Begin == off
		}
		if !found && off <= int64(len(b)) {
			t.Errorf("archive/zip sees %q at %d, and the walk does not: %v", f.Name, off, a.Members)
		}
	}
}
