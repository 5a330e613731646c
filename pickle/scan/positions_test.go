// Positions outside of arrays: files of SciPy, scikit-learn and PyTorch.

package scan

import (
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

// TestPositions judges files that .ci/interop/positions.py writes with --golden: matrices, trees and tensors that
// libraries wrote, as they are, and after one position was changed to lead outside. An honest file and the lie about it
// differ in one number.
func TestPositions(t *testing.T) {
	s := &Scanner{Policy: &pickle.Policy{Profiles: []string{"sklearn"}}}
	count := map[string]int{}
	eachGolden(t, "positions", func(want, name string, b []byte) {
		count[want]++
		r := scanned(t, s, b, name)
		if r.Verdict.String() != want || !r.Complete {
			t.Errorf("%s: %v, want %s: %v", name, r.Verdict, want, r.Findings)
		}
		if want == "dangerous" && !strings.Contains(rules(r), string(pickle.RuleMemory)) {
			t.Errorf("%s: %s", name, rules(r))
		}
		// A lie is one without the profile, too.
		if r := scanned(t, new(Scanner), b, name); (r.Verdict == pickle.Dangerous) != (want == "dangerous") {
			t.Errorf("%s without a profile: %v: %v", name, r.Verdict, r.Findings)
		}
	})
	if count["safe"] < 25 || count["dangerous"] < 80 {
		t.Error(count)
	}
}

// TestPositionsCost verifies that positions count as work: each tensor of a file can refer to the same large storage.
func TestPositionsCost(t *testing.T) {
	const n = 1 << 17
	text := func(s string) string { return "X" + string([]byte{byte(len(s)), 0, 0, 0}) + s }
	num := func(i int) string { return "J" + string([]byte{byte(i), byte(i >> 8), byte(i >> 16), byte(i >> 24)}) }
	tensor := func(class, key string, elements int, size, stride string) string {
		return "ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") + "ctorch\n" + class + "\n" + text(key) + text("cpu") +
			num(elements) + "tQK\x00" + size + stride + "\x89ccollections\nOrderedDict\n)RtR"
	}
	one := "ctorch._utils\n_rebuild_sparse_tensor\n(ctorch\nsparse_coo\n(" +
		tensor("LongStorage", "0", n, "K\x01"+num(n)+"\x86", num(n)+"K\x01\x86") +
		tensor("ByteStorage", "1", n, num(n)+"\x85", "K\x01\x85") + num(1) + "\x85ttR"
	files := func(tensors int) []byte {
		return zipped(t, file{"m/data.pkl", "\x80\x02](" + strings.Repeat(one, tensors) + "e."},
			file{"m/data/0", string(make([]byte, 8*n))}, file{"m/data/1", string(make([]byte, n))})
	}
	if r := scanned(t, new(Scanner), files(1), "one.pt"); r.Verdict != pickle.Safe || !r.Complete {
		t.Errorf("one: %v, %v", r.Verdict, r.Findings)
	}
	if r := scanned(t, new(Scanner), files(5000), "many.pt"); r.Verdict != pickle.Suspicious || !r.Limited {
		t.Errorf("many: %v, limited %v", r.Verdict, r.Limited)
	}
}

// TestPositionsTruncated verifies that a storage that is too short is no evidence of an attack.
func TestPositionsTruncated(t *testing.T) {
	npz := zipped(t, file{"format.npy", npyArray("'|S3'", "()") + "csr"}, file{"shape.npy", npyArray("'<i8'", "(2,)") +
		"\x02\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00"}, file{"data.npy", npyArray("'|u1'", "(1,)") + "1"},
		file{"indptr.npy", npyArray("'<i4'", "(3,)") + "\x00\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00"},
		file{"indices.npy", npyArray("'<i4'", "(9,)") + "\x00\x00"})
	if r := scanned(t, new(Scanner), npz, "m.npz"); r.Verdict != pickle.Suspicious || rules(r) != "truncated" {
		t.Errorf("%v, %s", r.Verdict, rules(r))
	}
}

// TestPositionsOfChanged verifies that files of real libraries do not become safe when attributes that say what their
// positions lead to are missing, or hidden among others.
func TestPositionsOfChanged(t *testing.T) {
	s := &Scanner{Policy: &pickle.Policy{Profiles: []string{"sklearn"}}}
	found := false
	eachGolden(t, "positions", func(want, name string, b []byte) {
		if name != "tree-best-2.pkl" {
			return
		}
		found = true
		text, first := string(b), "(X\x09\x00\x00\x00criterion"
		for what, changed := range map[string]string{
			"without its features": strings.Replace(text, "n_features_in_", "n_features_im_", 1),
			"many attributes":      strings.Replace(text, first, strings.Repeat("NNs", 201)+first, 1),
			"in an OrderedDict":    strings.Replace(text, "}q\x02"+first, "ccollections\nOrderedDict\n)Rq\x02"+first, 1),
		} {
			if changed == text {
				t.Errorf("%s: the file has another form", what)
			}
			if r := scanned(t, s, []byte(changed), name); r.Verdict != pickle.Suspicious {
				t.Errorf("%s: %v: %v", what, r.Verdict, r.Findings)
			}
		}
	})
	if !found {
		t.Error("no file")
	}
}

// TestPositionsBehindOthers verifies tensors that are created by another function, or of more than their parts.
func TestPositionsBehindOthers(t *testing.T) {
	text := func(s string) string { return "X" + string([]byte{byte(len(s)), 0, 0, 0}) + s }
	tensor := func(class, key, size, stride string) string {
		return "ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") + "ctorch\n" + class + "\n" + text(key) + text("cpu") +
			"K\x03tQK\x00" + size + stride + "\x89ccollections\nOrderedDict\n)RtR"
	}
	indices := tensor("LongStorage", "0", "K\x01K\x03\x86", "K\x03K\x01\x86")
	values := tensor("FloatStorage", "1", "K\x03\x85", "K\x01\x85")
	coo := "(ctorch\nsparse_coo\n(" + indices + values + "K\x05\x85tt"
	parts := text("values") + values + text("offsets") + tensor("LongStorage", "0", "K\x03\x85", "K\x01\x85")
	const typed, njt = "ctorch._tensor\n_rebuild_from_type_v2\n(", "ctorch.nested._internal.nested_tensor\n_rebuild_njt\n"
	type verdicts [2]pickle.Verdict
	checked := verdicts{pickle.Safe, pickle.Dangerous}
	unclear := verdicts{pickle.Suspicious, pickle.Suspicious}
	for name, tt := range map[string]struct {
		code string
		want verdicts // if the positions are 0, 2 and 3, and if they are 0, 2 and 9
	}{
		"a sparse tensor":        {"ctorch._utils\n_rebuild_sparse_tensor\n" + coo + "R", checked},
		"one with attributes":    {typed + "ctorch._utils\n_rebuild_sparse_tensor\nctorch\nTensor\n" + coo + "}tR", checked},
		"rows":                   {njt + "(}(" + parts + "utR", checked},
		"rows with attributes":   {typed + njt + "ctorch\nTensor\n(}(" + parts + "ut}tR", checked},
		"rows of many arguments": {njt + "(}(" + strings.Repeat("NN", 60) + parts + "utR", unclear},
		"rows of a part twice":   {njt + "(}(" + parts + parts + "utR", unclear},
		"rows of an OrderedDict": {njt + "(ccollections\nOrderedDict\n)R(" + parts + "utR", unclear},
	} {
		for i, last := range []string{"\x03", "\x09"} {
			storage := strings.Repeat("\x00", 8) + "\x02" + strings.Repeat("\x00", 7) + last + strings.Repeat("\x00", 7)
			b := zipped(t, file{"m/data.pkl", "\x80\x02" + tt.code + "."}, file{"m/data/0", storage},
				file{"m/data/1", strings.Repeat("\x00", 12)})
			if r := scanned(t, new(Scanner), b, "m.pt"); r.Verdict != tt.want[i] {
				t.Errorf("%s with %q: %v instead of %v: %v", name, last, r.Verdict, tt.want[i], r.Findings)
			}
		}
	}
}
