// The kinds of this package and of package heap are the same.

package pickle

import (
	"testing"

	"github.com/weightools/safetensors/pickle/internal/heap"
)

func TestKinds(t *testing.T) {
	for kind, inner := range map[Kind]heap.Kind{
		KindUnknown: heap.KindUnknown, KindNone: heap.KindNone, KindBool: heap.KindBool, KindInt: heap.KindInt,
		KindFloat: heap.KindFloat,
		KindStr:   heap.KindStr, KindBytes: heap.KindBytes, KindByteArray: heap.KindByteArray, KindTuple: heap.KindTuple,
		KindList: heap.KindList,
		KindDict: heap.KindDict, KindSet: heap.KindSet, KindFrozenSet: heap.KindFrozenSet, KindGlobal: heap.KindGlobal,
		KindCall:       heap.KindCall,
		KindPersistent: heap.KindPersistent, KindBuffer: heap.KindBuffer,
	} {
		if kind != Kind(inner) {
			t.Errorf("%s is %s within", kind, inner)
		}
	}
}
