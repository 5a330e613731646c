// Judging names: the lists in their order, and what a name itself gives away.

package names

import (
	"bytes"
	"iter"
	"strings"
)

// The reasons for a judgement. They are names of rules of package pickle.
const (
	Allowed     = "allowed"
	InProfile   = "profile"
	PolicyAllow = "policy-allow"
	PolicyDeny  = "policy-deny"
	Unknown     = "unknown-import"
	Doubtful    = "doubtful-import"
	Denied      = "dangerous-import"
	Dunder      = "dunder-global"
	Attribute   = "attribute-of-allowed"
	Reexported  = "reexported-module"
	Computed    = "computed-global"
)

// A Judgement is what is thought of a name.
type Judgement struct {
	Level  Level
	Reason string
	Entry  *Entry // the entry that allows the name, or denies it; nil if none does
	Text   string // what decided, as it stands in a list: "" if no list did
}

// judge judges a dotted name. The order is: what the user says, the exact names,
// the profiles, two underscores, parts of exact names, trees. All of it goes by
// whole parts of the name: "osx" is not in "os".
func (c *Policy) judge(name string) Judgement {
	if text, ok := c.deny.cover(name); ok {
		return Judgement{Dangerous, PolicyDeny, nil, text}
	}
	if text, ok := c.allow.cover(name); ok {
		return Judgement{Safe, PolicyAllow, nil, text}
	}
	l := builtin()
	if e := l.exact[name]; e != nil {
		return of(e)
	}
	for _, p := range c.profiles {
		if e := p.find(name); e != nil {
			return Judgement{Safe, InProfile, e, p.Name}
		}
	}
	if hasDunder(name) {
		return Judgement{Level: Dangerous, Reason: Dunder}
	}
	for prefix := range prefixes(name) {
		if e := l.exact[prefix]; e != nil && e.level == Safe {
			return Judgement{Dangerous, Attribute, nil, e.String()}
		} else if e != nil {
			return Judgement{e.level, of(e).Reason, nil, e.String()}
		}
		if e := l.trees[prefix]; e != nil {
			return of(e)
		}
	}
	return Judgement{Level: Suspicious, Reason: Unknown}
}

// of returns the judgement of an entry.
func of(e *Entry) Judgement {
	return Judgement{e.level, [...]string{Allowed, Doubtful, Denied}[e.level], e, e.String()}
}

// find returns the entry that allows a name. Of a tree, only classes are
// allowed, which are written with a capital: the rest is functions and modules.
func (p *Profile) find(name string) *Entry {
	if e := p.exact[name]; e != nil {
		return e
	}
	last := strings.TrimLeft(name[strings.LastIndexByte(name, '.')+1:], "_")
	if last == "" || last[0] < 'A' || last[0] > 'Z' || hasDunder(name) {
		return nil
	}
	for prefix := range prefixes(name) {
		if e := builtin().trees[prefix]; e != nil {
			return nil // what is denied within the tree
		}
		if e := p.trees[prefix]; e != nil && prefix != name {
			return e
		}
	}
	return nil
}

// hasDunder is whether a part of a dotted name begins and ends with two
// underscores. Some modules at the root are called so and are modules like
// others: the program itself, and where TorchScript and Python 2 keep names.
func hasDunder(name string) bool {
	first := true
	for part := range strings.SplitSeq(name, ".") {
		if len(part) > 4 && strings.HasPrefix(part, "__") && strings.HasSuffix(part, "__") && !(first && dunderModules[part]) {
			return true
		}
		first = false
	}
	return false
}

var dunderModules = map[string]bool{"__main__": true, "__mp_main__": true, "__torch__": true, "__builtin__": true, "__future__": true}

// reexported are modules that others import, so that they can be reached through
// them, and whose names mean nothing else.
var reexported = map[string]bool{"os": true, "sys": true, "subprocess": true, "builtins": true, "posix": true, "nt": true,
	"importlib": true, "ctypes": true, "shutil": true, "socket": true, "pickle": true, "_pickle": true, "marshal": true,
	"runpy": true, "pty": true, "multiprocessing": true, "asyncio": true, "inspect": true, "operator": true, "functools": true}

// maxParts is how many parts a name may have that is looked at in full. None in
// use has a tenth of it; the rest go in circles, as os.path.os.path.os does.
const maxParts = 64

// judgePath judges a name of a module, which can be a path through other modules
// that it has imported: "torch.library" and "torch.utils.collect_env.run" is
// torch.utils.collect_env.run.
func (c *Policy) judgePath(module, name string) Judgement {
	full := Join(module, name)
	if strings.Count(full, ".") > maxParts {
		return Judgement{Level: Dangerous, Reason: Computed}
	}
	j := c.judge(full)
	if j.Reason != Unknown {
		return j
	}
	for rest := name; ; {
		first, tail, more := strings.Cut(rest, ".")
		if reexported[first] {
			return Judgement{Dangerous, Reexported, nil, first + ".*"}
		}
		if !more {
			return j
		}
		if inner := none.judge(rest); inner.Level == Dangerous {
			return Judgement{Dangerous, Reexported, nil, inner.Text}
		}
		rest = tail
	}
}

// An Import is a name as it is written, and as Python 3 resolves it.
type Import struct {
	Module, Name                 string
	ResolvedModule, ResolvedName string
}

// Judge judges an import as it is written and as it is resolved, and takes the
// worse: loaders of Python 2 take it as it is written, and there may be loaders
// that resolve where Python 3 does not. But a name that only Python 2 had is on
// no list, and is no worse for that.
func (c *Policy) Judge(im Import) Judgement {
	j := c.judgePath(im.ResolvedModule, im.ResolvedName)
	renamedModule, renamedName := Rename(im.Module, im.Name)
	for _, other := range [][2]string{{im.Module, im.Name}, {renamedModule, renamedName}} {
		if j.Level == Dangerous || other == [2]string{im.ResolvedModule, im.ResolvedName} {
			continue
		}
		k := c.judgePath(other[0], other[1])
		if k.Level == Dangerous && (j.Level != Safe || k.Reason == Denied || k.Reason == PolicyDeny) {
			j = k
		}
	}
	return j
}

// MayBeDangerous is whether a dotted name begins as one that the built-in lists
// call dangerous. It is cheap, and right about all that are.
func MayBeDangerous(name []byte) bool {
	first, _, _ := bytes.Cut(name, []byte("."))
	return builtin().roots[string(first)]
}

// Why says why something of this level, for this reason, is judged so, if a list
// decided by the entry of which text is given: "" if there is nothing to add to
// the reason.
func Why(reason, text string) string {
	if reason != Denied && reason != Doubtful {
		return ""
	}
	name, tree := strings.CutSuffix(text, ".*")
	e := builtin().exact[name]
	if tree {
		e = builtin().trees[name]
	}
	if e == nil {
		return ""
	}
	return builtin().families[e.family]
}

// Join joins a module and a name. A code of the extension registry has no module.
func Join(module, name string) string {
	if module == "" {
		return name
	}
	return module + "." + name
}

// prefixes yields the dotted name itself, and then what is left of it when parts
// are taken off its end one after another.
func prefixes(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for yield(name) {
			i := strings.LastIndexByte(name, '.')
			if i < 0 {
				return
			}
			name = name[:i]
		}
	}
}
