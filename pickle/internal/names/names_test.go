// The tables match Python's, and the lists are consistent.

package names

import (
	"os/exec"
	"strings"
	"testing"
)

func TestRenameIsPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	const script = `
import _compat_pickle as c
for (m, n), (to, name) in c.NAME_MAPPING.items(): print(m, n, to, name)
for m, to in c.IMPORT_MAPPING.items(): print(m, "anything", to, "anything")
`
	out, err := exec.Command(python, "-c", script).Output()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(out)) {
		n++
		f := strings.Fields(line)
		if m, name := Rename(f[0], f[1]); m != f[2] || name != f[3] {
			t.Errorf("%s.%s becomes %s.%s, want %s.%s", f[0], f[1], m, name, f[2], f[3])
		}
	}
	if n < 140 {
		t.Errorf("only %d names", n)
	}
	if m, name := Rename("collections", "OrderedDict"); m != "collections" || name != "OrderedDict" {
		t.Errorf("collections.OrderedDict becomes %s.%s", m, name)
	}
}

// TestEntries checks that no entry is hidden by another one.
func TestEntries(t *testing.T) {
	l := builtin()
	for name, e := range l.exact {
		if j := none.judge(name); j.Entry != e {
			t.Errorf("%s is judged by %v", name, j.Entry)
		}
		if e.level != Safe && l.families[e.family] == "" {
			t.Errorf("%s is of family %q, which has no sentence", name, e.family)
		}
	}
	for name, e := range l.trees {
		if j := none.judge(name + ".anything"); j.Entry != e || e.level == Safe {
			t.Errorf("%s.* is judged by %v", name, j.Entry)
		}
	}
	for _, p := range l.profiles {
		if p.Text == "" || len(p.exact)+len(p.trees) == 0 {
			t.Errorf("profile %s is empty", p.Name)
		}
		for name, e := range p.exact {
			if j := New([]string{p.Name}, nil, nil).judge(name); j.Entry != e || j.Level != Safe {
				t.Errorf("%s in %s is judged by %v", name, p.Name, j.Entry)
			}
		}
	}
}

func TestDunder(t *testing.T) {
	for name, want := range map[string]bool{
		"a.__b__": true, "__a__.b": true, "a.__b__.c": true, "__main__.Net": false, "a.__main__": true, "__torch__.a": false,
		"a.__b": false, "a.b__": false, "a.____": false, "a._____": true, "__builtin__.eval": false,
	} {
		if got := hasDunder(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestTargets(t *testing.T) {
	for name, want := range map[string]string{
		"argparse._os.system":         "os.system",
		"random._os":                  "os",
		"collections.abc.sys.modules": "sys.modules",
		"typing.stdlib_re.enum.sys":   "sys",
		"random._urandom":             "os.urandom posix.urandom",
		"argparse.Namespace":          "",
		"mymodel.os.system":           "",
		"":                            "",
	} {
		if got := strings.Join(targets(name), " "); got != want {
			t.Errorf("%s stands for %q, want %q", name, got, want)
		}
	}
}
