// Storages: the numbers of tensors, as the pickles of checkpoints name them.

// Package torchfile says how the files of PyTorch are laid out: which storages a
// pickle names, where the numbers are in a file from before version 1.6, and what
// was in the archives of version 0.1.
//
// Nothing is unpickled. Package pickle gives the values, and this package the meaning
// that PyTorch's loader gives to some of them.
package torchfile

import (
	"fmt"
	"math/bits"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
)

// A Storage is a run of numbers that tensors are views of, as a persistent id names
// it: ("storage", class, key, location, elements), in files from before version 1.6
// with a view after these.
type Storage struct {
	Key      string
	Class    string // without its module, as in "FloatStorage"
	Location string // "cpu", "cuda:0", …
	Elements int64  // of UntypedStorage bytes
	View     *View  // nil if there is none

	Offset int64 // of the persistent id's first use, in the pickle
}

// A View is a part of a storage that counts as one by itself.
type View struct {
	Key              string // of the view
	Offset, Elements int64  // in elements
}

// elementSizes are the bytes of an element of each class of storage.
var elementSizes = map[string]int64{
	"DoubleStorage": 8, "FloatStorage": 4, "HalfStorage": 2, "BFloat16Storage": 2, "LongStorage": 8, "IntStorage": 4,
	"ShortStorage": 2, "CharStorage": 1, "ByteStorage": 1, "BoolStorage": 1, "ComplexFloatStorage": 8, "ComplexDoubleStorage": 16,
	"QInt8Storage": 1, "QUInt8Storage": 1, "QInt32Storage": 4, "QUInt4x2Storage": 1, "QUInt2x4Storage": 1, "UntypedStorage": 1,
}

// ElementSize returns the bytes of an element, 0 if the class is not known.
func (s *Storage) ElementSize() int64 { return elementSizes[s.Class] }

// Bytes returns the size of the storage, and false if its class is not known or if it
// has more bytes than 63 bits can count.
func (s *Storage) Bytes() (int64, bool) { return product(s.Elements, s.ElementSize()) }

// product returns a * b, and false if that is not known or does not fit.
func product(a, b int64) (int64, bool) {
	if a < 0 || b < 0 {
		return 0, false
	}
	high, low := bits.Mul64(uint64(a), uint64(b))
	return int64(low), high == 0 && low>>63 == 0 && (b > 0 || a == 0)
}

// A Fault is something in a file that its format does not allow. The rule is one of
// those below, or of package pickle.
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

// faults collects what is wrong.
type faults struct{ list []Fault }

func (f *faults) add(rule pickle.Rule, offset int64, format string, args ...any) {
	const most = 1000 // that are told apart
	if len(f.list) < most {
		f.list = append(f.list, Fault{rule, offset, fmt.Sprintf(format, args...)})
	}
}

// Storages returns the storages that pickles name, each key once, in the order in
// which they do, and what is wrong with their ids.
func Storages(g *pickle.Graph) ([]Storage, []Fault) {
	var list []Storage
	var f faults
	index := make(map[string]int)
	for v := range g.Persistents() {
		id, _ := v.Persistent()
		if kind, ok := id.Item(0).Str(); !ok || kind != "storage" {
			continue // of a module, or none of PyTorch's: package pickle says so
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
			f.add(RuleStorageType, 0, "the storage %s is %d elements of %s, and again %d of %s", wording.Quote(s.Key), list[i].Elements, wording.Quote(list[i].Class), s.Elements, wording.Quote(s.Class))
		}
	}
	return list, f.list
}

// storage reads the id of a storage.
func storage(id pickle.Value, f *faults) (s Storage, ok bool) {
	_, s.Class, _ = id.Item(1).Global()
	s.Location, _ = id.Item(3).Str()
	if s.Key, ok = id.Item(2).Str(); !ok {
		f.add(RuleStorageKey, 0, "the key of a storage is a %s, and is to be a str", id.Item(2).Kind())
		return s, false
	}
	if s.Elements, ok = id.Item(4).Int(); !ok || s.Elements < 0 {
		f.add(pickle.RuleType, 0, "the storage %s has a %s for its number of elements", wording.Quote(s.Key), id.Item(4).Kind())
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
