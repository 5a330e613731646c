// Changes between arbitrary lists of tensors, against their definitions.

package diff

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/weightools/safetensors"
)

// fuzzedTensors makes tensors of bytes: for each a name, a kind and one value for all elements.
func fuzzedTensors(t *testing.T, plan []byte) (list []*safetensors.Tensor) {
	seen := make(map[byte]bool)
	for p := range slices.Chunk(plan[:min(len(plan), 60)/3*3], 3) {
		name, kind, value := p[0]%16, p[1]%4, int16(p[2])
		if seen[name] {
			continue
		}
		seen[name] = true
		shape := [][]int64{{2, 3}, {3, 2}, {6}, {2, 3}}[kind]
		text := string('a' + rune(name))
		if kind == 3 {
			v := float32(value)
			list = append(list, tensor(t, text, []float32{v, v, v, v, v, v}, shape...))
			continue
		}
		list = append(list, tensor(t, text, []int16{value, value, value, value, value, value + 1}, shape...))
	}
	return list
}

// FuzzTensors checks each change against its definition, that no other tensor has changed, and that the other
// direction has the opposite changes.
func FuzzTensors(f *testing.F) {
	f.Add([]byte{0, 0, 1, 1, 0, 2, 2, 3, 3}, []byte{0, 0, 1, 1, 1, 2, 4, 3, 3})
	f.Add([]byte{0, 0, 1, 1, 0, 1}, []byte{2, 0, 1, 3, 0, 1})
	f.Add([]byte{}, []byte{0, 3, 9})
	f.Fuzz(func(t *testing.T, one, other []byte) {
		a, b := fuzzedTensors(t, one), fuzzedTensors(t, other)
		d := &Differ{Values: true, Parallel: 2}
		changed := make(map[string]bool) // names in a
		last := ""
		kinds := make(map[Kind]int)
		for c, err := range d.Tensors(t.Context(), a, b) {
			if err != nil {
				t.Fatal(err)
			}
			if c.Name < last {
				t.Errorf("%q follows %q", c.Name, last)
			}
			last = c.Name
			kinds[c.Kind]++
			checkFuzzedChange(t, c, a, b)
			if c.A != nil {
				changed[c.A.Name] = true
			}
		}
		for _, x := range a {
			if y := named(b, x.Name); !changed[x.Name] && (y == nil || !sameTensor(x, y)) {
				t.Errorf("%q has changed, and is not reported", x.Name)
			}
		}
		if n := len(a) - kinds[Removed] + kinds[Added]; n != len(b) {
			t.Errorf("%d tensors with %v make %d, not %d", len(a), kinds, n, len(b))
		}
		back := make(map[Kind]int)
		for c := range d.Tensors(t.Context(), b, a) {
			back[c.Kind]++
		}
		back[Added], back[Removed] = back[Removed], back[Added]
		for _, k := range []Kind{Removed, Added, Renamed, Reshaped, Retyped, Changed} {
			if kinds[k] != back[k] {
				t.Errorf("%d are %s, and %d in the other direction", kinds[k], k, back[k])
			}
		}
		for c, err := range d.Tensors(t.Context(), a, a) {
			t.Errorf("a tensor differs from itself: %+v, %v", c, err)
		}
	})
}

// named returns the tensor of that name, or nil.
func named(list []*safetensors.Tensor, name string) *safetensors.Tensor {
	if i := slices.IndexFunc(list, func(x *safetensors.Tensor) bool { return x.Name == name }); i >= 0 {
		return list[i]
	}
	return nil
}

// sameTensor reports whether dtypes, shapes and bytes are equal.
func sameTensor(x, y *safetensors.Tensor) bool {
	one, _ := x.Bytes()
	other, _ := y.Bytes()
	return x.Dtype == y.Dtype && slices.Equal(x.Shape, y.Shape) && bytes.Equal(one, other)
}

// checkFuzzedChange checks one change against the tensors.
func checkFuzzedChange(t *testing.T, c *Change, a, b []*safetensors.Tensor) {
	t.Helper()
	x, y := named(a, c.Name), named(b, c.Name)
	ok := false
	switch c.Kind {
	case Removed:
		ok = x != nil && y == nil && c.A != nil && c.B == nil
	case Added:
		ok = x == nil && y != nil && c.A == nil && c.B != nil
	case Renamed:
		to := named(b, c.B.Name)
		ok = x != nil && y == nil && named(a, to.Name) == nil && sameTensor(x, to)
	case Reshaped:
		ok = !slices.Equal(x.Shape, y.Shape)
	case Retyped:
		ok = slices.Equal(x.Shape, y.Shape) && x.Dtype != y.Dtype
	case Changed:
		ok = slices.Equal(x.Shape, y.Shape) && x.Dtype == y.Dtype && !sameTensor(x, y)
	}
	if !ok {
		t.Errorf("%q is not %s", c.Name, c.Kind)
	}
	if v := c.Values; v != nil {
		if v.Count != 6 || v.Differ > v.Count || v.Beyond != v.Differ || v.Odd != 0 || (v.MaxDelta > 0) != (v.At >= 0) ||
			(v.Differ > 0) != (v.MaxDelta > 0) || math.IsNaN(v.MaxDelta) {
			t.Errorf("%q: %+v", c.Name, v)
		}
	}
}
