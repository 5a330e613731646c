// The built-in lists: policy.txt, read once.

// Package names judges the names that pickles import: by lists of names that are
// allowed, doubtful and dangerous, and by what a name itself gives away.
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

// A Level is how a name is judged.
type Level uint8

// The levels, in ascending order.
const (
	Safe Level = iota
	Suspicious
	Dangerous
)

// An Entry is what a list says of a name.
type Entry struct {
	Use       Use
	Signature string // of the arguments, for the uses that have one
	name      string // without the ".*" of a tree
	tree      bool
	level     Level
	family    string // why it is dangerous or doubtful
}

// String returns the name as it stands in the list.
func (e *Entry) String() string {
	if e.tree {
		return e.name + ".*"
	}
	return e.name
}

// A list is names and trees of names.
type list struct{ exact, trees map[string]*Entry }

// newList returns an empty list.
func newList() list { return list{map[string]*Entry{}, map[string]*Entry{}} }

// keep puts an entry into the list.
func (l list) keep(e *Entry) {
	if e.tree {
		l.trees[e.name] = e
	} else {
		l.exact[e.name] = e
	}
}

// A Profile is a list that is off unless a policy names it.
type Profile struct {
	Name, Text string
	list
}

// lists are all built-in lists. Nothing changes them.
type lists struct {
	list
	profiles []*Profile
	families map[string]string
	roots    map[string]bool // the first parts of dangerous names
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
	for old, name := range renamed().modules {
		first, _, _ := strings.Cut(name, ".")
		l.roots[old] = l.roots[old] || l.roots[first]
	}
	return l
})

// read reads a line into a list. The text is part of the program: a line that
// cannot be read is a mistake in it, which the first test meets.
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

// use returns the use of a name.
func use(word string) Use {
	u, ok := uses[word]
	if !ok {
		panic(fmt.Sprintf("names: policy.txt: there is no use %q", word))
	}
	return u
}

// Profiles returns the profiles. They must not be changed.
func Profiles() []*Profile { return builtin().profiles }

// profile returns the profile of a name, nil if there is none.
func (l *lists) profile(name string) *Profile {
	if i := slices.IndexFunc(l.profiles, func(p *Profile) bool { return p.Name == name }); i >= 0 {
		return l.profiles[i]
	}
	return nil
}
