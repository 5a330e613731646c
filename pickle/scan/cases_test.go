// Files that were once judged wrongly, with the verdicts that their makers give, if present.

package scan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

// A rightly is a file, or the start of the names of files, with the range of right verdicts.
type rightly struct {
	file        string
	least, most pickle.Verdict
	profile     string
}

// judgedFiles are files in folders beside this repository. The READMEs there say what each shows; their payloads ran in
// the real loaders.
var judgedFiles = map[string][]rightly{
	"cases-security": {
		{"E08-", pickle.Safe, pickle.Safe, ""}, // made by joblib
		{"H06-", pickle.Suspicious, pickle.Dangerous, ""},
		{"K01-", pickle.Safe, pickle.Suspicious, ""},
		{"K02-", pickle.Safe, pickle.Suspicious, ""},
		{"K04-", pickle.Safe, pickle.Safe, ""},
		{"L01-", pickle.Suspicious, pickle.Dangerous, ""},
		{"README", pickle.Safe, pickle.Safe, ""},
		{"", pickle.Dangerous, pickle.Dangerous, ""}, // all others
	},
	"cases-interop": {
		{"README", pickle.Safe, pickle.Safe, ""},
		{"make-", pickle.Unanalysed, pickle.Suspicious, ""},
		{"legacy-over-budget", pickle.Suspicious, pickle.Dangerous, ""},
		{"torchscript-", pickle.Suspicious, pickle.Suspicious, ""},
		{"scipy-", pickle.Safe, pickle.Safe, "sklearn"},
		{"training_args", pickle.Safe, pickle.Safe, "transformers"},
		{"", pickle.Safe, pickle.Safe, ""},
	},
	"cases/27-fsdp-rank-shards":                 {{"", pickle.Safe, pickle.Safe, ""}},
	"cases/28-numpy-scalar-in-checkpoint":       {{"", pickle.Safe, pickle.Safe, ""}},
	"cases/30-storage-that-looks-like-a-pickle": {{"", pickle.Safe, pickle.Safe, ""}},
	"cases/42-trainer-folder":                   {{"", pickle.Safe, pickle.Safe, "transformers"}},
}

func TestCases(t *testing.T) {
	any := false
	for folder, list := range judgedFiles {
		folder = filepath.Join("../../../shared", folder)
		files, err := os.ReadDir(folder)
		if err != nil {
			continue
		}
		any = true
		for _, f := range files {
			name := filepath.Join(folder, f.Name())
			for _, want := range list {
				if !strings.HasPrefix(f.Name(), want.file) {
					continue
				}
				s := &Scanner{Policy: &pickle.Policy{}}
				if want.profile != "" {
					s.Policy.Profiles = []string{want.profile}
				}
				r := scanned(t, s, readFile(t, name), name)
				if r.Verdict < want.least || r.Verdict > want.most {
					t.Errorf("%s is %v, not %v to %v: %v", name, r.Verdict, want.least, want.most, r.Findings)
				}
				break
			}
		}
	}
	if !any {
		t.Skip("the files are not here")
	}
}
