// The rules that exist only for loaders: folders with one fault each, and near misses.

package check_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/checkpoint"
)

// A loading is a folder and the programs that are to load it.
type loading struct {
	name  string
	make  func(t *testing.T, f folder)
	names []loader.Name
	ranks int
	wants []loaderWant // none for a near miss
}

// A loaderWant is a finding above a note, for some programs.
type loaderWant struct {
	want
	severity safetensors.Severity
	programs string
}

var transformersOnly = []loader.Name{loader.Transformers}

// renamed returns what makes a folder in which one file has another name.
func renamed(of func(*testing.T, folder), old, new string) func(*testing.T, folder) {
	return func(t *testing.T, f folder) {
		of(t, f)
		f[new] = f[old]
		delete(f, old)
	}
}

var loadings = []loading{
	{"weights under another name", renamed(modelOf(llamaConfig, headed(plain)), "model.safetensors", "my.safetensors"), transformersOnly, 0,
		[]loaderWant{{want{check.RuleWeightsNotFound, "my.safetensors", "", `there is "my.safetensors", but no model.safetensors, and no model.safetensors.index.json`}, safetensors.Error, "transformers"}}},
	{"weights under another name, for a program that takes any", renamed(modelOf(llamaConfig, headed(plain)), "model.safetensors", "my.safetensors"), []loader.Name{loader.VLLM}, 0, nil},
	{"shards without an index", func(t *testing.T, f folder) {
		f.sharded(t, 2, 1, headed(plain)...)
		delete(f, "model.safetensors.index.json")
		f.text("config.json", llamaConfig)
	}, transformersOnly, 0, []loaderWant{{want{checkpoint.RuleIndexMissing, "model-*-of-00002.safetensors", "", "transformers finds no weights"}, safetensors.Error, "transformers"}}},
}

func TestLoaders(t *testing.T) {
	covered := map[safetensors.Rule]bool{check.RuleRemoteCode: true, check.RuleChatTemplate: true} // TestLoaderNotes
	for _, test := range slices.Concat(loadings, ofFiles, ofConfigs, ofQuantizations, ofDevices, loadingsOfOthers) {
		for _, w := range test.wants {
			covered[w.rule] = true
		}
		t.Run(test.name, func(t *testing.T) {
			f := make(folder)
			test.make(t, f)
			test.check(t, judge(t, f.store(), "", &check.Options{For: test.names, Ranks: test.ranks, Dir: t.TempDir()}))
		})
	}
	for _, info := range check.Rules() {
		if check.NeedsLoader(info.Rule) && !covered[info.Rule] {
			t.Errorf("rule %s has no fixture", string(info.Rule))
		}
	}
}

func (test *loading) check(t *testing.T, found []located) {
	t.Helper()
	var left []located
	for _, l := range found {
		wanted := slices.ContainsFunc(test.wants, func(w loaderWant) bool { return w.rule == l.Rule })
		if l.Severity > safetensors.Note || wanted {
			left = append(left, l)
		}
	}
	for _, w := range test.wants {
		i := slices.IndexFunc(left, func(l located) bool {
			return l.Rule == w.rule && l.file == w.file && l.Tensor == w.tensor && strings.Contains(l.Detail, w.says) &&
				l.Severity == w.severity && strings.Join(l.For, " ") == w.programs
		})
		if i < 0 {
			t.Errorf("%s is not found", string(w.rule))
			continue
		}
		left = slices.Delete(left, i, i+1)
	}
	for _, l := range left {
		t.Errorf("%s: %v %s for %v: %s", l.file, l.Severity, string(l.Rule), l.For, l.Detail)
	}
}
