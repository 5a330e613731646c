// The built-in lists, parsed from policy.txt.

// Package names decides whether the names that a pickle imports are safe, suspicious or dangerous. It uses lists, and
// properties of the names.
package names

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

//go:embed policy.txt
var policyText string

// A Level is the verdict on a name.
type Level uint8

// The levels, in ascending order.
const (
	Safe Level = iota
	Suspicious
	Dangerous
)

// An Entry is a name in a list.
type Entry struct {
	Use       Use
	Signature string // letters for the arguments, for uses that have one
	name      string // without the ".*" of a tree
	tree      bool
	level     Level
	family    string // the reason, if it is dangerous or suspicious
}

// String returns the entry as written in the list.
func (e *Entry) String() string {
	if e.tree {
		return e.name + ".*"
	}
	return e.name
}

// A list contains names and trees of names.
type list struct{ exact, trees map[string]*Entry }

// newList returns an empty list.
func newList() list { return list{map[string]*Entry{}, map[string]*Entry{}} }

// keep adds an entry to the list.
func (l list) keep(e *Entry) {
	if e.tree {
		l.trees[e.name] = e
	} else {
		l.exact[e.name] = e
	}
}

// A Profile is a list that a policy must enable.
type Profile struct {
	Name, Text string
	list
}

// lists are the built-in lists. They are immutable.
type lists struct {
	list
	profiles []*Profile
	families map[string]string
	roots    map[string]bool // first parts of dangerous names
}

var builtin = sync.OnceValue(func() *lists {
	l := &lists{list: newList(), families: map[string]string{}, roots: map[string]bool{}}
	into := l.list
	for line := range strings.Lines(policyText) {
		if name, found := strings.CutPrefix(line, "["); found {
			name, text, _ := strings.Cut(strings.TrimRight(name, "]\n"), " ")
			into = newList()
			l.profiles = append(l.profiles, &Profile{name, text, into})
			continue
		}
		l.read(strings.TrimSpace(line), into)
	}
	for name := range aliases() {
		first, _, _ := strings.Cut(name, ".")
		l.roots[first] = true
	}
	for old, name := range renamed().modules {
		first, _, _ := strings.Cut(name, ".")
		l.roots[old] = l.roots[old] || l.roots[first]
	}
	return l
})

// read parses a line of the embedded policy. It panics on an invalid line, which is a bug.
func (l *lists) read(line string, into list) {
	if line == "" || line[0] == '#' {
		return
	}
	verb, rest, _ := strings.Cut(line, " ")
	if verb == "family" {
		name, text, _ := strings.Cut(rest, " ")
		l.families[name] = text
		return
	}
	head, how, _ := strings.Cut(rest, " = ")
	words := append(strings.Fields(how), "", "")
	for _, name := range strings.Fields(head) {
		e := &Entry{}
		e.name, e.tree = strings.CutSuffix(name, ".*")
		switch verb {
		case "allow":
			e.Use, e.Signature = use(words[0]), words[1]
		case "doubt":
			e.level, e.family = Suspicious, words[0]
		case "deny":
			e.level, e.family, e.Use = Dangerous, words[0], use(words[1])
		default:
			panic(fmt.Sprintf("names: policy.txt: %q", line))
		}
		into.keep(e)
		if e.level == Dangerous {
			first, _, _ := strings.Cut(e.name, ".")
			l.roots[first] = true
		}
	}
}

// use returns a use by its word in policy.txt.
func use(word string) Use {
	u, ok := uses[word]
	if !ok {
		panic(fmt.Sprintf("names: policy.txt: unknown use %q", word))
	}
	return u
}

// Profiles returns all profiles. Callers must not change them.
func Profiles() []*Profile { return builtin().profiles }

// profile returns a profile by name, or nil.
func (l *lists) profile(name string) *Profile {
	if i := slices.IndexFunc(l.profiles, func(p *Profile) bool { return p.Name == name }); i >= 0 {
		return l.profiles[i]
	}
	return nil
}
