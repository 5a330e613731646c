// Verdicts on names: the order of the lists, and signs in the name itself.

package names

import (
	"bytes"
	"cmp"
	"iter"
	"strings"
)

// The reasons for a judgement. They are rules of package pickle.
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

// A Judgement is the verdict on a name.
type Judgement struct {
	Level  Level
	Reason string
	Entry  *Entry // the entry that decided, nil if none did
	Text   string // the text of the deciding entry, "" if no list decided
}

// judge judges a dotted name. The first match decides: the user's policy, exact names, profiles, double underscores,
// prefixes of the name, trees. Only whole parts of a name match: "osx" is not in "os".
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

// of returns the judgement for an entry.
func of(e *Entry) Judgement {
	return Judgement{e.level, [...]string{Allowed, Doubtful, Denied}[e.level], e, e.String()}
}

// find returns the entry that allows a name. A tree allows only classes, recognized by their capital letter.
func (p *Profile) find(name string) *Entry {
	if e := p.exact[name]; e != nil {
		return e
	}
	last := strings.TrimLeft(name[strings.LastIndexByte(name, '.')+1:], "_")
	last = strings.TrimPrefix(last, "pyx_unpickle_") // Cython's functions that create an object of a class
	if last == "" || last[0] < 'A' || last[0] > 'Z' || hasDunder(name) {
		return nil
	}
	for prefix := range prefixes(name) {
		if e := builtin().trees[prefix]; e != nil {
			return nil // denied within the tree
		}
		if e := p.trees[prefix]; e != nil && prefix != name {
			return e
		}
	}
	return nil
}

// hasDunder reports whether a part of a dotted name starts and ends with two underscores. Some top-level modules with
// such names are ordinary modules: the main program, and the namespaces of TorchScript and Python 2.
func hasDunder(name string) bool {
	first := true
	for part := range strings.SplitSeq(name, ".") {
		if IsDunder(part) && !(first && dunderModules[part]) {
			return true
		}
		first = false
	}
	return false
}

var dunderModules = map[string]bool{
	"__main__": true, "__mp_main__": true, "__torch__": true, "__builtin__": true, "__future__": true,
}

// reexported are modules that other modules import and thereby expose, with names that have no other meaning.
var reexported = map[string]bool{
	"os": true, "sys": true, "subprocess": true, "builtins": true, "posix": true, "nt": true,
	"importlib": true, "ctypes": true, "shutil": true, "socket": true, "pickle": true, "_pickle": true, "marshal": true,
	"runpy": true, "pty": true, "multiprocessing": true, "asyncio": true, "inspect": true, "operator": true,
	"functools": true,

	// Attributes of functions, generators and frames that lead to the variables of a module.
	"func_globals": true, "gi_frame": true, "cr_frame": true, "ag_frame": true, "tb_frame": true, "f_back": true,
	"f_globals": true, "f_builtins": true, "f_locals": true,
}

// abbreviations are usual names under which modules import others.
var abbreviations = map[string]string{
	"np": "numpy", "pd": "pandas", "tf": "tensorflow", "th": "torch", "sp": "subprocess", "mp": "multiprocessing",
	"osp": "os.path", "bltns": "builtins", "pkl": "pickle",
}

// starters are functions that start programs or load code, under names that have hardly any other meaning.
var starters = map[string]bool{
	"Popen": true, "check_call": true, "check_output": true, "getoutput": true,
	"getstatusoutput": true, "posix_spawn": true, "execv": true, "execve": true, "execvp": true, "rmtree": true,
	"import_module": true, "run_path": true, "run_module": true, "urlopen": true, "urlretrieve": true,
	"_builtin_open": true,
}

// maxParts and maxLength limit the number of parts and the length of a name that is examined. Real names have less than
// a tenth of it; longer ones are circular, such as os.path.os.path.os.
const (
	maxParts  = 32
	maxLength = 1024
)

// judgePath judges a name in a module. The name can lead through modules that the module has imported: in
// torch.library, "torch.utils.collect_env.run" is torch.utils.collect_env.run. Only names that a list allows one by one
// are exempt: whoever allows a tree does not mean the modules that its modules import.
func (c *Policy) judgePath(module, name string) Judgement {
	full := Join(module, name)
	if len(full) > maxLength || strings.Count(full, ".") > maxParts {
		return Judgement{Level: Dangerous, Reason: Computed}
	}
	j := c.judge(full)
	if j.Level == Dangerous || j.Level == Safe && (j.Entry == nil && j.Text == full || j.Entry != nil && !j.Entry.tree) {
		return j
	}
	if text := passesThrough(module, name); text != "" {
		return Judgement{Dangerous, Reexported, nil, text}
	}
	return j
}

// passesThrough returns the entry of the dangerous name that a name in a module leads to through imported modules, or
// "".
func passesThrough(module, name string) string {
	if text := dangerousTarget(Join(module, name)); text != "" {
		return text
	}
	roots := builtin().roots
	for rest := name; ; {
		first, tail, more := strings.Cut(rest, ".")
		if bare := strings.TrimLeft(first, "_"); reexported[first] || reexported[bare] {
			return bare + ".*"
		}
		if !more {
			if starters[first] {
				return first
			}
			return ""
		}
		if long, ok := abbreviations[first]; ok {
			rest = long + "." + tail
		}
		if first, _, _ = strings.Cut(rest, "."); !roots[first] {
			rest = tail
			continue
		}
		if inner := none.judge(rest); inner.Level == Dangerous {
			return cmp.Or(inner.Text, rest)
		}
		if text := dangerousTarget(rest); text != "" {
			return text
		}
		rest = tail
	}
}

// dangerousTarget returns the entry of a dangerous name that a name resolves to, or "".
func dangerousTarget(name string) string {
	for _, target := range targets(name) {
		if j := none.judge(target); j.Level == Dangerous {
			return cmp.Or(j.Text, target)
		}
	}
	return ""
}

// An Import is a name as written and as Python 3 resolves it.
type Import struct {
	Module, Name                 string
	ResolvedModule, ResolvedName string
}

// Imported returns the import of a name that Python 3 does not rename.
func Imported(module, name string) Import { return Import{module, name, module, name} }

// Judge judges both forms of an import and returns the worse verdict. Python 2 loaders use the name as written, and
// other loaders may resolve names that Python 3 does not. A name that existed only in Python 2 is in no list, which
// does not make it worse.
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

// MayBeDangerous reports whether a dotted name has the same first part as a dangerous name. It is cheap and has no
// false negatives.
func MayBeDangerous(name []byte) bool {
	first, _, _ := bytes.Cut(name, []byte("."))
	return builtin().roots[string(first)]
}

// Why explains a judgement that a list decided, where text is the deciding entry. It returns "" if the reason needs no
// explanation.
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

// Join joins a module and a name. Codes of the extension registry have no module.
func Join(module, name string) string {
	if module == "" {
		return name
	}
	return module + "." + name
}

// prefixes yields the dotted name and then its prefixes, from the longest to the shortest.
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
