// Values of the pickles: dicts, shapes and numbers.

package zero

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
)

// entries calls visit with the entries of a dict or an OrderedDict whose keys are text. It reports whether v is one,
// and all keys are.
func entries(v pickle.Value, visit func(key string, value pickle.Value)) bool {
	pairs := v.Pairs()
	if c, ok := v.Called(); ok {
		if _, class, _ := c.Callee().Global(); class != "OrderedDict" && class != "defaultdict" {
			return false
		}
		pairs = c.Pairs()
	} else if v.Kind() != pickle.KindDict {
		return false
	}
	all := true
	for k, value := range pairs {
		key, ok := k.Str()
		if all = all && ok; ok {
			visit(key, value)
		}
	}
	return all
}

// get returns the value of a key of a dict. It is of KindUnknown if there is none.
func get(v pickle.Value, key string) (found pickle.Value) {
	entries(v, func(k string, value pickle.Value) {
		if k == key {
			found = value
		}
	})
	return found
}

// whole returns an int, or the value of an enum.
func whole(v pickle.Value) (n int64, ok bool) {
	if c, called := v.Called(); called {
		v = c.Args().Item(0)
	}
	return v.Int()
}

// wholes returns the ints of a list, or the one int that v is.
func wholes(v pickle.Value) (list []int64, ok bool) {
	if v.Kind() != pickle.KindList && v.Kind() != pickle.KindTuple {
		n, ok := whole(v)
		return []int64{n}, ok
	}
	for item := range v.Items() {
		n, ok := whole(item)
		if !ok {
			return nil, false
		}
		list = append(list, n)
	}
	return list, true
}

// A weight is a name and a shape that a checkpoint records.
type weight struct {
	name     string
	shape    []int64
	elements int64
	padding  int64 // elements behind it in its row
}

// maxRank is the maximum number of dimensions, as in PyTorch.
const maxRank = 64

// weightsOf returns the names and shapes of a dict.
func weightsOf(v pickle.Value) (list []weight, err error) {
	index := make(map[string]int)
	ok := entries(v, func(name string, value pickle.Value) {
		w := weight{name: name}
		if err == nil {
			w.shape, w.elements, err = shapeOf(value)
		}
		if err != nil {
			err = fmt.Errorf("the shape of %s %w", wording.Quote(name), err)
			return
		}
		if i, again := index[name]; again { // the last one counts, at the place of the first
			list[i] = w
			return
		}
		index[name] = len(list)
		list = append(list, w)
	})
	if !ok && err == nil {
		err = fmt.Errorf("the recorded shapes are not a dict of names")
	}
	return list, err
}

// shapeOf returns a torch.Size or another tuple, and the number of elements.
func shapeOf(v pickle.Value) (shape []int64, elements int64, err error) {
	if c, ok := v.Called(); ok {
		v = c.Args().Item(0)
	}
	if v.Kind() != pickle.KindTuple && v.Kind() != pickle.KindList || v.Len() > maxRank {
		return nil, 0, fmt.Errorf("is not a tuple of at most %d numbers", maxRank)
	}
	shape, elements = make([]int64, 0, v.Len()), 1
	for item := range v.Items() {
		n, ok := item.Int()
		if !ok || n < 0 {
			return nil, 0, fmt.Errorf("has a dimension that is not a number")
		}
		shape = append(shape, n)
		high, low := bits.Mul64(uint64(elements), uint64(n))
		if high > 0 || low > math.MaxInt64/maxWidth {
			return nil, 0, fmt.Errorf("has too many elements")
		}
		elements = int64(low)
	}
	return shape, elements, nil
}

// maxWidth is the size of the largest element in bytes.
const maxWidth = 16

// texts returns the texts of a list.
func texts(v pickle.Value) map[string]bool {
	set := make(map[string]bool)
	for item := range v.Items() {
		if s, ok := item.Str(); ok {
			set[s] = true
		}
	}
	return set
}
