// Sparse and nested tensors: positions in the data of storages.

package torchfile

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/positions"
)

// PyTorch compares the indices of sparse tensors with their sizes only if it loads with weights_only or if the program
// asks for it (torch/_utils.py, _validate_loaded_sparse_tensors), and the offsets of nested tensors never.

// A Placed is a tensor whose values are at positions that storages contain. It refers to no values of the pickle.
type Placed struct {
	Offset  int64    // of the call in the pickle
	Keys    []string // of the storages with the positions
	Unclear bool     // a part is not a view of a storage

	what  string
	check func(open Opener, big bool) (fault string, err error)
	cost  int64
}

// An Opener returns the data of a storage, or nil if there is none.
type Opener func(key string) (io.ReaderAt, error)

// errNoStorage says that a storage has no data.
var errNoStorage = errors.New("a storage is missing")

// PlacedTensors returns the sparse and nested tensors that the pickles rebuild.
func PlacedTensors(g *pickle.Graph) []Placed {
	var list []Placed
	for c := range g.Results() {
		module, name, ok := c.Callee().Global()
		if !ok || !strings.HasPrefix(module, "torch.") {
			continue
		}
		args := c.Args()
		if name == "_rebuild_from_type_v2" { // calls its first argument with the third, and sets attributes
			if _, name, _ = args.Item(0).Global(); name == "_rebuild_njt" {
				p := &placing{Placed: Placed{Offset: c.Offset()}}
				p.jagged(p.changed(args))
				list = p.appendTo(list)
			}
			args = args.Item(2)
		}
		p := &placing{Placed: Placed{Offset: c.Offset()}}
		switch name {
		case "_rebuild_sparse_tensor", "_rebuild_sparse_csr_tensor":
			p.sparse(layoutOf(args.Item(0)), args.Item(1))
		case "_rebuild_nested_tensor":
			p.nested(args)
		case "_rebuild_njt":
			p.jagged(p.mapping(args.Item(0)))
		}
		list = p.appendTo(list)
	}
	return list
}

// Cost returns the cost of Fault, in cheap pickle instructions.
func (p *Placed) Cost() int64 { return p.cost }

// Fault returns which position is outside of the tensor, "" if none is. big says that the numbers in storages begin
// with the most significant byte. A storage without data is no fault of its own.
func (p *Placed) Fault(open Opener, big bool) (string, error) {
	if p.Unclear {
		return p.what + " has parts that are no views of storages", nil
	}
	opened := map[string]io.ReaderAt{} // opening can decompress, and each row is read by itself
	text, err := p.check(func(key string) (r io.ReaderAt, err error) {
		if r = opened[key]; r == nil {
			r, err = open(key)
			opened[key] = r
		}
		return r, err
	}, big)
	if errors.Is(err, errNoStorage) {
		return "", nil
	}
	if text != "" {
		text = p.what + " leads outside of its values: " + text
	}
	return text, err
}

// A placing creates a Placed.
type placing struct{ Placed }

// appendTo appends the tensor to a list, if it is one.
func (p *placing) appendTo(list []Placed) []Placed {
	if p.check == nil && !p.Unclear {
		return list
	}
	return append(list, p.Placed)
}

// layoutOf returns the name of a layout without its module.
func layoutOf(v pickle.Value) string {
	if c, ok := v.Called(); ok {
		name, _ := c.Args().Item(0).Str()
		return strings.TrimPrefix(name, "torch.")
	}
	_, name, _ := v.Global()
	return name
}

// A grid is a view of a storage.
type grid struct {
	key          string
	offset       int64 // in elements
	width        int64 // bytes of an element
	signed       bool
	size, stride []int64
}

// tensor returns the view that a value is.
func (p *placing) tensor(v pickle.Value) grid {
	for range 3 { // a parameter, or a tensor with attributes, of a tensor
		c, _ := v.Called()
		_, name, _ := c.Callee().Global()
		args := c.Args()
		switch name {
		case "_rebuild_parameter", "_rebuild_parameter_with_state":
			v = args.Item(0)
			continue
		case "_rebuild_from_type_v2":
			_, name, _ = args.Item(0).Global()
			args = args.Item(2)
		}
		if strings.HasPrefix(name, "_rebuild_tensor") {
			return p.view(name, args)
		}
		break
	}
	p.Unclear = true
	return grid{}
}

// view returns the view that the arguments of a function describe.
func (p *placing) view(name string, args pickle.Value) grid {
	t := &tensor{faults: new(faults), name: name}
	id, _ := args.Item(0).Persistent()
	s, ok := storage(id, t.faults)
	g := grid{key: s.Key, width: s.ElementSize()}
	var ok2, ok3, ok4 bool
	g.offset, ok2 = args.Item(1).Int()
	g.size, ok3 = t.ints(args.Item(2), RuleShape, "shape")
	g.stride, ok4 = t.ints(args.Item(3), RuleStride, "strides")
	dtype := DtypeOf(s.Class)
	if _, d, isDtype := args.Item(6).Global(); isDtype && name == "_rebuild_tensor_v3" {
		dtype = strings.TrimPrefix(d, "torch.")
		g.width = dtypeSizes[dtype]
	}
	g.signed = !strings.HasPrefix(dtype, "uint")
	p.Unclear = p.Unclear || !ok || !ok2 || !ok3 || !ok4 || len(g.size) != len(g.stride) || g.offset < 0
	return g
}

// integers returns the view that a value is, of integers in the given number of dimensions. It counts as work.
func (p *placing) integers(v pickle.Value, rank int) grid {
	g := p.tensor(v)
	p.Unclear = p.Unclear || len(g.size) != rank || g.width != 4 && g.width != 8
	p.Keys = append(p.Keys, g.key)
	if !p.Unclear {
		count := elementsOf(g.size)
		p.cost += positions.Vector{Count: count, Step: 2 * g.width, Width: g.width}.Cost()
	}
	return g
}

// most is more bytes than any file has.
const most = 1 << 46

// multiply multiplies sizes; over becomes true if the product is larger than any file.
func multiply(a, b int64, over bool) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, over
	}
	n, ok := product(a, b)
	return min(n, most), over || !ok || n > most
}

// row returns the integers of the last dimension, at the given indexes of the others.
func (g *grid) row(open Opener, big bool, at ...int64) (positions.Vector, error) {
	r, err := open(g.key)
	if r == nil && err == nil {
		err = errNoStorage
	}
	last := len(g.size) - 1
	v := positions.Vector{Source: r, Count: g.size[last], Step: g.stride[last] * g.width, Width: g.width,
		Signed: g.signed, Big: big}
	off := g.offset
	for i, n := range at {
		off += n * g.stride[i]
	}
	v.Offset = off * g.width
	if err == nil && !v.Valid() {
		err = fmt.Errorf("the strides of a tensor of positions are invalid")
	}
	return v, err
}

// mapping returns the values of a dict by their names. It is unclear what another object has, or a dict with a name that
// was set twice.
func (p *placing) mapping(v pickle.Value) map[string]pickle.Value {
	const most = 50
	m := map[string]pickle.Value{}
	if v.Kind() != pickle.KindDict || v.Len() > most {
		p.Unclear = true
		return m
	}
	for key, value := range v.Pairs() {
		if name, ok := key.Str(); ok {
			_, again := m[name]
			m[name], p.Unclear = value, p.Unclear || again
		}
	}
	return m
}
