package torch

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
)

// TestLimits: a file that exceeds a limit may be valid, so the error is not that it is damaged.
func TestLimits(t *testing.T) {
	deep := ")" + strings.Repeat("\x85", 4_000_000) // tuples of one tuple; they need 20 bytes each
	for _, k := range []struct {
		what string
		file []byte
		opts *Options
		want string
	}{
		{"memory", zipOf(t, zip.Deflate, member{"m/data.pkl", proto + deep + "."}), nil, "the pickle is incomplete: the memory budget of 25"},
		{"text", zipOf(t, zip.Deflate, member{"m/data.pkl", proto + strings.Repeat("N0", 13<<20) + "N."}), nil, "is compressed and has 27,262,980 bytes; the limit is 25"},
		{"a stream", streamOf(tuple(strings.Repeat(num(1000), 2_000_000), one()), "0", counting(2)), nil, "the values of the checkpoint exceed the limits"},
		{"names", archiveOf(t, "}("+one()+"q\x010"+namesOf(60_000)+"u", "0", counting(2)), nil, "their names exceed the limit of 2"},
		{"nesting", archiveOf(t, strings.Repeat("]", 250)+one()+strings.Repeat("a", 250), "0", counting(2)), nil, "values are nested more than 200 deep"},
		{"size", archiveOf(t, vector("0", 6), "0", counting(6)), &Options{MaxBytes: 8}, "exceed the limit of 8 bytes"},
	} {
		_, err := Open(bytes.NewReader(k.file), int64(len(k.file)), k.opts)
		var format *FormatError
		if !errors.As(err, &format) || !strings.Contains(err.Error(), k.want) {
			t.Errorf("%s: %v", k.what, err)
			continue
		}
		more := "--budget 10"
		if k.what == "nesting" { // no budget allows it
			more = "save only its tensors"
		}
		if v := format.Violation(); v.Rule != safetensors.RuleLimit || !strings.Contains(v.Fix, more) {
			t.Errorf("%s: %s: %s", k.what, v.Rule, v.Fix)
		}
	}
}

// namesOf returns keys, each with the value in the memo.
func namesOf(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(str(fmt.Sprint("layer.", i)) + "h\x01")
	}
	return b.String()
}

// TestBudget: ten times the budget reads what exceeds the usual one.
func TestBudget(t *testing.T) {
	b := archiveOf(t, "}("+one()+"q\x010"+namesOf(60_000)+"u", "0", counting(2))
	if cp := openBytes(t, b, &Options{Budget: 10}); len(cp.Tensors) != 60_000 {
		t.Errorf("%d tensors", len(cp.Tensors))
	}
	b = archiveOf(t, vector("0", 6), "0", counting(6))
	for budget, more := range map[int]string{1: "--budget 10 ", 10: "--budget 100 ", 100: "save only its tensors"} {
		var format *FormatError
		_, err := Open(bytes.NewReader(b), int64(len(b)), &Options{Budget: budget, MaxBytes: 8})
		if !errors.As(err, &format) || !strings.Contains(format.Violation().Fix, more) {
			t.Errorf("budget %d: %v", budget, err)
		}
	}
}
