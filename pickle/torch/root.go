// The root: the part of a checkpoint with the weights.

package torch

import (
	"strings"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/torch/internal/tree"
)

// RootKeys returns the keys under which training programs store weights, in order of priority.
func RootKeys() []string {
	return []string{"state_dict", "model_state_dict", "model", "module", "net", "params_ema", "params", "ema"}
}

// root returns the value to take tensors from, and records the values outside it.
func (f *file) root(w *walker, top pickle.Value) (pickle.Value, error) {
	switch {
	case f.opts.All:
		return top, nil
	case f.opts.Root != "":
		return f.at(w, top, f.opts.Root)
	case !tree.IsDict(top):
		return top, nil
	}
	children := w.Children(top)
	for _, key := range RootKeys() {
		for i, c := range children {
			if c.Name != key || c.Odd != "" || w.isTensor(c.V) {
				continue
			}
			t, err := w.Count(c.V)
			if err != nil {
				return top, err
			}
			if t.Tensors > 0 {
				f.Root = key
				return c.V, f.leave(w, "", children, i)
			}
		}
	}
	return f.emptyRoot(w, top, children)
}

// emptyRoot returns the first value under a root key that is an empty dict, if there are no tensors at all.
func (f *file) emptyRoot(w *walker, top pickle.Value, children []tree.Child) (pickle.Value, error) {
	if t, err := w.Count(top); t.Tensors > 0 || err != nil {
		return top, err
	}
	for _, key := range RootKeys() {
		for i, c := range children {
			if c.Name == key && c.Odd == "" && w.isEmpty(c.V) {
				f.Root = key
				return c.V, f.leave(w, "", children, i)
			}
		}
	}
	return top, nil
}

// isEmpty reports whether a value is a dict or a list without tensors and values, except for the versions of module
// code in a state dict.
func (w *walker) isEmpty(v pickle.Value) bool {
	if !tree.IsDict(v) && v.Kind() != pickle.KindList && v.Kind() != pickle.KindTuple {
		return false
	}
	for _, c := range w.Children(v) {
		if c.Name != "_metadata" && !c.V.IsNone() {
			return false
		}
	}
	return true
}

// at returns the value at a path. Keys can contain dots, so at each step the longest matching key is used.
func (f *file) at(w *walker, top pickle.Value, path string) (pickle.Value, error) {
	v, done, rest := top, "", path
	for rest != "" {
		children := w.Children(v)
		best := -1
		for i, c := range children {
			fits := c.Odd == "" && c.Name != "" && (rest == c.Name || strings.HasPrefix(rest, c.Name+"."))
			if fits && (best < 0 || len(c.Name) > len(children[best].Name)) {
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
		v = children[best].V
		done += children[best].Name + "."
		rest = strings.TrimPrefix(rest[len(children[best].Name):], ".")
	}
	f.Root = path
	return v, nil
}

// choices lists the first children, as the end of a message.
func choices(children []tree.Child) string {
	const most = 8
	var names []string
	for _, c := range children {
		if len(names) == most {
			names = append(names, "…")
			break
		}
		if c.Odd == "" {
			names = append(names, quoted(c.Name))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; available: " + strings.Join(names, ", ")
}

// leave records all children but one, which are outside the root.
func (f *file) leave(w *walker, prefix string, children []tree.Child, but int) error {
	for i, c := range children {
		if i == but {
			continue
		}
		t, err := w.Count(c.V)
		if err != nil {
			return err
		}
		name := c.Name
		if c.Odd != "" {
			name = "(" + c.Odd + ")"
		}
		if err := f.omit(w, func() string { return prefix + name }, c.V, t); err != nil {
			return err
		}
	}
	return nil
}
