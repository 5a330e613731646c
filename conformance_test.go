// What the reference implementation accepts, and what it makes of it.

package safetensors_test

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/weightools/safetensors"
)

// A readerCase is one file of ../shared/conformance/reader.jsonl, with the
// outcome that running the reference crate on it had.
type readerCase struct {
	Name     string
	Hex      string
	OK       bool
	Error    string
	Metadata map[string]string
	Tensors  []struct {
		Name        string
		Dtype       safetensors.Dtype
		Shape       []uint64
		DataOffsets [2]uint64 `json:"data_offsets"`
	}
}

// rulesOf says which rules are broken where the reference returns an error of
// the given variant. One of them must be among what Validate finds.
var rulesOf = map[string][]safetensors.Rule{
	"HeaderTooSmall":      {safetensors.RuleTooShort},
	"HeaderTooLarge":      {safetensors.RuleHeaderSize, safetensors.RuleNotSafetensors},
	"InvalidHeaderLength": {safetensors.RuleHeaderSize},
	"InvalidHeader":       {safetensors.RuleUTF8},
	"InvalidHeaderDeserialization": {safetensors.RuleJSON, safetensors.RuleMetadata, safetensors.RuleMember, safetensors.RuleDtype,
		safetensors.RuleShape, safetensors.RuleOffsets, safetensors.RuleReservedName, safetensors.RuleNotSafetensors},
	"InvalidOffset":            {safetensors.RuleOffsets, safetensors.RuleOverlap, safetensors.RuleHole},
	"ValidationOverflow":       {safetensors.RuleOverflow},
	"MisalignedSlice":          {safetensors.RuleWholeBytes},
	"TensorInvalidInfo":        {safetensors.RuleTensorSize},
	"MetadataIncompleteBuffer": {safetensors.RuleTruncated, safetensors.RuleTrailing},
}

func readerCases(t *testing.T) []readerCase {
	t.Helper()
	return jsonLines[readerCase](t, "../shared/conformance/reader.jsonl")
}

// jsonLines reads a file of JSON objects, and skips the test if it is absent.
func jsonLines[T any](t testing.TB, name string) []T {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	var all []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var one T
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestReferenceReader(t *testing.T) {
	for _, c := range readerCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			file, err := hex.DecodeString(c.Hex)
			if err != nil {
				t.Fatal(err)
			}
			report, err := safetensors.Validate(bytes.NewReader(file), int64(len(file)))
			if err != nil {
				t.Fatal(err)
			}
			lenient := safetensors.Opener{Lenient: true}
			f, err := lenient.NewFile(bytes.NewReader(file), int64(len(file)))
			if (err == nil) != c.OK {
				t.Fatalf("lenient: %v, and the reference says %q", err, c.Error)
			}
			_, strict := safetensors.NewFile(bytes.NewReader(file), int64(len(file)))
			if (strict == nil) != (report.Err() == nil) {
				t.Errorf("NewFile says %v, and Validate %v", strict, report.Err())
			}
			if !c.OK {
				if !breaks(report, rulesOf[c.Error]) {
					t.Errorf("the reference says %s, and Validate %v", c.Error, report.Violations)
				}
				return
			}
			if v := report.First(safetensors.Invalid); v != nil {
				t.Errorf("accepted, and yet Validate says %v", v)
			}
			compareTensors(t, f.Header, c)
		})
	}
}

func breaks(r *safetensors.Report, rules []safetensors.Rule) bool {
	return slices.ContainsFunc(r.Violations, func(v *safetensors.Violation) bool {
		return slices.Contains(rules, v.Rule)
	})
}

func compareTensors(t *testing.T, h *safetensors.Header, c readerCase) {
	t.Helper()
	if !maps.Equal(h.Metadata, c.Metadata) || (h.Metadata == nil) != (c.Metadata == nil) {
		t.Errorf("metadata %v, want %v", h.Metadata, c.Metadata)
	}
	if len(h.Tensors) != len(c.Tensors) {
		t.Errorf("%d tensors, want %d", len(h.Tensors), len(c.Tensors))
	}
	for _, want := range c.Tensors {
		got := h.Lookup(want.Name)
		if got == nil {
			t.Errorf("no tensor %q", want.Name)
			continue
		}
		var shape []uint64
		for _, d := range got.Shape {
			shape = append(shape, uint64(d))
		}
		offsets := [2]uint64{uint64(got.Offsets.Begin), uint64(got.Offsets.End)}
		if got.Dtype != want.Dtype || !slices.Equal(shape, want.Shape) || offsets != want.DataOffsets {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}
