// Files that are cut off: incomplete, and no evidence of anything.

package scan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

// cutFiles returns harmless files of many formats, by name.
func cutFiles(t *testing.T) map[string][]byte {
	files := make(map[string][]byte)
	for _, folder := range []string{"../../testdata/torch", "../../testdata/scan", "../../testdata/sample"} {
		_ = filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && !strings.HasSuffix(path, ".py") {
				files[path] = readFile(t, path)
			}
			return err
		})
	}
	pt, npz := files["../../testdata/torch/checkpoint.pt"], files["../../testdata/torch/arrays.npz"]
	if pt == nil || npz == nil {
		t.Fatal("the samples are gone")
	}
	pair := []file{{"a.npz", string(npz)}, {"b.pt", string(pt)}}
	files["stored.zip"], files["deflated.zip"], files["pair.tar"] = zipped(t, pair...), deflated(t, pair...), tarred(t, pair...)
	files["pair.tar.gz"] = gzipped(t, string(files["pair.tar"]))
	files["a.zlib"], files["a.lz4"] = zlibbed(t, string(pt)), lz4Frame(string(pt))
	files["twice.zip"] = deflated(t, file{"in.zip", string(files["stored.zip"])}, file{"last", "text"})
	files["row.distcp"] = append(pt[:len(pt):len(pt)], pt...)
	return files
}

// The exit code is 1 for evidence only, and an incomplete download is none.
func TestCutIsNoEvidence(t *testing.T) {
	s := new(Scanner)
	for name, whole := range cutFiles(t) {
		want := max(scanned(t, s, whole, name).Evidence, pickle.Unanalysed)
		step := max(len(whole)/97, 1)
		for n := 4; n < len(whole); n += step {
			r := scanned(t, s, whole[:n], name)
			if r.Evidence > want {
				t.Errorf("the first %d of %d bytes of %s are %s with the evidence %v, which is %v in all: %s", n,
					len(whole), name, r.Format, r.Evidence, want, rules(r))
				break
			}
		}
	}
}
