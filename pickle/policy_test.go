// The built-in lists, profiles, and user policies.

package pickle

import (
	"bytes"
	"encoding/csv"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// judged returns the verdict on a single import.
func judged(t *testing.T, module, name string, p *Policy) Import {
	t.Helper()
	code := []byte(proto(4) + stack(module, name) + ".")
	r, err := Analyze(bytes.NewReader(code), int64(len(code)), &Options{Policy: p})
	if err != nil || len(r.Imports) != 1 {
		t.Fatalf("%s.%s: %v, %d imports", module, name, err, len(r.Imports))
	}
	return r.Imports[0]
}

func split(name string) (module, attribute string) {
	i := strings.LastIndexByte(name, '.')
	return name[:max(i, 0)], name[i+1:]
}

// TestLists compares the lists with those in the design.
func TestLists(t *testing.T) {
	f, err := os.Open(filepath.Join(corpus, "policy_globals.csv"))
	if err != nil {
		t.Skip("the table is not here")
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	since := []string{"torch.torch_version.TorchVersion", "typing.Any"} // plain data, and now allowed without a profile
	all := &Policy{Profiles: slices.Collect(maps.Keys(maps.Collect(Profiles())))}
	for _, row := range rows[1:] {
		name, match, verdict := row[0], row[1], row[2]
		module, attribute := split(name)
		switch match + " " + verdict {
		case "exact safe":
			if im := judged(t, module, attribute, nil); im.Verdict != Safe {
				t.Errorf("%s is %s: %s", name, im.Verdict, im.Why())
			}
		case "exact dangerous":
			if im := judged(t, module, attribute, nil); im.Verdict != Dangerous {
				t.Errorf("%s is %s", name, im.Verdict)
			}
		case "exact trusted-profile":
			if slices.Contains(since, name) {
				continue
			}
			if im := judged(t, module, attribute, nil); im.Verdict != Suspicious {
				t.Errorf("%s is %s without a profile", name, im.Verdict)
			}
			if im := judged(t, module, attribute, all); im.Verdict != Safe || im.Rule != RuleProfile {
				t.Errorf("%s is %s with all profiles", name, im.Verdict)
			}
		case "module-tree dangerous":
			if name == "antigravity" || name == "this" {
				continue // doubtful: known to be harmless on import
			}
			for _, m := range []string{name, name + ".sub"} {
				if im := judged(t, m, "anything", nil); im.Verdict != Dangerous {
					t.Errorf("%s.anything is %s", m, im.Verdict)
				}
			}
			if im := judged(t, name+"x", "anything", nil); im.Verdict == Dangerous && im.Entry == name+".*" {
				t.Errorf("%sx is taken for %s", name, name)
			}
		case "prefix trusted-profile", "attribute-of-safe dangerous", "dotted-dunder dangerous", "default suspicious":
		default:
			t.Errorf("%s: a row of a new kind: %s %s", name, match, verdict)
		}
	}
}

func TestProfiles(t *testing.T) {
	layer := proto(2) + glob("torch.nn.modules.linear", "Linear") + ")\x81" + stateOf("_parameters", ordered+")R") + "b."
	for _, k := range []struct {
		name, code string
		profile    string
		verdict    Verdict
	}{
		{"a layer", layer, "", Suspicious},
		{"a layer", layer, "torch-modules", Safe},
		{"a function beside layers", proto(2) + glob("torch.nn.modules.utils", "_pair") + "K\x01\x85R.", "torch-modules",
			Suspicious},
		{"a layer's state with two underscores", proto(2) + glob("torch.nn.modules.linear", "Linear") + ")\x81" +
			stateOf("__class__", "N") + "b.", "torch-modules", Dangerous},
		{"a layer's attribute", proto(4) + stack("torch.nn.modules.linear", "Linear.forward") + ".", "torch-modules",
			Suspicious},
		{"an estimator", proto(2) + glob("sklearn.linear_model._base", "LinearRegression") + ")\x81}b.", "sklearn", Safe},
		{"a loader within sklearn", proto(2) + glob("sklearn.externals.joblib", "Parallel") + ")R.", "sklearn", Dangerous},
		{"a random state", proto(2) + glob("numpy.random._pickle", "__randomstate_ctor") + uni("MT19937") + "\x85R.",
			"numpy-random", Safe},
	} {
		p := &Policy{}
		if k.profile != "" {
			p.Profiles = []string{k.profile}
		}
		r, err := Analyze(strings.NewReader(k.code), int64(len(k.code)), &Options{Policy: p})
		if err != nil || r.Verdict != k.verdict {
			t.Errorf("%s, profile %q: %v, %s, want %s: %v", k.name, k.profile, err, r.Verdict, k.verdict, r.Findings)
		}
	}
}

func TestParsePolicy(t *testing.T) {
	p, err := ParsePolicy(strings.NewReader(`
# what our models are made of
allow ourmodel.Net ourmodel.layers.*   # and nothing else
allow operator.itemgetter
deny  numpy.dtype
profile lightning
file 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
`))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []struct {
		module, name string
		verdict      Verdict
		rule         Rule
	}{
		{"ourmodel", "Net", Safe, RulePolicyAllow},
		{"ourmodel", "Nett", Suspicious, RuleUnknownImport},
		{"ourmodel.layers.conv", "Conv", Safe, RulePolicyAllow},
		{"ourmodel.layers2", "Conv", Suspicious, RuleUnknownImport},
		{"operator", "itemgetter", Safe, RulePolicyAllow},
		{"operator", "methodcaller", Dangerous, RuleDangerous},
		{"numpy", "dtype", Dangerous, RulePolicyDeny},
		{"omegaconf.dictconfig", "DictConfig", Safe, RuleProfile},
		{"os", "system", Dangerous, RuleDangerous},
	} {
		if im := judged(t, k.module, k.name, p); im.Verdict != k.verdict || im.Rule != k.rule {
			t.Errorf("%s.%s is %s by %s, want %s by %s", k.module, k.name, im.Verdict, im.Rule, k.verdict, k.rule)
		}
	}
	if len(p.Files) != 1 {
		t.Errorf("files %q", p.Files)
	}
}

func TestParsePolicyErrors(t *testing.T) {
	for _, k := range []struct{ line, want string }{
		{"allow os.system", `policy: line 1: "os.system" is dangerous and cannot be allowed`},
		{"allow os.*", `policy: line 1: "os.*" contains dangerous names: allow the others by name`},
		{"allow torch.*", `policy: line 1: "torch.*" contains dangerous names: allow the others by name`},
		{"allow mymodule.__class__", `policy: line 1: "mymodule.__class__" is dangerous and cannot be allowed`},
		{"allow builtins.eval", `policy: line 1: "builtins.eval" is dangerous and cannot be allowed`},
		{"allow argparse._os.system",
			`policy: line 1: "argparse._os.system" is an alias of a dangerous name and cannot be allowed`},
		{"allow *", `policy: line 1: "*" is not a dotted name, optionally followed by .*`},
		{"allow a..b", `policy: line 1: "a..b" is not a dotted name, optionally followed by .*`},
		{"\nallow", `policy: line 2: allow needs an argument`},
		{"permit a.b", `policy: line 1: unknown keyword "permit": expected allow, deny, profile or file`},
		{"profile nothing",
			`policy: line 1: unknown profile "nothing": the profiles are torch-modules, lightning, transformers, sklearn, numpy-random, pandas`},
		{"file abc", `policy: line 1: "abc" is not a SHA-256 digest (64 lower-case hexadecimal digits)`},
	} {
		_, err := ParsePolicy(strings.NewReader(k.line))
		if err == nil || err.Error() != k.want {
			t.Errorf("%q: %v, want %s", k.line, err, k.want)
		}
	}
}

func TestWhy(t *testing.T) {
	for _, k := range []struct{ module, name, why, allow string }{
		{"os", "system", "It starts programs or gives access to functions that do. (os.*)", ""},
		{"builtins", "eval", "It runs code or builds code from data. (builtins.eval)", ""},
		{"mymodel", "Net", "The name is on no list, so the effect of importing and calling it is unknown.",
			"allow mymodel.Net"},
		{"collections", "OrderedDict", "The name is on the allow list. (collections.OrderedDict)", ""},
		{"pathlib", "Path.unlink", "The name is an attribute of an allowed name, but not allowed itself. (pathlib.Path)", ""},
		{"a", "b.__class__", "A part of the name starts and ends with two underscores and gives access to the interpreter.",
			""},
		{"my model", "Net", "The name is on no list, so the effect of importing and calling it is unknown.", ""},
	} {
		im := judged(t, k.module, k.name, nil)
		if im.Why() != k.why || im.Allow() != k.allow {
			t.Errorf("%s.%s: %q, %q\nwant %q, %q", k.module, k.name, im.Why(), im.Allow(), k.why, k.allow)
		}
	}
}

func TestRules(t *testing.T) {
	seen := map[Rule]bool{}
	for r := range Rules() {
		if seen[r] || r.Text() == "" || strings.ToLower(string(r)) != string(r) {
			t.Errorf("rule %q: %q", r, r.Text())
		}
		seen[r] = true
	}
	if Rule("no such rule").Text() != "" {
		t.Error("a text for no rule")
	}
}

// TestProfileOf finds the profile for an import that is suspicious without one.
func TestProfileOf(t *testing.T) {
	for name, want := range map[string]string{"sklearn.svm._classes SVC": "sklearn", "torch.nn.modules.linear Linear": "torch-modules",
		"ourmodel Net": "", "os system": "", "collections OrderedDict": ""} {
		module, class, _ := strings.Cut(name, " ")
		r := analyzed(t, []byte("\x80\x04"+stack(module, class)+"."))
		if got := r.Imports[0].Profile(); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
