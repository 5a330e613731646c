// The corpus: every file converted, or refused, as its manifest has it.

package convert

import (
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/pickle"
)

const corpus = "../../../shared/pickle"

func TestCorpus(t *testing.T) {
	f, err := os.Open(filepath.Join(corpus, "manifest.csv"))
	if err != nil {
		t.Skip("the corpus is not here")
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := func(row []string, name string) string { return row[slices.Index(rows[0], name)] }
	for _, row := range rows[1:] {
		outcome := at(row, "convert")
		if outcome == "" || outcome == "n/a" {
			continue
		}
		t.Run(at(row, "id"), func(t *testing.T) {
			source, target := filepath.Join(corpus, at(row, "file")), filepath.Join(t.TempDir(), "out.safetensors")
			c := new(Conversion)
			switch outcome {
			case "partial":
				if err := refused(t, t.Context(), c, source, target); err == nil {
					t.Error("nothing is said of what has no form")
				}
				c.DropUnsupported = true
			case "refuse-unless-forced":
				if err := refused(t, t.Context(), c, source, target); err == nil {
					t.Error("it is converted")
				}
				c.Torch.NoChecksum = true
			case "refuse", "refuse-or-disambiguate":
				err := refused(t, t.Context(), c, source, target)
				if err == nil {
					t.Error("it is converted")
				}
				var dangerous *DangerousError
				if at(row, "expected_verdict") == "dangerous" && !errors.As(err, &dangerous) {
					t.Log(err) // refused for another reason as well
				}
				return
			}
			p := convert(t, c, source, target)
			if want := at(row, "expected_verdict"); p.Verdict.String() != want && p.Verdict < pickle.Suspicious {
				t.Errorf("it is %s, want %s", p.Verdict, want)
			}
			if f, err := safetensors.Open(target); err != nil {
				t.Error(err)
			} else {
				f.Close()
			}
		})
	}
}
