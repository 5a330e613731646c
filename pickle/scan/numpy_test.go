// NumPy arrays: which of them contain a pickle, and where they end.

package scan

import (
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/npy"
)

// A pickle follows the header if the dtype contains an object. Otherwise numbers follow, whose
// size is given by the dtype and the shape.
func TestNPY(t *testing.T) {
	header := func(descr, shape string) string { return npyArray(descr, shape) }
	for _, tt := range []struct {
		name, bytes string
		verdict     pickle.Verdict
		rules       string
	}{
		{"floats", header("'<f4'", "(2, 3)") + strings.Repeat("1234", 6), pickle.Safe, ""},
		{"a scalar", header("'<f8'", "()") + "12345678", pickle.Safe, ""},
		{"nothing", header("'<f8'", "(0, 5)"), pickle.Safe, ""},
		{"text of four letters", header("'<U4'", "(2,)") + strings.Repeat("x", 32), pickle.Safe, ""},
		{"times", header("'<M8[ns]'", "(1,)") + "12345678", pickle.Safe, ""},
		{"fields", header("[('a', '<f4'), ('b', '|u1', (3,))]", "(2,)") + strings.Repeat("x", 14), pickle.Safe, ""},
		{"a dtype with a shape", header("('<i2', (2, 2))", "(3,)") + strings.Repeat("x", 24), pickle.Safe, ""},
		{"an array that is cut off", header("'<f4'", "(2,)") + "1234", pickle.Suspicious, "truncated"},
		{"a pickle behind it", header("'<f4'", "(1,)") + "1234" + evil, pickle.Dangerous, "dangerous-import trailing-data"},
		{"objects", header("'|O'", "(1,)") + benign, pickle.Suspicious, "numpy-object"},
		{"objects that are evil", header("'|O'", "(1,)") + evil, pickle.Dangerous, "dangerous-import numpy-object"},
		{"objects in a field", header("[('a', '<f4'), ('b', '|O8')]", "(1,)") + evil, pickle.Dangerous, "dangerous-import numpy-object"},
		{"objects in a field of a field", header("[('a', [('b', [('c', 'O')])])]", "(1,)") + evil, pickle.Dangerous, "dangerous-import numpy-object"},
		{"objects in a dtype with a shape", header("('O', (2,))", "(1,)") + evil, pickle.Dangerous, "dangerous-import numpy-object"},
		{"objects by another name", header("'object'", "(1,)") + evil, pickle.Dangerous, "dangerous-import numpy-object"},
		{"two dtypes, of which Python takes the last", header("'<f4', 'descr': '|O'", "(1,)") + evil, pickle.Dangerous, "bad-header dangerous-import"},
		{"a header that is code", header("__import__('os').name", "(1,)") + evil, pickle.Dangerous, "bad-header dangerous-import"},
		{"a dtype that there is not", header("'<q7'", "(1,)") + evil, pickle.Dangerous, "bad-header dangerous-import"},
		{"a shape that is none", header("'<f4'", "(-1,)") + evil, pickle.Dangerous, "bad-header dangerous-import"},
		{"a shape of too many", header("'<f4'", "(4611686018427387904, 8)"), pickle.Suspicious, "bad-header"},
		{"a header longer than the file", npy.Magic + "\x01\x00\xff\xff" + evil, pickle.Dangerous, "dangerous-import truncated"},
		{"version 2", npy.Magic + "\x02\x00" + "\x28\x00\x00\x00" + "{'descr':'|O','fortran_order':False,'shape':(1,)}"[:40] + evil, pickle.Dangerous, "bad-header dangerous-import"},
		{"a version that there is not", strings.Replace(header("'<f4'", "(1,)"), "\x01\x00", "\x09\x00", 1)[:20], pickle.Suspicious, "bad-header"},
	} {
		r := scanned(t, new(Scanner), []byte(tt.bytes), "x.npy")
		if r.Format != "npy" || r.Verdict != tt.verdict || rules(r) != tt.rules {
			t.Errorf("%s: %s, %v (%s), want %v (%s): %v", tt.name, r.Format, r.Verdict, rules(r), tt.verdict, tt.rules, r.Findings)
		}
	}
}

// Members of an npz archive are arrays by content: numpy.load ignores the extension.
func TestNPZ(t *testing.T) {
	r := scanned(t, new(Scanner), zipped(t, file{"a.npy", npyArray("'<f4'", "(1,)") + "1234"}, file{"b", npyArray("'|O'", "(1,)") + evil}), "x.npz")
	if r.Format != "npz" || r.Verdict != pickle.Dangerous {
		t.Errorf("%s, %v: %v", r.Format, r.Verdict, r.Findings)
	}
}

// An array that was not decompressed completely is not reported as truncated.
func TestArrayThatIsNotUnpacked(t *testing.T) {
	array := npyArray("'<f4'", "(1048576,)") + strings.Repeat("\x00", 4<<20)
	for name, b := range map[string][]byte{"zip": deflated(t, file{"a.npy", array}), "gzip": gzipped(t, array)} {
		r := scanned(t, &Scanner{MaxUnpacked: 1 << 20}, b, "x")
		if r.Complete || strings.Contains(rules(r), string(pickle.RuleTruncated)) {
			t.Errorf("%s: complete is %v: %v", name, r.Complete, r.Findings)
		}
		if r := scanned(t, new(Scanner), b, "x"); !r.Complete || strings.Contains(rules(r), string(pickle.RuleTruncated)) {
			t.Errorf("%s: with room, complete is %v: %v", name, r.Complete, r.Findings)
		}
	}
	if r := scanned(t, new(Scanner), gzipped(t, array[:1<<20]), "x"); !strings.Contains(rules(r), string(pickle.RuleTruncated)) {
		t.Errorf("an array that is cut off: %v", r.Findings)
	}
}
