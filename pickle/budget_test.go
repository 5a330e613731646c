// Budgets: pickles that are small or cheap to write but expensive to analyze.

package pickle

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// numbered formats the numbers below n and concatenates the results.
func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// floods are pickles whose parts are cheap, but which would take minutes or gigabytes without limits on work and
// memory.
var floods = []struct{ name, code string }{
	{"imports", proto(2) + numbered(100_000, "cm%d\nf\n0") + "N."},
	{"dangerous imports", proto(2) + numbered(100_000, "cos\nf%d\n0") + "N."},
	{"calls", proto(2) + numbered(50_000, "cm%d\nf\n)R0") + "N."},
	{"marks", proto(2) + strings.Repeat("(", 1<<21)},
	{"protocols", proto(2) + strings.Repeat("\x80\x04", 1<<19) + "N."},
	{"empty lists", proto(2) + strings.Repeat("]", 1<<21) + "."},
	{"memo", proto(2) + "N" + strings.Repeat("\x94", 1<<21) + "."},
	{"nesting", proto(2) + strings.Repeat("(", 1<<19) + strings.Repeat("t", 1<<19) + "."},
	{"tuples in tuples", proto(2) + "N" + strings.Repeat("\x85", 1<<21) + "."},
	{"pairs of one", proto(2) + ")" + strings.Repeat("2\x86", 1<<20) + "."},
	{"frames", proto(4) + strings.Repeat("\x95\x0c\x00\x00\x00\x00\x00\x00\x00", 1<<16) + "N."},
	{"streams", strings.Repeat("N.", 1<<20)},
	{"persistent ids", proto(2) + strings.Repeat("Pabc\n0", 1<<18) + "N."},
	{"registry", proto(2) + numbered(50_000, "\x84%04d0") + "N."},
	{"pickles in strings", proto(4) + strings.Repeat(bin(proto(2)+payload+".")+"0", 50_000) + "N."},
	{"long numbers", proto(2) + strings.Repeat("I0x"+strings.Repeat("f", 4000)+"\n0", 1000) + "N."},
	{"one state, set again and again", proto(2) + "}(" + numbered(20_000, "X\x05\x00\x00\x00%05dN") + "uq\x01" + ordered +
		")R" + strings.Repeat("h\x01b", 100_000) + "."},
	{"one tuple, given again and again", proto(2) + "(" + strings.Repeat("K\x01", 20_000) + "tq\x01" + ordered + "q\x02" +
		strings.Repeat("h\x02h\x01R0", 100_000) + "."},
	{"one tuple, copied again and again", proto(2) + "(" + ordered + strings.Repeat("K\x01", 20_000) + "tq\x01" +
		glob("copyreg", "__newobj__") + "q\x02" + strings.Repeat("h\x02h\x01R0", 100_000) + "."},
	{"attributes", proto(4) + ordered + "q\x010" + glob("builtins", "getattr") + "q\x02" +
		numbered(50_000, "h\x02h\x01X\x05\x00\x00\x00%05d\x86R0") + "N."},
}

// TestFloods checks that Analyze and Load keep within their budgets for each flood, that none is safe, and that a
// dangerous import in front of a flood is reported.
func TestFloods(t *testing.T) {
	const work, memory = 2_000_000, 4 << 20
	for _, f := range floods {
		for _, front := range []string{"", proto(2) + payload + "."} {
			code := front + f.code
			o := &Options{MaxOpcodes: work, MaxMemory: memory}
			g, err := Load(strings.NewReader(code), int64(len(code)), o)
			if err != nil {
				t.Fatal(err)
			}
			r := g.Report
			// Work that has begun is completed: 4,096 instructions, a large one, and the final check of the values.
			if r.Spent > work+1<<17 || r.Memory > 2*memory {
				t.Errorf("%s: work of %d and %d bytes", f.name, r.Spent, r.Memory)
			}
			if r.Verdict == Safe && !r.Complete || front != "" && r.Verdict != Dangerous {
				t.Errorf("%s: %s, complete %v, %s", f.name, r.Verdict, r.Complete, r.Reason)
			}
			if len(r.Findings) > 20_000 || len(r.Imports) > 20_000 {
				t.Errorf("%s: %d findings, %d imports", f.name, len(r.Findings), len(r.Imports))
			}
		}
	}
}

// TestWorkOfCheckpoint checks that a scan, with its default instructions and 24 MiB, analyzes a checkpoint of 50,000
// tensors completely.
func TestWorkOfCheckpoint(t *testing.T) {
	data := checkpointPickle(50_000)
	o := &Options{MaxOpcodes: 10_000_000, MaxMemory: 24 << 20}
	g, err := Load(bytes.NewReader(data), int64(len(data)), o)
	if err != nil || g.Report.Verdict != Safe || !g.Report.Complete {
		t.Fatal(err, g.Report)
	}
	t.Logf("%d of work, %d bytes", g.Report.Spent, g.Report.Memory)
}

// TestAlike checks that findings are merged if they differ only in offset, and not if names differ.
func TestAlike(t *testing.T) {
	code := proto(2) + strings.Repeat("\x80\x02", 100) + numbered(3, "Pid%d\n0") + "N."
	r := analyzed(t, []byte(code))
	ids := 0
	for _, f := range r.Findings {
		switch f.Rule {
		case RuleMisplaced:
			if f.Count != 100 || f.Offset != 2 || f.Also != [3]int64{4, 6, 8} {
				t.Errorf("%+v", f)
			}
		case RulePersistentID:
			ids++
			if f.Count != 1 {
				t.Errorf("%+v", f)
			}
		}
	}
	if ids != 3 {
		t.Errorf("%d findings about ids, want 3: %v", ids, r.Findings)
	}
}

// TestRunsOfLetters checks that a search treats a run of letters as one name.
func TestRunsOfLetters(t *testing.T) {
	for _, c := range []struct {
		before int
		found  bool
	}{{0, true}, {100, true}, {292, true}, {2920, true}} {
		data := "\xff" + strings.Repeat("c", c.before) + " " + strings.Repeat("x", c.before) + payload + "."
		r := analyzed(t, []byte(data))
		if got := r.Verdict == Dangerous; got != c.found {
			t.Errorf("%d letters: %s", c.before, r.Verdict)
		}
	}
}
