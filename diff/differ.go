// Comparing two lists of tensors.

package diff

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/store"
)

// A Differ compares tensors with options. The zero Differ has the defaults. A Differ is safe for
// concurrent use.
type Differ struct {
	// HeadersOnly compares only names, dtypes and shapes, and reads no data.
	HeadersOnly bool

	// Values compares values if bytes or dtypes differ.
	Values bool

	// Absolute and Relative are the tolerance: b is close enough to a if
	// |a-b| <= Absolute + Relative*|a|. 0 and 0 require equal values.
	Absolute, Relative float64

	// Parallel is the number of tensors that are compared concurrently. 0 means GOMAXPROCS.
	Parallel int

	// Progress is called with numbers of bytes of a that were compared, from any goroutine.
	// nil means that it is not called.
	Progress func(bytes int64)
}

// Checkpoints yields the changes from a to b, by name. It ends after the first error. Tensors of files that their
// stores know to be the same are equal, and not read; see [store.SameBytes].
func Checkpoints(ctx context.Context, a, b *checkpoint.Checkpoint) iter.Seq2[*Change, error] {
	return new(Differ).Checkpoints(ctx, a, b)
}

// Checkpoints is like the function [Checkpoints], with the options of d.
func (d *Differ) Checkpoints(ctx context.Context, a, b *checkpoint.Checkpoint) iter.Seq2[*Change, error] {
	return func(yield func(*Change, error) bool) {
		var lists [2][]*safetensors.Tensor
		for i, cp := range []*checkpoint.Checkpoint{a, b} {
			for t, err := range cp.Tensors(ctx) {
				if err != nil { // otherwise an unreadable shard would look like one without tensors
					yield(nil, err)
					return
				}
				lists[i] = append(lists[i], t.Tensor)
			}
		}
		d.Tensors(ctx, lists[0], lists[1])(yield)
	}
}

// Tensors is like Checkpoints for two lists of tensors. Names in a list must be unique.
func (d *Differ) Tensors(ctx context.Context, a, b []*safetensors.Tensor) iter.Seq2[*Change, error] {
	return func(yield func(*Change, error) bool) {
		pairs, err := pair(a, b)
		if err == nil && !d.HeadersOnly {
			pairs, err = d.renames(ctx, pairs)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		for _, r := range bytesio.Ahead(ctx, d.parallel(), len(pairs), func(ctx context.Context, i int) result {
			return d.compare(ctx, pairs[i])
		}) {
			switch {
			case r.err != nil:
				yield(nil, r.err)
				return
			case r.change != nil && !yield(r.change, nil):
				return
			}
		}
		if ctx.Err() != nil {
			yield(nil, context.Cause(ctx))
		}
	}
}

func (d *Differ) parallel() int {
	if d.Parallel > 0 {
		return d.Parallel
	}
	return runtime.GOMAXPROCS(0)
}

// A couple is a tensor of a and the tensor of b with the same name, or after renaming. One of them is
// nil if it does not exist.
type couple struct{ a, b *safetensors.Tensor }

// name returns the name of the couple.
func (c couple) name() string {
	if c.a == nil {
		return c.b.Name
	}
	return c.a.Name
}

// pair returns the couples of two lists, by name.
func pair(a, b []*safetensors.Tensor) ([]couple, error) {
	byName := make(map[string]couple, max(len(a), len(b)))
	for _, t := range a {
		if byName[t.Name].a != nil {
			return nil, twice(t.Name)
		}
		byName[t.Name] = couple{a: t}
	}
	for _, t := range b {
		c := byName[t.Name]
		if c.b != nil {
			return nil, twice(t.Name)
		}
		c.b = t
		byName[t.Name] = c
	}
	pairs := make([]couple, 0, len(byName))
	for _, c := range byName {
		pairs = append(pairs, c)
	}
	sortByName(pairs)
	return pairs, nil
}

func twice(name string) error {
	return fmt.Errorf("diff: two tensors are called %s; rename or remove one of them", wording.Quote(name))
}

func sortByName(pairs []couple) {
	slices.SortFunc(pairs, func(x, y couple) int {
		switch a, b := x.name(), y.name(); {
		case a < b:
			return -1
		case a > b:
			return +1
		}
		return 0
	})
}

// A result is the outcome of comparing a couple: no change, one, or an error.
type result struct {
	change *Change
	err    error
}

// compare compares a couple, and stops when the result is known.
func (d *Differ) compare(ctx context.Context, c couple) result {
	change := &Change{Name: c.name()}
	switch {
	case c.b == nil:
		change.Kind, change.A = Removed, &c.a.TensorInfo
		return result{change: change}
	case c.a == nil:
		change.Kind, change.B = Added, &c.b.TensorInfo
		return result{change: change}
	}
	change.A, change.B = &c.a.TensorInfo, &c.b.TensorInfo
	sameShape := slices.Equal(c.a.Shape, c.b.Shape)
	switch {
	case c.a.Name != c.b.Name:
		change.Kind = Renamed // detected by its bytes, so nothing is left to compare
		return result{change: change}
	case !sameShape:
		change.Kind = Reshaped
	case c.a.Dtype != c.b.Dtype:
		change.Kind = Retyped
	case d.HeadersOnly:
		return result{}
	default:
		change.Kind = Changed
	}
	if d.HeadersOnly {
		return result{change: change}
	}
	if change.Kind == Changed && store.SameBytes(c.a.ReaderAt, c.b.ReaderAt) {
		if d.Progress != nil {
			d.Progress(c.a.Size())
		}
		return result{}
	}
	var err error
	switch {
	case d.Values && sameShape:
		change.SameBytes, change.Values, err = d.values(ctx, c)
	case c.a.Size() == c.b.Size():
		change.SameBytes, err = d.bytes(ctx, c)
	}
	switch {
	case err != nil:
		return result{err: err}
	case change.Kind == Changed && change.SameBytes:
		return result{}
	}
	return result{change: change}
}
