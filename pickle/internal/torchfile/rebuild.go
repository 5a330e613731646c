// Tensors as views of storages, and checks of their bounds.

package torchfile

import (
	"math"
	"strings"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
)

// dtypeSizes are the element sizes in bytes, by name in module torch.
var dtypeSizes = map[string]int64{
	"float64": 8, "double": 8, "float32": 4, "float": 4, "float16": 2, "half": 2, "bfloat16": 2,
	"int64": 8, "long": 8, "int32": 4, "int": 4, "int16": 2, "short": 2, "int8": 1,
	"uint8": 1, "uint16": 2, "uint32": 4, "uint64": 8, "bool": 1, "complex32": 4, "complex64": 8, "complex128": 16,
	"float8_e4m3fn": 1, "float8_e5m2": 1, "float8_e4m3fnuz": 1, "float8_e5m2fnuz": 1, "float8_e8m0fnu": 1,
	"float4_e2m1fn_x2": 1, "qint8": 1, "quint8": 1, "qint32": 4, "quint4x2": 1, "quint2x4": 1,
	"bits1x8": 1, "bits2x4": 1, "bits4x2": 1, "bits8": 1, "bits16": 2,
}

// CheckTensors checks the tensors that the pickles rebuild. It reports arguments of the wrong type, invalid shapes and
// strides, views that exceed their storage, and tensors that expand to far more memory than the file has data for.
func CheckTensors(g *pickle.Graph) []Fault {
	var f faults
	for c := range g.Results() {
		module, name, ok := c.Callee().Global()
		if !ok || module != "torch._utils" {
			continue
		}
		switch name {
		case "_rebuild_tensor", "_rebuild_tensor_v2", "_rebuild_tensor_v3", "_rebuild_qtensor":
			t := &tensor{faults: &f, call: c, name: name}
			t.check()
		}
	}
	return f.list
}

// A tensor is a call that rebuilds a tensor.
type tensor struct {
	*faults
	call         pickle.Result
	name         string
	size, stride []int64
}

// say reports a fault.
func (t *tensor) say(rule pickle.Rule, format string, args ...any) {
	t.add(rule, t.call.Offset(), "a tensor: "+format, args...)
}

// check checks the arguments of the call: storage, offset, size and stride.
func (t *tensor) check() {
	args := t.call.Args()
	if least := len("soss"); args.Len() < int64(least) {
		t.say(pickle.RuleType, "%s needs at least %d arguments, but has %d", t.name, least, args.Len())
		return
	}
	id, ok := args.Item(0).Persistent()
	if !ok {
		if kind := args.Item(0).Kind(); kind != pickle.KindCall && kind != pickle.KindUnknown {
			t.say(pickle.RuleType, "the storage is of type %s", kind)
		}
		return
	}
	offset, ok := args.Item(1).Int()
	if !ok || offset < 0 {
		t.say(pickle.RuleType, "the offset is of type %s instead of a non-negative int", args.Item(1).Kind())
		return
	}
	var sizeOK, strideOK bool
	if t.size, sizeOK = t.ints(args.Item(2), RuleShape, "shape"); !sizeOK {
		return
	}
	if t.stride, strideOK = t.ints(args.Item(3), RuleStride, "strides"); !strideOK {
		return
	}
	if len(t.size) != len(t.stride) {
		t.say(RuleStride, "the tensor has %d dimensions but %d strides", len(t.size), len(t.stride))
		return
	}
	var ignored faults
	if s, ok := storage(id, &ignored); ok {
		t.within(&s, offset, args)
	}
}

// ints parses a tuple of non-negative ints.
func (t *tensor) ints(v pickle.Value, rule pickle.Rule, what string) ([]int64, bool) {
	if c, ok := v.Called(); ok { // torch.Size, which is a tuple
		v = c.Args().Item(0)
	}
	if v.Kind() != pickle.KindTuple && v.Kind() != pickle.KindList {
		t.say(pickle.RuleType, "the %s are of type %s instead of tuple", what, v.Kind())
		return nil, false
	}
	const most = 64 // dimensions; PyTorch's own limit for most operations
	var list []int64
	for item := range v.Items() {
		n, ok := item.Int()
		switch {
		case item.Kind() != pickle.KindInt:
			t.say(pickle.RuleType, "the %s contain a value of type %s", what, item.Kind())
			return nil, false
		case !ok || n < 0 || len(list) == most:
			t.say(rule, "the %s are out of range", what)
			return nil, false
		}
		list = append(list, n)
	}
	return list, true
}

// within checks that the tensor lies within its storage and does not expand it too far.
func (t *tensor) within(s *Storage, offset int64, args pickle.Value) {
	elements := int64(1)
	for _, n := range t.size {
		var ok bool
		if elements, ok = product(elements, n); !ok && n > 0 {
			t.say(RuleShape, "the number of elements overflows 63 bits")
			return
		}
	}
	width, packed := s.ElementSize(), s.Packed()
	if _, dtype, ok := args.Item(6).Global(); ok && t.name == "_rebuild_tensor_v3" {
		width = dtypeSizes[strings.TrimPrefix(dtype, "torch.")]
	}
	if have, known := s.Bytes(); known && width > 0 && elements > 0 {
		last := offset
		for i, n := range t.size {
			step, ok := product(n-1, t.stride[i])
			if !ok && t.stride[i] != 0 || step > math.MaxInt64-last {
				last = math.MaxInt64 - 1
				break
			}
			last += step
		}
		if end, ok := product(last/packed+1, width); !ok || end > have {
			t.say(RuleTensorRange, "the last element has index %d in storage %s, which has %d bytes",
				last, wording.Quote(s.Key), have)
		}
		t.expanded(elements/packed, width, have)
	}
}

// expanded reports a tensor that needs far more memory than its storage has, for example through strides of 0.
func (t *tensor) expanded(elements, width, have int64) {
	const least, factor = 1 << 30, 64
	if bytes, ok := product(elements, width); !ok || bytes > least && bytes/factor > have {
		t.say(pickle.RuleResource, "the tensor has %d elements over a storage of %d bytes", elements, have)
	}
}
