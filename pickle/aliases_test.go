// Aliases of dangerous names within the standard library, as the interpreter itself resolves them.

package pickle

import (
	"os/exec"
	"strings"
	"testing"
)

// aliasScript prints modules of the standard library with paths of up to three parts through which Python reaches a
// function that starts programs, runs code or opens files.
const aliasScript = `
import os, sys, subprocess, builtins, io, importlib, runpy, pickle, types, warnings
warnings.simplefilter("ignore")
skip = {"antigravity", "this", "idlelib", "lib2to3", "turtledemo", "turtle", "tkinter", "ensurepip", "__phello__"}
ends = [(m, n) for m, names in [(os, "system popen remove"), (subprocess, "Popen"), (builtins, "eval exec open"),
        (io, "open"), (importlib, "import_module"), (runpy, "run_path"), (pickle, "loads")] for n in names.split()]
def paths(at, depth, seen):
    for m, n in ends:
        if m is at: yield n
    if depth == 0: return
    for alias, value in sorted(vars(at).items()):
        if isinstance(value, types.ModuleType) and id(value) not in seen and alias[:2] != "__":
            for path in paths(value, depth - 1, seen | {id(value)}): yield alias + "." + path
        for m, n in ends:
            if value is getattr(m, n) and at is not m: yield alias
for name in sorted(sys.stdlib_module_names - skip):
    try: module = importlib.import_module(name)
    except Exception: continue
    for i, path in enumerate(sorted(set(paths(module, 3, {id(module)})), key=lambda p: (p.count("."), p))):
        if i < 40: print(name, path)
`

// TestVariantsAliases checks that what Python resolves to a dangerous function is dangerous, in every form of an import.
func TestVariantsAliases(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	out, err := exec.Command(python, "-c", aliasScript).Output()
	if err != nil {
		t.Skipf("python3 is older than 3.10: %v", err)
	}
	n := 0
	for line := range strings.Lines(string(out)) {
		module, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		holder, last, deep := cutLast(name)
		forms := []string{
			proto(4) + stack(module, name) + str("x") + "\x85R.",
			proto(2) + glob(module, name) + uni("x") + "\x85R.",
			"(S'x'\ni" + module + "\n" + name + "\n.",
			proto(5) + str(name) + "\x940" + str(module) + "h\x00\x93.",
		}
		if deep {
			forms = append(forms, proto(4)+stack("builtins", "getattr")+stack(module, holder)+str(last)+"\x86R.")
		}
		for i, form := range forms {
			if r := analyzed(t, []byte(form)); r.Verdict != Dangerous {
				t.Errorf("%s.%s in form %d is %s", module, name, i, r.Verdict)
			}
			n++
		}
	}
	if n < 2000 {
		t.Errorf("only %d variants", n)
	}
}

// cutLast splits a dotted name before its last part.
func cutLast(name string) (holder, last string, dotted bool) {
	i := strings.LastIndexByte(name, '.')
	return name[:max(i, 0)], name[i+1:], i >= 0
}

// TestNotAliases checks names that resemble aliases.
func TestNotAliases(t *testing.T) {
	for _, name := range []string{
		"mymodel.os_layer", "mymodel.OS", "mymodel.Net._osmosis", "argparse._osx.system", "mymodel._os_.x", "argparse.Action",
		"random.Random_", "collections.User", "enum.IntEnum", "mymodel.sysconfig_", "mymodel.Popen_", "typing.Lists",
		"mymodel.code.Tokenizer", "mymodel.io.Reader", "mymodel.operator.Add", "mymodel.logging.Meter", "mymodel.profile.Profile",
	} {
		module, attribute := split(name)
		if im := judged(t, module, attribute, nil); im.Verdict != Suspicious {
			t.Errorf("%s is %s: %s", name, im.Verdict, im.Why())
		}
		p := &Policy{Allow: []string{"mymodel.*"}}
		if im := judged(t, module, attribute, p); strings.HasPrefix(name, "mymodel.") && im.Verdict != Safe {
			t.Errorf("%s is %s although its tree is allowed: %s", name, im.Verdict, im.Why())
		}
	}
	for _, name := range []string{"mymodel os.system", "mymodel _sys.modules", "mymodel a.subprocess.Popen"} {
		module, attribute, _ := strings.Cut(name, " ")
		if im := judged(t, module, attribute, &Policy{Allow: []string{"mymodel.*"}}); im.Verdict != Dangerous {
			t.Errorf("%s is %s although only a tree is allowed", name, im.Verdict)
		}
	}
}
