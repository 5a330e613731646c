// Listings of names that are very long.

package listing

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// The listing has a name in full, however long it is.
func TestListedNamesAreWhole(t *testing.T) {
	name := strings.Repeat("a", 1000)
	h := &safetensors.Header{Tensors: []safetensors.TensorInfo{{Name: name, Dtype: safetensors.U8, Shape: []int64{}}}}
	var b bytes.Buffer
	if err := NewInfo(Inventory{Files: []File{{Path: "f", Header: h}}}, Selection{}).JSON(&b, typeset.Style{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), `"name":"`+name+`"`) {
		t.Errorf("%.300s", b.String())
	}
}

// Findings in listings have names that are shortened, as those of check do.
func TestFindingsOfListingsAreShort(t *testing.T) {
	const times, each = 1000, 2000 // bytes
	var findings []finding.Finding
	for range times {
		v := &safetensors.Violation{Rule: safetensors.RuleUnknownMember, Tensor: strings.Repeat("a", 1_000_000)}
		findings = append(findings, finding.Finding{File: "f", Violation: v})
	}
	for form, write := range map[string]func(io.Writer) error{
		"info --json": func(w io.Writer) error {
			return NewInfo(Inventory{Findings: findings}, Selection{}).JSON(w, typeset.Style{})
		},
		"layout --json": func(w io.Writer) error { return (&Layout{Findings: findings}).JSON(w, typeset.Style{}) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		if b.Len() > times*each || !json.Valid(b.Bytes()) {
			t.Errorf("%s writes %d bytes: %.200s", form, b.Len(), b.Bytes())
		}
	}
}
