// Arbitrary bytes as headers of arrays.

package npy

import "testing"

// FuzzParse checks that arbitrary headers do not panic, and that sizes are not negative by overflow.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }\n", "{'descr': '|O', 'fortran_order': True, 'shape': (1,), }",
		"{'descr': [('a', '<i8'), ('b', '|S3', (2, 2))], 'fortran_order': False, 'shape': (), }",
		"{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807, 9223372036854775807), }",
		"{'shape': (2L,), 'descr': ('<V8', (3,)), 'fortran_order': False}", "{'descr': '<U99999999999', 'shape': (1,)}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		h, _ := Parse(b)
		if h.Size < -1 {
			t.Errorf("%+v", h)
		}
		if p, ok := ReadPrefix(b); ok && (p.Begin < 10 || p.Length < 0) {
			t.Errorf("%+v", p)
		}
	})
}
