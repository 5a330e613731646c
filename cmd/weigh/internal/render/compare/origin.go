// Whether a GGUF model was made from a checkpoint.

package compare

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/gguf/origin"
)

// An Origin is the comparison of a GGUF model with the checkpoint that it may be made of.
type Origin struct {
	*origin.Report
	Model, From string
	All         bool // list every tensor
	Limit       int  // largest number of listed tensors; 0 means all
}

// JSON writes weigh.origin/1.
func (o *Origin) JSON(w io.Writer, s typeset.Style) error {
	return encode.Object(w, s, []encode.Member{
		encode.M("schema", "weigh.origin/1"),
		encode.M("model", o.Model),
		encode.M("from", o.From),
		encode.M("architecture", o.Architecture),
		encode.M("verdict", o.Verdict),
		encode.M("tensors", encode.List(o.Tensors, func(t *origin.Tensor) any {
			return []encode.Member{
				encode.M("name", t.Name), encode.M("type", t.Type), encode.M("from", append([]string{}, t.From...)),
				encode.M("how", t.How), encode.M("state", t.State), encode.M("why", encode.OrNull(t.Why)),
				encode.M("error", encode.Finite(t.Error)), encode.M("rounding", encode.Finite(t.Rounding)),
				encode.M("max_diff", encode.Finite(t.Most)),
			}
		})),
		encode.M("missing", append([]string{}, o.Missing...)),
	})
}

// Text writes the types, the tensors that are not as expected, and the verdict.
func (o *Origin) Text(w io.Writer, s typeset.Style) error {
	return typeset.Buffered(w, func(w *bufio.Writer) {
		o.types(w, s)
		o.list(w, s)
		for i, name := range o.Missing {
			if i == 5 && !o.All {
				fmt.Fprintf(w, "missing  and %d more\n\n", len(o.Missing)-i)
				break
			}
			fmt.Fprintf(w, "missing  %s\n", typeset.Name(name))
			if i == len(o.Missing)-1 {
				w.WriteByte('\n')
			}
		}
		typeset.Wrap(w, s, 0, typeset.Bold, o.verdict())
	})
}

// ofType are the sums over the tensors of one type.
type ofType struct {
	kind                    safetensors.Dtype
	tensors, equal, rounded int
	err, rounding           float64
}

// types writes a table of types.
func (o *Origin) types(w *bufio.Writer, s typeset.Style) {
	var list []*ofType
	for i := range o.Tensors {
		t := &o.Tensors[i]
		at := slices.IndexFunc(list, func(k *ofType) bool { return k.kind == t.Type })
		if at < 0 {
			at = len(list)
			list = append(list, &ofType{kind: t.Type})
		}
		k := list[at]
		k.tensors++
		switch t.State {
		case origin.Equal:
			k.equal++
		case origin.Rounded:
			k.rounded++
		}
		k.err, k.rounding = max(k.err, t.Error), max(k.rounding, t.Rounding)
	}
	slices.SortStableFunc(list, func(a, b *ofType) int { return -cmp.Compare(a.tensors, b.tensors) })
	count := func(title string, yields int, n func(*ofType) int) typeset.Column {
		return typeset.Column{Title: title, Right: true, Yields: yields,
			Cell: func(i int) string { return typeset.Count(int64(n(list[i]))) }}
	}
	t := &typeset.Table{N: len(list), Columns: []typeset.Column{
		{Title: "TYPE", Color: typeset.Cyan, Cell: func(i int) string { return typeset.Name(string(list[i].kind)) }},
		count("TENSORS", 0, func(k *ofType) int { return k.tensors }),
		count("EQUAL", 2, func(k *ofType) int { return k.equal }),
		count("ROUNDED", 1, func(k *ofType) int { return k.rounded }),
		{Title: "MAX ERROR", Right: true, Cell: func(i int) string { return fraction(list[i].err) }},
		{Title: "BY ROUNDING", Right: true, Cell: func(i int) string { return fraction(list[i].rounding) }},
	}}
	t.Write(w, s)
	w.WriteByte('\n')
}

// list writes a table of tensors: all, or those that are not as expected.
func (o *Origin) list(w *bufio.Writer, s typeset.Style) {
	var list []*origin.Tensor
	for i := range o.Tensors {
		if t := &o.Tensors[i]; o.All || t.State != origin.Equal && t.State != origin.Rounded && t.State != origin.Skipped {
			list = append(list, t)
		}
	}
	shown := len(list)
	if o.Limit > 0 {
		shown = min(shown, o.Limit)
	}
	if shown == 0 {
		return
	}
	t := &typeset.Table{N: shown, Columns: []typeset.Column{
		{Title: "TENSOR", Distinct: true, Least: s.NameWidth(), Cut: typeset.Dotted,
			Cell: func(i int) string { return typeset.Name(list[i].Name) }},
		{Title: "TYPE", Color: typeset.Cyan, Yields: 2, Cell: func(i int) string { return typeset.Name(string(list[i].Type)) }},
		{Title: "RESULT", Cell: func(i int) string { return string(list[i].State) }},
		{Title: "ERROR", Right: true, Cell: func(i int) string { return fraction(list[i].Error) }},
		{Title: "BY ROUNDING", Right: true, Yields: 3, Cell: func(i int) string { return fraction(list[i].Rounding) }},
		{Title: "FROM", Least: 16, Yields: 1, Cut: typeset.Dotted, Cell: func(i int) string {
			return cmp.Or(list[i].Why, typeset.Name(strings.Join(list[i].From[:min(1, len(list[i].From))], "")))
		}},
	}}
	t.Write(w, s)
	if shown < len(list) {
		fmt.Fprintf(w, "… and %s more\n", typeset.Count(int64(len(list)-shown)))
	}
	w.WriteByte('\n')
}

// fraction returns an error for a table.
func fraction(x float64) string {
	if x == 0 {
		return "0"
	}
	return strconv.FormatFloat(x, 'e', 1, 64)
}

// verdict is the verdict as a sentence.
func (o *Origin) verdict() string {
	counts := make(map[origin.State]int)
	for i := range o.Tensors {
		counts[o.Tensors[i].State]++
	}
	var parts []string
	for _, p := range []struct {
		state origin.State
		words string
	}{{origin.Equal, "equal"}, {origin.Rounded, "rounded to their type"}, {origin.Off, "off"},
		{origin.Other, "with other numbers"}, {origin.Shape, "of another shape"},
		{origin.Unmatched, "without a source"}, {origin.Skipped, "not compared"}} {
		if n := counts[p.state]; n > 0 {
			parts = append(parts, typeset.Count(int64(n))+" "+p.words)
		}
	}
	if n := len(o.Missing); n > 0 {
		parts = append(parts, typeset.Count(int64(n))+" missing")
	}
	model, from := typeset.Label(o.Model), typeset.Label(o.From)
	says := model + " is not made from " + from + " alone"
	switch o.Verdict {
	case origin.MadeFrom:
		says = model + " is made from " + from
	case origin.Different:
		says = model + " has names as those of " + from + ", and other shapes or numbers"
	}
	return says + ": " + typeset.Plural(int64(len(o.Tensors)), "tensor") + ", " + strings.Join(parts, ", ")
}
