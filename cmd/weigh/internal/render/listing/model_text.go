// Models as text.

package listing

import (
	"bufio"
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/model"
	"github.com/weightools/safetensors/model/identity"
)

// writeModels writes each model that the totals do not describe fully.
func (info *Info) writeModels(w *bufio.Writer, s typeset.Style, form InfoForm) {
	shown := 0
	for i := range info.Models {
		m := &info.Models[i]
		if m.plain() && !form.Explain {
			continue
		}
		// A folder may contain a thousand adapters, each a model.
		if shown++; shown > MostFiles && s.Terminal() && !form.All {
			WriteMore(w, s, len(info.Models)-i, "model")
			w.WriteByte('\n')
			return
		}
		title := "MODEL"
		if len(info.Models) > 1 {
			title += " " + typeset.Label(m.Name)
		}
		w.WriteString(s.Paint(typeset.Bold, title) + "\n")
		for _, l := range m.lines() {
			typeset.Entry(w, s, 2, column, typeset.Dim, l.title, l.text)
		}
		w.WriteByte('\n')
		if form.Explain {
			m.writeGroups(w, s)
		}
		if m.Other != nil {
			m.writeOther(w, s)
		}
	}
}

// column is where the texts after titles begin.
const column = 16

// A line is a titled line of a model.
type line struct{ title, text string }

// lines returns the description of a model.
func (m *Model) lines() (lines []line) {
	say := func(title, text string) {
		if text != "" {
			lines = append(lines, line{title, text})
		}
	}
	n := m.Counts
	say("identity", m.identity())
	say("architecture", architecture(m.Facts))
	say("attention", attention(m.Facts))
	// If it equals the total, the summary line shows it.
	if n.Scheme != "" || n.Params != (model.Range{Low: n.Stored, High: n.Stored}) || m.Other != nil {
		say("parameters", countRange(n.Params))
	}
	if n.Unique != n.Params {
		say("unique", countRange(n.Unique)+", without duplicates")
	}
	say("packed", m.packed())
	if f := m.Facts; f.FileType.Value+f.Tokenizer.Value != "" {
		say("file type", typeset.Name(cmp.Or(f.FileType.Value, "unknown")))
		say("tokenizer", typeset.Name(cmp.Or(f.Tokenizer.Value, "none")))
	}
	say("active", active(n.Experts))
	if len(n.Components) > 1 {
		var parts []string
		for _, p := range n.Components {
			if p.Params.High > 0 {
				parts = append(parts, string(p.Key)+" "+shortRange(p.Params))
			}
		}
		text := strings.Join(parts, ", ")
		if body := n.WithoutEmbedding(); body != n.Params {
			text += "; " + countRange(body) + " without the embedding"
		}
		say("components", text)
	}
	if a := m.Facts.Adapter; a != nil {
		say("adapter", adapter(a))
		targets := make([]string, len(a.Targets))
		for i, name := range a.Targets {
			targets[i] = typeset.Shortened(name)
		}
		say("targets", typeset.AtMost(20, targets))
	}
	for i := range n.Groups {
		if g := &n.Groups[i]; !g.Params.Exact() {
			say("unknown", fmt.Sprintf("%s in %s, the first %s: %s", countRange(g.Params),
				typeset.Plural(int64(g.Tensors), "tensor"), typeset.Name(typeset.Shortened(g.First)), g.Why))
		}
	}
	for _, note := range m.notes() {
		say("note", typeset.Line(note))
	}
	if len(lines) == 0 {
		say("parameters", countRange(n.Params))
	}
	return lines
}

// identity returns what signatures tell about a model that has no config.json to name its architecture. See weigh id.
func (m *Model) identity() string {
	id := m.Identity
	if id == nil || id.Status == identity.Unknown || id.Family == "" || m.Facts.Named() {
		return ""
	}
	text := string(id.Kind) + ", " + id.Family
	if v := id.Version(); v != "" {
		text += " " + v
	}
	return typeset.Line(text)
}

// active describes the parameters that a token uses, or the experts if that is unknown.
func active(x *model.Routing) string {
	if x == nil || x.Count == 0 {
		return ""
	}
	experts := typeset.Plural(x.Count, "expert")
	if x.Chosen == 0 {
		return "unknown: how many of " + experts + " a token uses is not in config.json"
	}
	text := fmt.Sprintf("%s: %s of %s per token", shortRange(x.Active), typeset.Count(x.Chosen), experts)
	if x.ActiveBody != x.Active {
		text += fmt.Sprintf(", with the embedding (%s without)", shortRange(x.ActiveBody))
	}
	return text
}

// packed describes packing and its overhead.
func (m *Model) packed() string {
	n := m.Counts
	if n.Scheme == "" {
		return ""
	}
	text := typeset.Name(n.Scheme) + ", " + bitsPerParameter(n)
	if n.Overhead > 0 {
		text += ", " + typeset.Bytes(n.Overhead) + " (" + typeset.Percent(n.Overhead, n.Bytes) +
			") for scales and other overhead"
	}
	return text
}

// bitsPerParameter returns the bits per parameter in words: two numbers if there are bounds.
func bitsPerParameter(n *model.Counts) string {
	low, high := n.BitsPerWeight()
	text := strconv.FormatFloat(low, 'f', 2, 64)
	switch {
	case math.IsInf(high, 1):
		return "at least " + text + " bits per parameter"
	case !n.Params.Exact():
		text += " to " + strconv.FormatFloat(high, 'f', 2, 64)
	}
	return text + " bits per parameter"
}

// architecture describes the architecture.
func architecture(f *model.Facts) string {
	var parts []string
	if f.Name.Value != "" {
		parts = append(parts, typeset.Name(typeset.Shortened(f.Name.Value)))
	} else if f.Type.Value != "" {
		parts = append(parts, typeset.Name(typeset.Shortened(f.Type.Value)))
	}
	return strings.Join(append(parts, sizes(f, []size{{f.Layers, "layers"}, {f.Hidden, "hidden size"},
		{f.Intermediate, "intermediate size"}, {f.Vocab, "vocabulary"}})...), ", ")
}

// attention describes the attention.
func attention(f *model.Facts) string {
	kv := f.KVHeads
	if kv == f.Heads {
		kv = model.Number{} // the usual case
	}
	parts := sizes(f, []size{{f.Heads, "heads"}, {kv, "key-value heads"}, {f.HeadSize, "head size"},
		{f.Context, "context length"}})
	if f.RopeFactor.Value > 0 {
		parts = append(parts, "rope factor "+strconv.FormatFloat(f.RopeFactor.Value, 'g', 6, 64))
	}
	return strings.Join(append(parts, sizes(f, []size{{f.Window, "sliding window"}})...), ", ")
}

// A size is a number with its name.
type size struct {
	number model.Number
	name   string
}

// sizes describes the known sizes.
func sizes(f *model.Facts, list []size) (parts []string) {
	for _, n := range list {
		switch {
		case n.number.From == model.Ambiguous && f.Named(): // not worth a note for a model without a name
			parts = append(parts, n.name+" "+string(model.Ambiguous))
		case n.number.Value > 0:
			parts = append(parts, n.name+" "+typeset.Count(n.number.Value))
		}
	}
	return parts
}

// adapter describes an adapter.
func adapter(a *model.Adapter) string {
	text := a.Kind
	switch {
	case a.Rank.Value > 0:
		text += ", rank " + typeset.Count(a.Rank.Value)
	case a.Rank.From == model.Ambiguous:
		text += ", ranks " + typeset.Count(a.Ranks[0]) + " to " + typeset.Count(a.Ranks[len(a.Ranks)-1])
	}
	switch {
	case a.AlphaFrom == model.Ambiguous:
		text += ", alpha " + string(model.Ambiguous)
	case a.AlphaFrom != model.Unknown:
		text += fmt.Sprintf(", alpha %s (%s)", strconv.FormatFloat(a.Alpha, 'g', 6, 64), a.AlphaFrom)
	}
	text += ", of " + typeset.Plural(int64(a.Modules), "module")
	if names := a.Spelling.Text(); names != "" {
		text += ", " + names
	}
	if a.Base.Value != "" {
		text += fmt.Sprintf(", for %s (%s)", typeset.Name(typeset.Shortened(a.Base.Value)), a.Base.From)
	}
	return text
}

// countRange returns a number as in "8,030,261,248", or its bounds.
func countRange(r model.Range) string { return ranged(r, typeset.Count) }

// shortRange returns a number as in "8.03B", or its bounds.
func shortRange(r model.Range) string { return ranged(r, typeset.Short) }

func ranged(r model.Range, format func(int64) string) string {
	if low, high := format(r.Low), format(r.High); low != high {
		return low + " to " + high
	}
	return format(r.High)
}

// writeGroups writes the counting rules and what each has counted.
func (m *Model) writeGroups(w *bufio.Writer, s typeset.Style) {
	groups := m.Counts.Groups
	t := &typeset.Table{N: len(groups), Columns: []typeset.Column{
		{Title: "COUNTED BY", Cell: func(i int) string { return string(groups[i].Rule) }},
		{Title: "PACKING", Yields: 3, Cell: func(i int) string { return typeset.Name(cmp.Or(groups[i].Scheme, "-")) }},
		{Title: "DTYPE", Color: typeset.Cyan, Yields: 5, Cell: func(i int) string { return DtypeOf(groups[i].Dtype) }},
		{Title: "BITS", Right: true, Yields: 4, Cell: func(i int) string { return positive(groups[i].Bits).Cell() }},
		{Title: "TENSORS", Right: true, Yields: 2,
			Cell: func(i int) string { return typeset.Count(int64(groups[i].Tensors)) }},
		{Title: "ELEMENTS", Right: true, Yields: 6, Cell: func(i int) string { return typeset.Count(groups[i].Stored) }},
		{Title: "PARAMETERS", Right: true, Cell: func(i int) string { return countRange(groups[i].Params) }},
		{Title: "FIRST", Least: s.NameWidth(), Cut: typeset.Dotted, Yields: 1,
			Cell: func(i int) string { return typeset.Name(typeset.Shortened(groups[i].First)) }},
	}}
	t.Write(w, s)
	w.WriteByte('\n')
	for i := range groups {
		if i > 0 && groups[i].Rule == groups[i-1].Rule {
			continue
		}
		typeset.Entry(w, s, 2, column, typeset.Dim, string(groups[i].Rule), groups[i].Rule.Text())
	}
	w.WriteByte('\n')
}

// writeOther writes the count of another program, and the differences.
func (m *Model) writeOther(w *bufio.Writer, s typeset.Style) {
	x := m.Other
	w.WriteString(s.Paint(typeset.Bold, "BY "+x.Name+" "+x.Version) + "\n")
	if x.Refused != "" {
		typeset.Spaces(w, 2)
		typeset.Wrap(w, s, 2, "", "no number: "+typeset.Line(x.Refused))
		w.WriteByte('\n')
		return
	}
	for _, d := range x.Dtypes {
		fmt.Fprintf(w, "  %s  %s\n", s.Paint(typeset.Cyan, fmt.Sprintf("%-8s", DtypeOf(d.Dtype))), typeset.Count(d.Params))
	}
	text := typeset.Count(x.Total) + " parameters"
	ours := m.Counts.Params
	switch {
	case x.Total > ours.High:
		text += ", " + typeset.Count(x.Total-ours.High) + " more than ours"
	case x.Total < ours.Low:
		text += ", " + typeset.Count(ours.Low-x.Total) + " fewer than ours"
	case ours.Exact():
		text += ", as ours"
	}
	fmt.Fprintf(w, "  %-8s  %s\n", "total", text)
	for _, d := range x.Differences {
		sign := "+"
		if d.Params < 0 {
			sign = "-"
		}
		typeset.Spaces(w, 2)
		typeset.Wrap(w, s, 4, "", sign+typeset.Count(max(d.Params, -d.Params))+"  "+typeset.Line(d.Cause))
	}
	w.WriteByte('\n')
}
