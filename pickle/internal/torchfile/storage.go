// Storages, as the pickles of checkpoints name them.

// Package torchfile parses the layout of PyTorch files: the storages that a pickle names, the position of their data in
// files from before version 1.6, and the archives of version 0.1.
//
// Nothing is unpickled. Package pickle provides the values; this package interprets some of them as PyTorch's loader
// does.
package torchfile

import (
	"fmt"
	"math/bits"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
)

// A Storage is an array that tensors are views of. A persistent ID names it: ("storage", class, key, location,
// elements), in files from before version 1.6 followed by a view.
type Storage struct {
	Key      string
	Class    string // without its module, for example "FloatStorage"
	Location string // "cpu", "cuda:0", …
	Elements int64  // number of elements; bytes for UntypedStorage
	View     *View  // nil if there is none

	Offset int64 // of the first use of the ID in the pickle
}

// A View is a part of a storage that acts as a storage.
type View struct {
	Key              string // key of the view
	Offset, Elements int64  // in elements
}

// dtypes maps storage classes to names in module torch. The class excludes the module, because GPU storages have the
// same names in torch.cuda.
var dtypes = map[string]string{
	"DoubleStorage": "float64", "FloatStorage": "float32", "HalfStorage": "float16", "BFloat16Storage": "bfloat16",
	"LongStorage": "int64", "IntStorage": "int32", "ShortStorage": "int16", "CharStorage": "int8",
	"ByteStorage": "uint8", "BoolStorage": "bool",
	"ComplexFloatStorage": "complex64", "ComplexDoubleStorage": "complex128",
	"QInt8Storage": "qint8", "QUInt8Storage": "quint8", "QInt32Storage": "qint32",
	"QUInt4x2Storage": "quint4x2", "QUInt2x4Storage": "quint2x4",
}

// DtypeOf returns the name in module torch of the dtype of a storage class, "" if it has none.
func DtypeOf(class string) string { return dtypes[class] }

// ElementSize returns the size of an element in bytes, 0 if the class is unknown.
func (s *Storage) ElementSize() int64 {
	if s.Class == "UntypedStorage" {
		return 1
	}
	return dtypeSizes[DtypeOf(s.Class)]
}

// Packed returns the number of values of a tensor in an element of the storage: 1, or more if a byte has several.
func (s *Storage) Packed() int64 {
	switch s.Class {
	case "QUInt4x2Storage":
		return 2
	case "QUInt2x4Storage":
		return 4
	}
	return 1
}

// Bytes returns the size in bytes; ok is false if the class is unknown or the size overflows.
func (s *Storage) Bytes() (int64, bool) { return product(s.Elements, s.ElementSize()) }

// product returns a * b; ok is false if a factor is unknown or the product overflows.
func product(a, b int64) (int64, bool) {
	if a < 0 || b < 0 {
		return 0, false
	}
	high, low := bits.Mul64(uint64(a), uint64(b))
	return int64(low), high == 0 && low>>63 == 0 && (b > 0 || a == 0)
}

// A Fault is a violation of the file format. Its rule is one of those below or of package pickle.
type Fault struct {
	Rule   pickle.Rule
	Offset int64
	Detail string
}

// The rules.
const (
	RuleStorageKey  pickle.Rule = "bad-storage-key"
	RuleStorageType pickle.Rule = "storage-type-conflict"
	RuleStorageSize pickle.Rule = "storage-size-mismatch"
	RuleShape       pickle.Rule = "bad-shape"
	RuleStride      pickle.Rule = "bad-stride"
	RuleTensorRange pickle.Rule = "tensor-out-of-range"
	RuleMagic       pickle.Rule = "non-canonical-magic"
)

// faults collects faults.
type faults struct{ list []Fault }

func (f *faults) add(rule pickle.Rule, offset int64, format string, args ...any) {
	const most = 1000 // faults that are kept
	if len(f.list) < most {
		f.list = append(f.list, Fault{rule, offset, fmt.Sprintf(format, args...)})
	}
}

// Storages returns the storages that the pickles name, each key once, in order of first use, and the faults in their
// IDs.
func Storages(g *pickle.Graph) ([]Storage, []Fault) {
	var list []Storage
	var f faults
	index := make(map[string]int)
	for v := range g.Persistents() {
		id, _ := v.Persistent()
		if kind, ok := id.Item(0).Str(); !ok || kind != "storage" {
			continue // a module, or not PyTorch's; package pickle reports it
		}
		s, ok := storage(id, &f)
		if !ok {
			continue
		}
		i, again := index[s.Key]
		if !again {
			index[s.Key] = len(list)
			list = append(list, s)
			continue
		}
		if list[i].Class != s.Class || list[i].Elements != s.Elements {
			f.add(RuleStorageType, 0, "storage %s has %d elements of %s, and elsewhere %d of %s", wording.Quote(s.Key),
				list[i].Elements, wording.Quote(list[i].Class), s.Elements, wording.Quote(s.Class))
		}
	}
	return list, f.list
}

// storage parses the ID of a storage.
func storage(id pickle.Value, f *faults) (s Storage, ok bool) {
	_, s.Class, _ = id.Item(1).Global()
	s.Location, _ = id.Item(3).Str()
	if s.Key, ok = id.Item(2).Str(); !ok {
		f.add(RuleStorageKey, 0, "a storage key is of type %s instead of str", id.Item(2).Kind())
		return s, false
	}
	if s.Elements, ok = id.Item(4).Int(); !ok || s.Elements < 0 {
		f.add(pickle.RuleType, 0, "the number of elements of storage %s is of type %s",
			wording.Quote(s.Key), id.Item(4).Kind())
		return s, false
	}
	if view := id.Item(5); view.Kind() == pickle.KindTuple {
		s.View = new(View)
		s.View.Key, _ = view.Item(0).Str()
		s.View.Offset, _ = view.Item(1).Int()
		s.View.Elements, _ = view.Item(2).Int()
	}
	return s, true
}
