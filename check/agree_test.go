// Agreement: check and package model must say the same about a model.

package check_test

import (
	"cmp"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/model"
	"github.com/weightools/safetensors/store"
)

func TestAgreementOnHealthyModels(t *testing.T) {
	for _, test := range few(healthy) {
		t.Run(test.name, func(t *testing.T) {
			f := make(folder)
			test.make(t, f)
			agree(t, f.store())
		})
	}
}

func TestAgreementOnIncidents(t *testing.T) {
	for _, test := range few(incidents) {
		t.Run(test.name, func(t *testing.T) {
			f := make(folder)
			test.make(t, f)
			agree(t, f.store())
		})
	}
}

func TestAgreementOnShared(t *testing.T) {
	for _, root := range []string{"../../shared/cases", "../../shared/cases-counts", "../../shared/fixtures"} {
		filepath.WalkDir(root, func(dir string, d os.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return nil
			}
			if found, _ := filepath.Glob(filepath.Join(dir, "*.safetensors")); len(found) == 0 {
				return nil
			}
			t.Run(filepath.ToSlash(dir), func(t *testing.T) { agree(t, store.Dir(dir)) })
			return nil
		})
	}
}

// agree compares what check and package model say about the sets of a folder.
func agree(t *testing.T, from store.Store) {
	t.Helper()
	sets, err := checkpoint.Discover(t.Context(), from, "", nil)
	if err != nil {
		t.Skip(err)
	}
	found := make(map[safetensors.Rule]string) // the last message of each rule
	for r := range check.Validate(t.Context(), from, "", sets, nil) {
		if r.Report != nil {
			for _, v := range r.Violations {
				found[v.Rule] = v.Detail
			}
		}
	}
	for _, v := range check.Views(t.Context(), from, "", sets) {
		cp := v.Set.Open()
		defer cp.Close()
		m, err := model.Read(t.Context(), cp, false)
		if err != nil || !v.Described {
			continue // a shard is missing, or the configuration is about another set
		}
		defer m.Close()
		facts := model.FactsOf(m)
		for _, size := range []struct {
			name string
			is   int64
			said model.Number
			rule safetensors.Rule // reported if the tensors contradict the configuration
		}{
			{"layers", v.Layers, facts.Layers, check.RuleLayerMissing},
			{"hidden size", v.Hidden, facts.Hidden, check.RuleConfigShape},
			{"vocabulary", v.Vocab, facts.Vocab, check.RuleConfigShape},
			{"heads", v.Heads, facts.Heads, ""},
			{"key-value heads", v.KVHeads, facts.KVHeads, ""},
		} {
			switch {
			case size.said.From == model.FromConfig && size.said.Value != size.is, size.said.From != model.FromConfig && size.said.From != model.Ambiguous && size.is > 0:
				t.Errorf("%s: %s is %d for check, and %d (%s) for model", v.Set.Name, size.name, size.is, size.said.Value, size.said.From)
			case size.said.From == model.Ambiguous && size.is > 0 && found[size.rule] == "":
				t.Errorf("%s: %s is ambiguous for model (%q), and not reported by check", v.Set.Name, size.name, facts.Notes)
			}
		}
		counts := model.Count(m)
		agreeOnCounts(t, v, counts)
		for _, rule := range []safetensors.Rule{check.RuleQuantShape, check.RuleQuantConfig} {
			if detail := found[rule]; detail != "" && counts.Params.Exact() && !strings.Contains(strings.Join(counts.Notes, "\n"), "configuration says") {
				t.Errorf("%s: counted exactly as %s without a note, but check says: %s", v.Set.Name, cmp.Or(counts.Scheme, "plain"), detail)
			}
		}
		for i := range m.Files {
			m.Files[i].Data = nil // as check counts
		}
		if without := model.Count(m); !reflect.DeepEqual(without, v.Counts) {
			t.Errorf("%s: check counts\n%+v\nand model\n%+v", v.Set.Name, v.Counts, without)
		}
	}
}

// agreeOnCounts compares counts by headers with counts that may read shapes.
func agreeOnCounts(t *testing.T, v check.View, with *model.Counts) {
	t.Helper()
	if with.Params.Low < v.Counts.Params.Low || with.Params.High > v.Counts.Params.High {
		t.Errorf("%s: %+v with data, and %+v without", v.Set.Name, with.Params, v.Counts.Params)
	}
	if v.Bits == 0 || with.Scheme == "" || v.Method == "mlx" { // whose modules may have widths of their own
		return
	}
	for _, g := range with.Groups {
		if g.Bits > 0 && g.Bits != v.Bits && g.Scheme != "" && len(with.Notes) == 0 {
			t.Errorf("%s: %s has %d bits, the configuration %d, and no note says so", v.Set.Name, g.Scheme, g.Bits, v.Bits)
		}
	}
}

// TestCompanionsAgree: check reads every configuration that counting reads, and other commands copy each file that check
// reads.
func TestCompanionsAgree(t *testing.T) {
	for _, name := range model.ConfigNames {
		if !slices.Contains(check.FileNames, name) {
			t.Errorf("package model reads %s, and check does not", name)
		}
	}
	for _, name := range config.DescriptionNames("quant_model_weight_w8a8.safetensors") {
		if !filetype.IsCompanion(name) {
			t.Errorf("package model reads %s, and it is not copied with weights", name)
		}
	}
	for _, name := range check.FileNames {
		if !filetype.IsCompanion(name) {
			t.Errorf("check reads %s, and it is not copied with weights", name)
		}
	}
}
