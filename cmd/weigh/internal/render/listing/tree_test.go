// Trees of names.

package listing

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// labels returns the lines of a tree with the number of tensors in each.
func labels(lines []branch) []string {
	var got []string
	for _, l := range lines {
		got = append(got, fmt.Sprintf("%s %d", l.label, l.count))
	}
	return got
}

func TestTree(t *testing.T) {
	model := []string{"m.l.0.a.w", "m.l.0.a.b", "m.l.1.a.w", "m.l.1.a.b", "m.l.10.a.w", "m.l.2.a.b", "m.l.2.a.w", "m.n", "h"}
	for _, tt := range []struct {
		name  string
		names []string
		opts  TreeOptions
		want  []string
	}{
		{"branches", model, TreeOptions{}, []string{
			"h 1", "m 8", "├─ l 7", "│  ├─ 0.a 2", "│  │  ├─ b 1", "│  │  └─ w 1", "│  ├─ 1.a 2", "│  │  ├─ b 1", "│  │  └─ w 1",
			"│  ├─ 2.a 2", "│  │  ├─ b 1", "│  │  └─ w 1", "│  └─ 10.a.w 1", "└─ n 1",
		}},
		{"folded", model, TreeOptions{Fold: true}, []string{
			"h 1", "m 8", "├─ l 7", "│  ├─ [0-2].a 6", "│  │  ├─ b 3", "│  │  └─ w 3", "│  └─ 10.a.w 1", "└─ n 1",
		}},
		{"one level", model, TreeOptions{Depth: 1}, []string{"h 1", "m 8"}},
		{"two levels", model, TreeOptions{Depth: 2}, []string{"h 1", "m 8", "├─ l 7", "└─ n 1"}},
		{"a chain is one line", []string{"a.b.c.x", "a.b.c.y"}, TreeOptions{}, []string{"a.b.c 2", "├─ x 1", "└─ y 1"}},
		{"a chain counts its levels", []string{"a.b.c.x", "a.b.c.y"}, TreeOptions{Depth: 2}, []string{"a.b 2"}},
		{"folded within folded", []string{"l.0.0", "l.0.1", "l.1.0", "l.1.1"}, TreeOptions{Fold: true}, []string{"l.[0-1].[0-1] 4"}},
		{"a tensor and others below it", []string{"a", "a.b", "a.c"}, TreeOptions{}, []string{"a 1", "a 2", "├─ b 1", "└─ c 1"}},
		{"one name twice", []string{"a", "a"}, TreeOptions{}, []string{"a 1", "a 1"}},
		{"empty words", []string{"", ".", "..", "a."}, TreeOptions{}, []string{`"" 1`, `"" 2`, "├─ \"\" 1", "└─ . 1", "a. 1"}},
		{"largest first", []string{"a.x", "b.x", "b.y"}, TreeOptions{Sort: "bytes", Depth: 1}, []string{"b 2", "a.x 1"}},
	} {
		if diff := cmp.Diff(tt.want, labels(tree(rowsOf(tt.names...), tt.opts))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// A name of a million dots is one line, and not a million levels.
func TestTreeDepthIsBounded(t *testing.T) {
	deep := strings.Repeat("a.", 1_000_000)
	lines := tree(rowsOf(deep+"x", deep+"y"), TreeOptions{})
	if n := len(lines); n != 3 {
		t.Fatalf("%d lines, want the common start and two tensors", n)
	}
	if words := strings.Count(lines[0].label, "."); words > maxDepth {
		t.Errorf("the common start has %d words, and a tree %d levels", words, maxDepth)
	}
}

func TestTreeSums(t *testing.T) {
	rows := rowsOf("l.0.w", "l.1.w", "h")
	rows[2].Dtype = "F32"
	lines := tree(rows, TreeOptions{Fold: true})
	if l := lines[1]; l.elements != 2 || l.bytes != 2 || l.dtype != "U8" || l.tensor == nil {
		t.Errorf("%+v", l)
	}
	if b := sum(rows); b.dtype != "mixed" || b.elements != 3 {
		t.Errorf("%+v", b)
	}
}

func TestCutLabelKeepsTheBranches(t *testing.T) {
	if got, want := cutLabel("│  ├─ post_attention_layernorm.weight", 20), "│  ├─ pos…orm.weight"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
