// What models are.

package listing

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/model/identity"
)

// An Identified is a model and what it is.
type Identified struct {
	Name   string
	PartOf string // the Name of the pipeline that it is a part of, or ""
	*identity.Identity
}

// Identities is the report of the command id.
type Identities struct {
	Inventory
	Models []Identified
	All    bool // show all evidence on a terminal
}

// Text writes a table of the models, and what decided for each.
func (r *Identities) Text(w io.Writer, s typeset.Style) error {
	return typeset.Buffered(w, func(w *bufio.Writer) {
		if len(r.Models) > 1 {
			r.writeTable(w, s)
		}
		for i := range r.Models {
			if i > 0 {
				w.WriteByte('\n')
			}
			r.Models[i].write(w, s, r.All)
		}
		if len(r.Findings)+len(r.Omitted) > 0 {
			w.WriteByte('\n')
		}
		finding.WriteProblems(w, s, r.Findings, r.Omitted)
	})
}

// writeTable writes a line for each model.
func (r *Identities) writeTable(w *bufio.Writer, s typeset.Style) {
	name := ShortPaths(len(r.Models), func(i int) string { return r.Models[i].Name })
	t := &typeset.Table{N: len(r.Models), Columns: []typeset.Column{
		{Title: "MODEL", Distinct: true, Least: 16, Cut: typeset.Headed, Cell: name},
		{Title: "KIND", Cell: func(i int) string { return r.Models[i].kind() }},
		{Title: "FAMILY", Cell: func(i int) string { return typeset.Name(cmp.Or(r.Models[i].Family, "unknown")) }},
		{Title: "VERSION", Yields: 1, Cell: func(i int) string { return typeset.Name(cmp.Or(r.Models[i].Version(), "-")) }},
	}}
	t.Write(w, s)
	w.WriteByte('\n')
}

// kind returns the kind, with the method of an adapter, or "unknown".
func (m *Identified) kind() string {
	text := cmp.Or(string(m.Kind), string(identity.Unknown))
	if m.Adapter != nil {
		text += " (" + m.Adapter.Kind + ")"
	}
	return text
}

// mostEvidence is the number of facts that a terminal shows for each model.
const mostEvidence = 8

// write writes what a model is, and why.
func (m *Identified) write(w *bufio.Writer, s typeset.Style, all bool) {
	w.WriteString(s.Paint(typeset.Bold, typeset.Label(m.Name)) + "\n")
	say := func(title, text string) {
		if text != "" {
			typeset.Entry(w, s, 2, column, typeset.Dim, title, text)
		}
	}
	say("kind", m.whole())
	say("family", typeset.Line(m.Family))
	say("version", typeset.Line(m.Version()))
	if m.Status == identity.Ambiguous {
		say("ambiguous", typeset.Line(m.Because))
	}
	if a := m.Adapter; a != nil {
		say("adapter", adapter(a))
		targets := make([]string, len(a.Targets))
		for i, name := range a.Targets {
			targets[i] = typeset.Shortened(name)
		}
		say("targets", typeset.AtMost(20, targets))
	}
	for _, c := range m.Candidates {
		say("about", typeset.Line(c.Says))
	}
	m.writeEvidence(say, s.Terminal() && !all)
	for _, note := range m.Notes {
		say("note", typeset.Line(note))
	}
	for _, text := range m.Seen {
		say("seen", typeset.Line(text))
	}
	if m.Kind != identity.Pipeline {
		for i := range m.Parts {
			say("part", partText(&m.Parts[i]))
		}
	}
}

// whole returns the kind, and the kinds of the parts.
func (m *Identified) whole() string {
	text := m.kind()
	if len(m.Parts) == 0 {
		return text
	}
	var kinds []string
	for i := range m.Parts {
		kinds = append(kinds, cmp.Or(string(m.Parts[i].Kind), string(identity.Unknown)))
	}
	return text + ": " + typeset.AtMost(20, kinds)
}

// writeEvidence writes what decided.
func (m *Identified) writeEvidence(say func(title, text string), short bool) {
	for i, e := range m.Evidence {
		if short && i == mostEvidence {
			say("evidence", fmt.Sprintf("… and %s; see --all", typeset.Plural(int64(len(m.Evidence)-i), "fact")))
			return
		}
		say("evidence", evidenceText(e))
	}
}

// evidenceText describes a fact in one line.
func evidenceText(e identity.Evidence) string {
	if e.Tensor == nil {
		return typeset.Line(typeset.Shortened(e.Text))
	}
	return typeset.Name(typeset.Shortened(e.Tensor.Name)) + " " + e.Tensor.ShapeString()
}

// partText describes a part in one line.
func partText(p *identity.Part) string {
	text := strings.TrimSpace(string(p.Kind) + " " + p.Family)
	if v := p.Version(); v != "" {
		text += " " + v
	}
	if p.Root != "" {
		text += ", below " + strings.TrimSuffix(p.Root, ".")
	}
	return typeset.Line(text) + ", " + typeset.Plural(int64(p.Tensors), "tensor")
}

// JSON writes weigh.id/1.
func (r *Identities) JSON(w io.Writer, s typeset.Style) error {
	return encode.Object(w, s, []encode.Member{
		encode.M("schema", "weigh.id/1"),
		encode.M("targets", r.Targets),
		encode.M("models", encode.List(r.Models, (*Identified).json)),
		encode.M("violations", finding.FindingsJSON(r.Findings)),
	})
}

// json returns a model for JSON.
func (m *Identified) json() any {
	members := []encode.Member{encode.M("name", m.Name), encode.M("part_of", encode.OrNull(m.PartOf))}
	members = append(members, partMembers(&m.Part)...)
	return append(members,
		encode.M("adapter", adapterJSON(m.Adapter)),
		encode.M("seen", m.Seen),
		encode.M("parts", encode.List(m.Parts, func(p *identity.Part) any {
			return append([]encode.Member{encode.M("root", p.Root), encode.M("tensors", p.Tensors)}, partMembers(p)...)
		})))
}

// partMembers returns what models and parts have in common.
func partMembers(p *identity.Part) []encode.Member {
	return []encode.Member{
		encode.M("status", string(p.Status)),
		encode.M("kind", encode.OrNull(string(p.Kind))),
		encode.M("family", encode.OrNull(p.Family)),
		encode.M("versions", p.Versions),
		encode.M("because", encode.OrNull(p.Because)),
		encode.M("signatures", encode.List(p.Candidates, func(s **identity.Signature) any {
			return []encode.Member{encode.M("id", (*s).ID), encode.M("kind", string((*s).Kind)), encode.M("family", (*s).Family),
				encode.M("versions", (*s).Versions), encode.M("about", encode.OrNull((*s).Says))}
		})),
		encode.M("evidence", encode.List(p.Evidence, evidenceJSON)),
		encode.M("notes", p.Notes),
	}
}

// evidenceJSON returns a fact for JSON.
func evidenceJSON(e *identity.Evidence) any {
	if e.Tensor == nil {
		return []encode.Member{encode.M("tensor", nil), encode.M("dtype", nil), encode.M("shape", nil),
			encode.M("text", e.Text)}
	}
	return []encode.Member{encode.M("tensor", e.Tensor.Name), encode.M("dtype", e.Tensor.Dtype),
		encode.M("shape", encode.Dims(e.Tensor.Shape)), encode.M("text", nil)}
}
