// Tensors are found by name, whatever stands between them in the header.

package safetensors_test

import (
	"bytes"
	"testing"

	"github.com/weightools/safetensors"
)

func TestLookupAfterOtherMembers(t *testing.T) {
	const entry = `:{"dtype":"U8","shape":[0],"data_offsets":[0,0]}`
	for _, header := range []string{
		`{"z"` + entry + `,"__metadata__":{},"a"` + entry + `,"b"` + entry + `}`, // "a" comes after "__metadata__", and before "z"
		`{"z"` + entry + `,"b":1,"c"` + entry + `,"a"` + entry + `}`,             // "b" is no tensor
		`{"za"` + entry + `,"z\u0061b"` + entry + `,"zab"` + entry + `,"z"` + entry + `,"é"` + entry + `,"e"` + entry + `}`,
	} {
		file := fileOf(header, 0)
		report, err := safetensors.Validate(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		for i, ti := range report.Header.Tensors {
			if found := report.Header.Lookup(ti.Name); found != &report.Header.Tensors[i] {
				t.Errorf("%s: Lookup(%q) = %v", header, ti.Name, found)
			}
		}
	}
}

// A scalar's shape is empty; that of an entry without one is nil.
func TestShapeOfScalars(t *testing.T) {
	file := fileOf(`{"a":{"x":0,"dtype":"U8","shape":[],"data_offsets":[0,1]},"b":{"dtype":"U8","shape":[ ],"data_offsets":[1,2]},"c":{"dtype":"U8","data_offsets":[2,3]}}`, 3)
	report, err := safetensors.Validate(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	for i, ti := range report.Header.Tensors {
		if absent := i == 2; (ti.Shape == nil) != absent || len(ti.Shape) != 0 {
			t.Errorf("%s has the shape %#v", ti.Name, ti.Shape)
		}
	}
}
