// Tables in more room than they need, and in less.

package typeset

import (
	"bufio"
	"strings"
	"testing"
)

// written returns what write writes.
func written(t *testing.T, write func(*bufio.Writer)) string {
	t.Helper()
	var b strings.Builder
	if err := Buffered(&b, write); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// sample is a table of names, numbers with a short form, and remarks. Its
// natural width is 9 + 2 + 6 + 2 + 7 = 26 columns.
func sample() *Table {
	names := []string{"alpha.one", "b"}
	numbers := []int64{12_345, 7}
	return &Table{N: 2, Columns: []Column{
		{Title: "NAME", Least: 5, Cell: func(i int) string { return names[i] }},
		{Title: "N", Right: true, Cell: func(i int) string { return Count(numbers[i]) }, Short: func(i int) string { return Short(numbers[i])[:1] }},
		{Title: "REMARK", Yields: 1, Cell: func(i int) string { return []string{"", "present"}[i] }},
	}}
}

func TestTable(t *testing.T) {
	for _, tt := range []struct {
		name  string
		width int
		want  string
	}{
		{"no terminal", 0, "NAME            N  REMARK\nalpha.one  12,345\nb               7  present\n"},
		{"room to spare", 26, "NAME            N  REMARK\nalpha.one  12,345\nb               7  present\n"},
		{"short forms", 25, "NAME       N  REMARK\nalpha.one  1\nb          7  present\n"},
		{"a shorter name", 19, "NAME     N  REMARK\nalp…one  1\nb        7  present\n"},
		{"a column less", 16, "NAME       N\nalpha.one  1\nb          7\n"},
		{"as small as can be", 8, "NAME   N\nal…ne  1\nb      7\n"},
		{"smaller than can be", 3, "NAME   N\nal…ne  1\nb      7\n"},
	} {
		got := written(t, func(w *bufio.Writer) { sample().Write(w, Style{Width: tt.width}) })
		if got != tt.want {
			t.Errorf("%s:\n%swant\n%s", tt.name, got, tt.want)
		}
	}
}

// A column by which rows are told apart shrinks only as far as they still can be.
// In 12 columns these are "…0.up.weight", "…0…weight" and "…[1-9]…we…ht".
func TestTableKeepsRowsApart(t *testing.T) {
	names := []string{"layers.0.up.weight", "layers.0.down.weight", "layers.[1-9].up.weight"}
	table := &Table{N: 3, Columns: []Column{
		{Title: "NAME", Distinct: true, Least: 5, Cut: Dotted, Cell: func(i int) string { return names[i] }},
		{Title: "DTYPE", Least: 2, Yields: 1, Cell: func(int) string { return "F32" }},
	}}
	for width := 1; width <= 30; width++ {
		got := written(t, func(w *bufio.Writer) { table.Write(w, Style{Width: width}) })
		lines := make(map[string]bool)
		for line := range strings.Lines(got) {
			lines[line] = true
		}
		if width >= 12 && len(lines) != 4 {
			t.Errorf("in %d columns rows are alike:\n%s", width, got)
		}
		if title, _, _ := strings.Cut(got, "\n"); title != "NAME" && strings.Join(strings.Fields(title), " ") != "NAME DTYPE" {
			t.Errorf("in %d columns titles are cut: %s", width, title)
		}
	}
}

func TestTableOfNothing(t *testing.T) {
	got := written(t, func(w *bufio.Writer) { (&Table{Columns: sample().Columns}).Write(w, Style{}) })
	if got != "" {
		t.Errorf("%q, want nothing", got)
	}
}

func TestTableColors(t *testing.T) {
	table := sample()
	table.Columns[0].Color = Cyan
	table.Color = func(i int) string { return []string{"", Red}[i] }
	table.Columns = table.Columns[:1]
	got := written(t, func(w *bufio.Writer) { table.Write(w, Style{Color: true}) })
	want := "\x1b[1mNAME\x1b[0m\n\x1b[36malpha.one\x1b[0m\n\x1b[31mb\x1b[0m\n"
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A name of a megabyte makes its own line long, and no other.
func TestTablePaddingIsBounded(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	table := &Table{N: 1000, Columns: []Column{
		{Title: "NAME", Cell: func(i int) string { return []string{long, "short"}[min(i, 1)] }},
		{Title: "N", Cell: func(int) string { return "1" }},
	}}
	got := written(t, func(w *bufio.Writer) { table.Write(w, Style{}) })
	if most := len(long) + 1001*(mostPadding+10); len(got) > most {
		t.Errorf("the table takes %d bytes, and %d suffice", len(got), most)
	}
	if !strings.Contains(got, long+"  1\n") {
		t.Error("the long name is not there as it is")
	}
}

func TestWrap(t *testing.T) {
	const text = "a line of some words, and averylongword"
	for _, tt := range []struct {
		name   string
		width  int
		indent int
		want   string
	}{
		{"no terminal", 0, 4, text + "\n"},
		{"room enough", 80, 4, text + "\n"},
		{"lines", 20, 4, "a line of some\n    words, and\n    averylongword\n"},
		{"too narrow to wrap", 15, 4, text + "\n"},
	} {
		got := written(t, func(w *bufio.Writer) { Wrap(w, Style{Width: tt.width}, tt.indent, "", text) })
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestWrapPaintsEachLine(t *testing.T) {
	got := written(t, func(w *bufio.Writer) { Wrap(w, Style{Width: 20, Color: true}, 0, Red, "one two three four five") })
	if want := "\x1b[31mone two three four\x1b[0m\n\x1b[31mfive\x1b[0m\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
