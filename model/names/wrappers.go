// Wrappers: what programs put into names when they wrap a model or a module.

package names

import "strings"

// A Wrapper is a part of names that says how a model was wrapped when it was saved. Loaders do not expect it.
type Wrapper struct {
	Mark string // the part, with the dot behind it: "_orig_mod."
	Of   string // what puts it there: "torch.compile"
}

// Anywhere reports whether the mark means the wrapper wherever it is in a name, not only at the beginning.
func (w Wrapper) Anywhere() bool { return strings.HasPrefix(w.Mark, "_") }

// Wrappers returns all wrappers that the tables know. The caller must not change them.
func Wrappers() []Wrapper { return tables().wrappers }

// unwrap removes the marks of wrappers that mean one anywhere, and calls found for each wrapper that the name has.
func (t *tableSet) unwrap(name string, found func(w *Wrapper)) string {
	if !strings.Contains(name, "_") {
		return name
	}
	for i := range t.wrappers {
		w := &t.wrappers[i]
		if !w.Anywhere() || !strings.Contains(name, w.Mark) {
			continue
		}
		if rest := removeElements(name, w.Mark); len(rest) < len(name) {
			name = rest
			found(w)
		}
	}
	return name
}

// removeElements removes a mark where it begins an element of a name.
func removeElements(name, mark string) string {
	var b strings.Builder
	for rest := name; ; {
		before, after, ok := strings.Cut(rest, mark)
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		if before != "" && before[len(before)-1] != '.' {
			b.WriteString(mark)
		}
		rest = after
	}
}

// WrappersOf returns the wrappers whose marks make up the beginning of names, as [Fit.Extra] has it, and the rest that
// no wrapper explains.
func WrappersOf(prefix string) (found []Wrapper, rest string) {
	for again := true; again; {
		again = false
		for _, w := range Wrappers() {
			if after, ok := strings.CutPrefix(prefix, w.Mark); ok {
				found, prefix, again = append(found, w), after, true
			}
		}
	}
	return found, prefix
}
