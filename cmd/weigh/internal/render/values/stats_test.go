// Statistics and plots: what is said of them, checked by hand.

package values

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/stats"
)

// summed returns the row of a tensor, with a histogram of so many parts.
func summed(t *testing.T, name string, bins int, numbers ...float32) StatsRow {
	t.Helper()
	x, err := safetensors.NewTensor(name, numbers, int64(len(numbers)))
	if err != nil {
		t.Fatal(err)
	}
	s, err := (&stats.Counter{Bins: bins, SHA256: true}).Of(x)
	if err != nil {
		t.Fatal(err)
	}
	return StatsRow{x.TensorInfo, s}
}

// hostile is a name that no terminal, spreadsheet or browser should act on.
const hostile = "=</text><script>alert(1)</script>&\x1b[2J\u202e"

var (
	nan = float32(math.NaN())
	inf = float32(math.Inf(1))
)

// Of 1, 2, 3 and 6 the mean is 12/4 = 3, and the deviation the root of
// (4 + 1 + 0 + 9)/4 = 3.5. In two parts, 1 to 3.5 has three of them.
func TestStatsJSON(t *testing.T) {
	st := Stats{Rows: []StatsRow{summed(t, "a", 2, 1, 2, 3, 6, nan, inf, -inf), summed(t, "b", 2, nan), summed(t, "c", 0, 0, 0)}}
	var b bytes.Buffer
	if err := st.JSON(&b, typeset.Style{}); err != nil {
		t.Fatal(err)
	}
	want := `{"schema":"weigh.stats/1","tensors":[` +
		`{"name":"a","dtype":"F32","shape":[7],"count":7,"min":1,"max":6,"mean":3,"std":1.8708286933869707,"nan":1,"inf":2,"zeros":0,"histogram":{"edges":[1,3.5,6],"counts":[3,1]},"flags":["nan","inf"]},` +
		`{"name":"b","dtype":"F32","shape":[1],"count":1,"min":null,"max":null,"mean":null,"std":null,"nan":1,"inf":0,"zeros":0,"histogram":null,"flags":["nan"]},` +
		`{"name":"c","dtype":"F32","shape":[2],"count":2,"min":0,"max":0,"mean":0,"std":0,"nan":0,"inf":0,"zeros":2,"histogram":null,"flags":["all-zero"]}` +
		"],\"truncated\":false}\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A cell of a number stays one where a name is defused.
func TestStatsCSV(t *testing.T) {
	st := Stats{Rows: []StatsRow{summed(t, "=1+1", 0, -2, -1), summed(t, "b", 0, nan)}}
	var b bytes.Buffer
	if err := st.CSV(&b, typeset.Style{}); err != nil {
		t.Fatal(err)
	}
	got, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		{"tensor", "dtype", "shape", "count", "min", "max", "mean", "std", "nan", "inf", "zeros", "flags"},
		{"'=1+1", "F32", "[2]", "2", "-2", "-1", "-1.5", "0.5", "0", "0", "0", ""},
		{"b", "F32", "[1]", "1", "", "", "", "", "1", "0", "0", "nan"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStatsText(t *testing.T) {
	st := Stats{All: 9, Rows: []StatsRow{summed(t, "a", 0, 1, 2, 3, 6, nan), summed(t, "z", 0, 0, 0), summed(t, "k", 0, 0.1, 0.1), summed(t, "e", 0)}}
	var b bytes.Buffer
	if err := st.Text(&b, typeset.Style{}); err != nil {
		t.Fatal(err)
	}
	want := `TENSOR  DTYPE  COUNT  MIN  MAX  MEAN      STD  NAN  INF  ZEROS  FLAGS
a       F32        5    1    6     3  1.87083    1    0      0  nan
z       F32        2    0    0     0        0    0    0      2  all-zero
k       F32        2  0.1  0.1   0.1        0    0    0      0  constant
e       F32        0    -    -     -        -    0    0      0  empty

nan: NaN in 1 tensor: a
all-zero: only zeros in 1 tensor: z
constant: a single value in 1 tensor: k
empty: no values in 1 tensor: e
4 of 9 tensors, 9 numbers, 36 bytes
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Of 1, 1, 1, 1 and 4 in three parts of width 1: four, none, one. A full bar is 6
// lines of 8 eighths; a quarter of it is 12 eighths, a line and a half. By
// logarithm it is 48 * log 2 / log 5 = 20.7, so 21 eighths: two lines and five.
func TestPlot(t *testing.T) {
	for _, tt := range []struct {
		plot Plot
		want string
	}{
		{Plot{}, "  █\n  █\n  █\n  █\n  █ ▄\n  █ █\n  1 4\n  4 numbers in the highest bar\n"},
		{Plot{Log: true}, "  █\n  █\n  █\n  █ ▅\n  █ █\n  █ █\n  1 4\n  4 numbers in the highest bar, logarithmic scale\n"},
	} {
		r := summed(t, "a", 3, 1, 1, 1, 1, 4)
		var b strings.Builder
		w := bufio.NewWriter(&b)
		tt.plot.write(w, typeset.Style{}, r.Summary, false)
		w.Flush()
		if diff := cmp.Diff(tt.want, b.String()); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", tt.plot, diff)
		}
	}
}

// A count of one beside millions still shows.
func TestPlotShowsTheRarest(t *testing.T) {
	var b strings.Builder
	w := bufio.NewWriter(&b)
	(&Plot{}).write(w, typeset.Style{}, &stats.Summary{Histogram: stats.Histogram{Edges: []float64{0, 1, 2}, Counts: []int64{1 << 40, 1}}}, false)
	w.Flush()
	if !strings.Contains(b.String(), "  █▁\n") {
		t.Errorf("%s", b.String())
	}
}

// No bar is lost where there is no room for all: 5 counts in 2 columns are sums
// of 3 and of 2.
func TestFewerBars(t *testing.T) {
	counts := []int64{1, 2, 3, 4, 5}
	for _, tt := range []struct {
		room int
		want []int64
	}{{0, counts}, {5, counts}, {4, []int64{3, 7, 5}}, {2, []int64{6, 9}}, {1, []int64{15}}} {
		if diff := cmp.Diff(tt.want, fewer(counts, tt.room)); diff != "" {
			t.Errorf("%d columns (-want +got):\n%s", tt.room, diff)
		}
	}
}

// Package xml reads the drawing: one path for each tensor that has numbers, and
// names as text, from which nothing has become an element.
func TestSVG(t *testing.T) {
	st := Stats{Rows: []StatsRow{summed(t, hostile, 4, 1, 2, 3, nan), summed(t, "empty", 4), summed(t, "one", 4, 7)}}
	var b bytes.Buffer
	if err := st.SVG(&b, typeset.Style{}); err != nil {
		t.Fatal(err)
	}
	elements := make(map[string]int)
	var text strings.Builder
	for d := xml.NewDecoder(&b); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			elements[x.Name.Local]++
		case xml.CharData:
			text.Write(x)
		}
	}
	if elements["svg"] != 1 || elements["path"] != 2 || elements["script"] != 0 {
		t.Errorf("the drawing has %v", elements)
	}
	if !strings.Contains(text.String(), `=</text><script>alert(1)</script>&\u001b[2J\u202e`) {
		t.Errorf("the drawing has no name: %s", text.String())
	}
}
