// The layout on which tensorInfos relies, and the rules of package header.

package safetensors

import (
	"reflect"
	"testing"

	"github.com/weightools/safetensors/internal/header"
)

func TestTensorInfoLayout(t *testing.T) {
	ours, theirs := reflect.TypeFor[TensorInfo](), reflect.TypeFor[header.Info]()
	if ours.Size() != theirs.Size() || ours.Align() != theirs.Align() || ours.NumField() != theirs.NumField() {
		t.Fatalf("%v has %d bytes in %d fields, %v has %d in %d", ours, ours.Size(), ours.NumField(), theirs, theirs.Size(), theirs.NumField())
	}
	for i := range ours.NumField() {
		a, b := ours.Field(i), theirs.Field(i)
		if a.Name != b.Name || a.Offset != b.Offset || !a.Type.ConvertibleTo(b.Type) || a.Type.Kind() != b.Type.Kind() {
			t.Errorf("field %d is %s %v at %d, and %s %v at %d", i, a.Name, a.Type, a.Offset, b.Name, b.Type, b.Offset)
		}
	}
	if tensorInfos(nil) != nil || len(tensorInfos([]header.Info{})) != 0 {
		t.Error("no entries become some")
	}
}

// Every rule of package header is a rule of this package.
func TestHeaderRules(t *testing.T) {
	seen := make(map[Rule]bool)
	for rule := header.None + 1; rule < header.NumRules; rule++ {
		name := ruleOf[rule]
		if seen[name] || name.info().Summary == "" {
			t.Errorf("rule %d of package header is %q", rule, string(name))
		}
		seen[name] = true
	}
}
