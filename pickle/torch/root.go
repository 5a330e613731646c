// The root: the part of a checkpoint with the weights.

package torch

import (
	"strings"

	"github.com/weightools/safetensors/pickle"
)

// rootKeys are the keys under which training programs store weights, in order of priority.
var rootKeys = [...]string{"state_dict", "model_state_dict", "model", "module", "net", "params_ema", "params", "ema"}

// root returns the value to take tensors from, and records the values outside it.
func (f *file) root(w *walker, top pickle.Value) (pickle.Value, error) {
	switch {
	case f.opts.All:
		return top, nil
	case f.opts.Root != "":
		return f.at(w, top, f.opts.Root)
	case top.Kind() != pickle.KindDict && !isMappingValue(top):
		return top, nil
	}
	children := w.children(top)
	for _, key := range rootKeys {
		for i, c := range children {
			if c.name != key || c.odd != "" || w.isTensor(c.v) {
				continue
			}
			t, err := w.count(c.v)
			if err != nil {
				return top, err
			}
			if t.tensors > 0 {
				f.Root = key
				return c.v, f.leave(w, "", children, i)
			}
		}
	}
	return top, nil
}

// isMappingValue reports whether a value is an OrderedDict or similar.
func isMappingValue(v pickle.Value) bool {
	c, ok := v.Called()
	return ok && isMapping(c)
}

// at returns the value at a path. Keys can contain dots, so at each step the longest matching key is used.
func (f *file) at(w *walker, top pickle.Value, path string) (pickle.Value, error) {
	v, done, rest := top, "", path
	for rest != "" {
		children := w.children(v)
		best := -1
		for i, c := range children {
			fits := c.odd == "" && c.name != "" && (rest == c.name || strings.HasPrefix(rest, c.name+"."))
			if fits && (best < 0 || len(c.name) > len(children[best].name)) {
				best = i
			}
		}
		if best < 0 {
			detail := "there is no " + quoted(path) + choices(children)
			return top, &FormatError{Detail: detail, is: ErrNoRoot}
		}
		if err := f.leave(w, done, children, best); err != nil {
			return top, err
		}
		v = children[best].v
		done += children[best].name + "."
		rest = strings.TrimPrefix(rest[len(children[best].name):], ".")
	}
	f.Root = path
	return v, nil
}

// choices lists the first children, as the end of a message.
func choices(children []child) string {
	const most = 8
	var names []string
	for _, c := range children {
		if len(names) == most {
			names = append(names, "…")
			break
		}
		if c.odd == "" {
			names = append(names, quoted(c.name))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; available: " + strings.Join(names, ", ")
}

// leave records all children but one, which are outside the root.
func (f *file) leave(w *walker, prefix string, children []child, but int) error {
	for i, c := range children {
		if i == but {
			continue
		}
		t, err := w.count(c.v)
		if err != nil {
			return err
		}
		name := c.name
		if c.odd != "" {
			name = "(" + c.odd + ")"
		}
		f.skip(skipped(prefix+name, c.v, t))
	}
	return nil
}
