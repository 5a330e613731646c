// Applying an edit to tensors: selecting, renaming and casting them.

package edit

import (
	"fmt"
	"maps"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/parts"
	"github.com/weightools/safetensors/internal/wording"
)

// A Change is a tensor before and after an edit.
type Change struct {
	Was *safetensors.Tensor // as the source has it
	Now *safetensors.Tensor // as it will be written; nil if it is dropped

	// How says how the bytes of Now are arranged, if they are not those of Was; "" if they are, or are only cast. From
	// has the tensors that Now is made of if there are several. Into is the name of the first tensor that Was is a part
	// of, if Now is nil for that reason.
	How  string
	From []*safetensors.Tensor
	Into string

	// Packed is set if a cast of weights skips this one, of another dtype, because it is part of a packed weight.
	Packed bool
}

// cast reports whether the tensor is converted to another dtype.
func (c *Change) cast() bool { return c.Now != nil && c.Now.Dtype != c.Was.Dtype }

// Apply returns the change of each tensor, in their order. It reads none of them: a
// tensor that is cast is converted when it is read, and then an element that its dtype
// cannot hold is an error.
//
// A cast skips packed weights and their scales: quantized values mean nothing without their
// scales, and rounded scales change every value. A Cast with the dtype of packed values as From
// is refused.
//
// An error wraps [ErrRefused] if a pattern, a Rename or a Cast applies to no tensor, if
// two tensors would have one name, or if no tensor would be left.
func (e *Edit) Apply(tensors []*safetensors.Tensor) ([]Change, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	a := newApplication(e, tensors)
	changes := make([]Change, len(tensors))
	for i, t := range tensors {
		changes[i].Was = t
		if !a.stays(t.Name) {
			continue
		}
		now, err := a.convert(&changes[i])
		if err != nil {
			return nil, err
		}
		if name := a.rename(t.Name); name != t.Name {
			now = now.Rename(name)
		}
		changes[i].Now = now
	}
	if err := a.idle(); err != nil {
		return nil, err
	}
	return changes, sound(changes)
}

// An application is an edit while it is applied. It records which patterns, renames and
// casts have applied to a tensor.
type application struct {
	*Edit
	keep, drop, castKeep filter
	renamed, cast, taken []bool // a cast may take a tensor that has its dtype
	tensors              []*safetensors.Tensor
	packing              parts.Packing
	packed               int // tensors that were not cast
}

// A filter is a list of patterns, and which of them have matched.
type filter struct {
	patterns []Pattern
	matched  []bool
}

func newFilter(patterns []Pattern) filter { return filter{patterns, make([]bool, len(patterns))} }

// match reports whether a pattern matches. It tries all patterns, to find those that
// never match.
func (f *filter) match(name string) (any bool) {
	for i, p := range f.patterns {
		if p.Match(name) {
			any, f.matched[i] = true, true
		}
	}
	return any
}

// idle returns a pattern that has not matched, or nil.
func (f *filter) idle() Pattern {
	for i, p := range f.patterns {
		if !f.matched[i] {
			return p
		}
	}
	return nil
}

func newApplication(e *Edit, tensors []*safetensors.Tensor) *application {
	a := &application{
		Edit: e, keep: newFilter(e.Keep), drop: newFilter(e.Drop), castKeep: newFilter(e.CastKeep),
		renamed: make([]bool, len(e.Rename)), cast: make([]bool, len(e.Cast)),
		taken: make([]bool, len(e.Cast)), tensors: tensors,
	}
	if len(e.Cast) > 0 {
		a.packing = parts.PackingOf(func(yield func(*safetensors.TensorInfo) bool) {
			for _, t := range tensors {
				if !yield(&t.TensorInfo) {
					return
				}
			}
		})
	}
	return a
}

// stays reports whether the named tensor is kept.
func (a *application) stays(name string) bool {
	kept, dropped := a.keep.match(name), a.drop.match(name)
	return (kept || len(a.Keep) == 0) && !dropped
}

// rename returns the new name of a tensor.
func (a *application) rename(name string) string {
	for i, r := range a.Rename {
		if r.From.MatchString(name) {
			a.renamed[i] = true
			name = r.From.ReplaceAllString(name, r.To)
		}
	}
	return name
}

// convert returns the tensor after casts. A cast that names the tensor's dtype takes
// precedence.
func (a *application) convert(change *Change) (*safetensors.Tensor, error) {
	t := change.Was
	if a.castKeep.match(t.Name) {
		return t, nil
	}
	chosen := -1
	for i, c := range a.Cast {
		if c.takes(t.Dtype) && (chosen < 0 || c.From != "") {
			chosen = i
		}
	}
	if chosen < 0 {
		a.pass(change)
		return t, nil
	}
	if role, packed := a.packing.Has(t.Name); packed {
		if role.Holds() {
			return nil, refuse("cast %s would change tensor %s, which is quantized, without its scales: leave it out with a "+
				"cast-keep pattern", &a.Cast[chosen], quote(t.Name))
		}
		a.packed++
		change.Packed = true
		return t, nil
	}
	a.taken[chosen] = true
	a.cast[chosen] = a.cast[chosen] || t.Dtype != a.Cast[chosen].To
	now, err := (&safetensors.Converter{Saturate: a.Saturate}).Convert(t, a.Cast[chosen].To)
	if err != nil {
		return nil, refusal{err}
	}
	return now, nil
}

// pass marks a tensor that no cast takes, if it is part of a packed weight and a cast of weights was asked for.
func (a *application) pass(change *Change) {
	t := &change.Was.TensorInfo
	if !slices.ContainsFunc(a.Cast, func(c Cast) bool { return c.From == "" && c.To != t.Dtype }) {
		return
	}
	if _, packed := a.packing.Has(t.Name); packed {
		a.packed++
		change.Packed = true
	}
}

// idle returns an error if a pattern, a rename or a cast has applied to no tensor.
func (a *application) idle() error {
	const whole = "a pattern must match the whole name"
	for _, f := range []struct {
		*filter
		what string
	}{{&a.keep, "keep"}, {&a.drop, "drop"}, {&a.castKeep, "cast-keep"}} {
		if p := f.idle(); p != nil {
			return a.unmatched(p.String(), fmt.Sprintf("no tensor matches the %s pattern %q: %s", f.what, p, whole))
		}
	}
	for i := range a.Rename {
		if !a.renamed[i] {
			return a.unmatched(a.Rename[i].From.String(),
				fmt.Sprintf("no tensor name matches %q, so nothing would be renamed", &a.Rename[i]))
		}
	}
	for i := range a.Cast {
		if !a.cast[i] && a.packed > 0 {
			return refuse("cast %s applies to no tensor: packed weights and their scales, here %s, keep their dtypes",
				&a.Cast[i], wording.Count(a.packed, "tensor"))
		}
		if !a.taken[i] {
			return a.unmatched("", fmt.Sprintf("cast %s applies to no tensor", &a.Cast[i]))
		}
	}
	return nil
}

// An UnmatchedError says that a pattern, a Rename or a Cast applies to no tensor. It wraps [ErrRefused].
type UnmatchedError struct {
	Pattern string // "" for a Cast
	Tensors []*safetensors.Tensor
	text    string
}

// Error names the pattern.
func (e *UnmatchedError) Error() string { return "edit: " + e.text }

// Unwrap returns ErrRefused.
func (e *UnmatchedError) Unwrap() error { return ErrRefused }

// unmatched returns the error of something that applies to no tensor.
func (a *application) unmatched(pattern, text string) error {
	return &UnmatchedError{pattern, a.tensors, text}
}

// sound returns an error if the changed tensors cannot form a checkpoint.
func sound(changes []Change) error {
	names := make(map[string]int, len(changes))
	for i := range changes {
		now := changes[i].Now
		if now == nil {
			continue
		}
		if first, taken := names[now.Name]; taken {
			return collision(&changes[first], &changes[i])
		}
		names[now.Name] = i
		if now.Name == "__metadata__" {
			return refuse("tensor %s would be called __metadata__, which is a reserved name", quote(changes[i].Was.Name))
		}
	}
	if len(names) == 0 && len(changes) > 0 {
		return refuse("none of %d tensors would be left", len(changes))
	}
	return nil
}

// collision returns the error that two tensors would have one name.
func collision(a, b *Change) error {
	if a.Was.Name == b.Was.Name {
		return refuse("two tensors are called %s", quote(a.Was.Name))
	}
	return refuse("tensors %s and %s would both be called %s", quote(a.Was.Name), quote(b.Was.Name), quote(a.Now.Name))
}

// metadata returns the new metadata of a file, in a new map. It is nil if the file had none
// and nothing is set.
func (e *Edit) metadata(was map[string]string) map[string]string {
	now := make(map[string]string, len(was)+len(e.Set))
	if e.Fix {
		now["format"] = "pt"
	}
	maps.Copy(now, was)
	maps.Copy(now, e.Set)
	for _, k := range e.Unset {
		delete(now, k)
	}
	if was == nil && len(now) == 0 {
		return nil
	}
	return now
}

// metadata returns the metadata with what was made for it.
func (o *Output) metadata(now map[string]string) map[string]string {
	if len(o.Set) > 0 && now == nil {
		now = make(map[string]string)
	}
	maps.Copy(now, o.Set)
	for _, k := range o.Unset {
		delete(now, k)
	}
	return now
}
