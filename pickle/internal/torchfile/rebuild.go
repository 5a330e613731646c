// Tensors: views of storages, and whether they stay within them.

package torchfile

import (
	"math"
	"strings"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
)

// dtypeSizes are the bytes of an element of each dtype, by its name in module torch.
var dtypeSizes = map[string]int64{
	"float64": 8, "double": 8, "float32": 4, "float": 4, "float16": 2, "half": 2, "bfloat16": 2, "int64": 8, "long": 8, "int32": 4, "int": 4,
	"int16": 2, "short": 2, "int8": 1, "uint8": 1, "uint16": 2, "uint32": 4, "uint64": 8, "bool": 1, "complex32": 4, "complex64": 8, "complex128": 16,
	"float8_e4m3fn": 1, "float8_e5m2": 1, "float8_e4m3fnuz": 1, "float8_e5m2fnuz": 1, "float8_e8m0fnu": 1, "float4_e2m1fn_x2": 1,
	"qint8": 1, "quint8": 1, "qint32": 4, "quint4x2": 1, "quint2x4": 1, "bits1x8": 1, "bits2x4": 1, "bits4x2": 1, "bits8": 1, "bits16": 2,
}

// CheckTensors returns what is wrong with the tensors that pickles rebuild: arguments
// of the wrong kind, shapes and strides that make no sense, views that leave their
// storage, and such as take far more memory than is in the file.
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

// A tensor is one that a call rebuilds.
type tensor struct {
	*faults
	call         pickle.Result
	name         string
	size, stride []int64
}

// say reports what is wrong.
func (t *tensor) say(rule pickle.Rule, format string, args ...any) {
	t.add(rule, t.call.Offset(), "a tensor: "+format, args...)
}

// check judges the call: storage, offset, size, stride, and more that is no matter
// here.
func (t *tensor) check() {
	args := t.call.Args()
	if least := len("soss"); args.Len() < int64(least) {
		t.say(pickle.RuleType, "%s takes %d arguments at least, and has %d", t.name, least, args.Len())
		return
	}
	id, ok := args.Item(0).Persistent()
	if !ok {
		if kind := args.Item(0).Kind(); kind != pickle.KindCall && kind != pickle.KindUnknown {
			t.say(pickle.RuleType, "its storage is a %s", kind)
		}
		return
	}
	offset, ok := args.Item(1).Int()
	if !ok || offset < 0 {
		t.say(pickle.RuleType, "its offset is a %s, and is to be an int from 0", args.Item(1).Kind())
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
		t.say(RuleStride, "it has %d dimensions and %d strides", len(t.size), len(t.stride))
		return
	}
	var ignored faults
	if s, ok := storage(id, &ignored); ok {
		t.within(&s, offset, args)
	}
}

// ints reads a tuple of ints from 0.
func (t *tensor) ints(v pickle.Value, rule pickle.Rule, what string) ([]int64, bool) {
	if c, ok := v.Called(); ok { // of torch.Size, which is a tuple
		v = c.Args().Item(0)
	}
	if v.Kind() != pickle.KindTuple && v.Kind() != pickle.KindList {
		t.say(pickle.RuleType, "its %s are a %s, and are to be a tuple", what, v.Kind())
		return nil, false
	}
	const most = 64 // dimensions, which is PyTorch's own limit for most of what it does
	var list []int64
	for item := range v.Items() {
		n, ok := item.Int()
		switch {
		case item.Kind() != pickle.KindInt:
			t.say(pickle.RuleType, "a %s is among its %s", item.Kind(), what)
			return nil, false
		case !ok || n < 0 || len(list) == most:
			t.say(rule, "its %s are what none can be", what)
			return nil, false
		}
		list = append(list, n)
	}
	return list, true
}

// within checks that the tensor stays within its storage, and is not far larger.
func (t *tensor) within(s *Storage, offset int64, args pickle.Value) {
	elements := int64(1)
	for _, n := range t.size {
		var ok bool
		if elements, ok = product(elements, n); !ok && n > 0 {
			t.say(RuleShape, "it has more elements than 63 bits can count")
			return
		}
	}
	width := s.ElementSize()
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
		if end, ok := product(last+1, width); !ok || end > have {
			t.say(RuleTensorRange, "its last element is number %d of the storage %s, which has %d bytes", last, wording.Quote(s.Key), have)
		}
		t.expanded(elements, width, have)
	}
}

// expanded reports a tensor that takes far more memory than is there for it, as one
// does whose strides are 0.
func (t *tensor) expanded(elements, width, have int64) {
	const least, factor = 1 << 30, 64
	if bytes, ok := product(elements, width); !ok || bytes > least && bytes/factor > have {
		t.say(pickle.RuleResource, "it has %d elements over the %d bytes of its storage", elements, have)
	}
}
