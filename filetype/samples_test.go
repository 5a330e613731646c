// Samples: files of every kind by writers of their formats. See testdata/make.py.

package filetype

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// samples returns the samples by name, such as "gzip" and "tar~gnu".
func samples(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/*.bin")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	all := make(map[string][]byte, len(names))
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(name), ".bin")] = b
	}
	return all
}

// kindOf returns the kind that the name of a sample says.
func kindOf(name string) Kind {
	kind, _, _ := strings.Cut(name, "~")
	return Kind(kind)
}

func TestSamples(t *testing.T) {
	missing := slices.Collect(Kinds())
	for name, b := range samples(t) {
		want := kindOf(name)
		missing = slices.DeleteFunc(missing, func(k Kind) bool { return k == want })
		got, err := Detect(bytes.NewReader(b), int64(len(b)))
		if err != nil || got.Kind != want {
			t.Errorf("%s is %v, %v", name, got, err)
		}
	}
	if len(missing) > 0 {
		t.Errorf("there is no sample of %v", missing)
	}
}
