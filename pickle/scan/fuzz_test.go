// Arbitrary bytes: a scan ends, gives the same report twice, and calls nothing safe that it did
// not analyze.

package scan

import (
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

func FuzzScan(f *testing.F) {
	f.Add([]byte(evil), "x.pkl")
	f.Add([]byte(evil0), "x")
	f.Add(checkpoint(f), "x.pt")
	f.Add(deflated(f, file{"m/data.pkl", evil}), "x.pt")
	f.Add(gzipped(f, evil), "x.gz")
	f.Add(zlibbed(f, evil), "x.joblib")
	f.Add(lz4Frame(evil), "x.lz4")
	f.Add(tarred(f, file{"storages", benign}, file{"tensors", benign}, file{"pickle", evil}), "x.tar")
	f.Add([]byte(npyArray("'|O'", "(1,)")+evil), "x.npy")
	f.Add([]byte(javaObject("java.util.HashMap")), "x.ser")
	f.Add([]byte(`{"class_name":"Lambda"}`), "config.json")
	f.Add([]byte(hdf5Magic+`{"class_name":"Lambda"}`), "x.h5")
	f.Add(safetensorsFile(f, map[string]string{"a": "eval("}), "x.safetensors")
	for _, format := range []string{"png", "jpeg", "gif", "webp"} {
		f.Add([]byte(drawn(f, format)), "x."+format)
	}
	for _, build := range heads {
		f.Add([]byte(build(evil0)), "x.bin")
	}
	f.Add([]byte("7z\xbc\xaf\x27\x1c"+evil), "x.7z")
	files, _ := filepath.Glob("../../testdata/scan/*.*[lnt]")
	for _, name := range files {
		f.Add(readFile(f, name), name)
	}
	f.Fuzz(func(t *testing.T, b []byte, name string) {
		s := &Scanner{MaxUnpacked: 1 << 20, MaxReport: 100}
		r := scanned(t, s, b, name)
		if r.Verdict == pickle.Safe && !r.Complete || r.Complete != (r.Reason == "") || r.Format == "" {
			t.Errorf("%s, %v, complete is %v: %q", r.Format, r.Verdict, r.Complete, r.Reason)
		}
		if r.Evidence > r.Verdict || r.Complete && r.Evidence != r.Verdict || r.Unanalysed && r.Verdict == pickle.Safe {
			t.Errorf("%v with the evidence %v, complete is %v, unanalysed is %v", r.Verdict, r.Evidence, r.Complete, r.Unanalysed)
		}
		if r.Verdict > pickle.Unanalysed && r.Complete && r.Omitted == 0 && !explained(r) {
			t.Errorf("%v without a reason", r.Verdict)
		}
		for _, m := range r.Members {
			if m.Verdict > r.Verdict || m.Verdict == pickle.Safe && !m.Complete || r.Complete && !m.Complete || m.Format == "" {
				t.Errorf("a part is %+v, and the file %v, complete is %v", m, r.Verdict, r.Complete)
			}
		}
		for i := range r.Findings {
			if f := &r.Findings[i]; f.Severity.Verdict() > r.Verdict || Text(f.Rule) == "" {
				t.Errorf("a finding is %+v, and the file %v", f, r.Verdict)
			}
		}
		if again := scanned(t, s, b, name); !reflect.DeepEqual(r, again) {
			t.Errorf("a second scan says %+v, and the first %+v", again, r)
		}
	})
}

// explained reports whether something in a report says why its verdict is what it is.
func explained(r *Report) bool {
	is := func(v pickle.Verdict) bool { return v == r.Verdict }
	return slices.ContainsFunc(r.Imports, func(im Import) bool { return is(im.Verdict) }) ||
		slices.ContainsFunc(r.Calls, func(c Call) bool { return is(c.Verdict) }) ||
		slices.ContainsFunc(r.Findings, func(f Finding) bool { return is(f.Severity.Verdict()) })
}
