// Reports of convert.

package receipt

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/convert"
	"github.com/weightools/safetensors/pickle/torch"
)

// A Convert reports a conversion or its plan.
type Convert struct {
	*convert.Plan
	Out            Files  // what is written
	Source, Target string // as named by the user
	Values         string // the file of plain values; "" if there is none
	Version        string // of the program
}

// convertTensor is a tensor in JSON.
type convertTensor struct {
	Name   string            `json:"name"`
	Was    string            `json:"was"`
	Dtype  safetensors.Dtype `json:"dtype"`
	Shape  encode.Dims       `json:"shape"`
	Bytes  int64             `json:"bytes"`
	Source string            `json:"source"`
	File   string            `json:"file"`
	Proof  *string           `json:"proof"` // null for a plan, like the digest
	SHA256 encode.Hex        `json:"sha256"`
}

// JSON streams weigh.convert/1.
func (c *Convert) JSON(w io.Writer, s typeset.Style) error {
	return encode.Object(w, s, slices.Concat([]encode.Member{
		encode.M("schema", "weigh.convert/1"),
		encode.M("version", c.Version),
		encode.M("source", c.Source),
		encode.M("target", c.Target),
		encode.M("dry_run", !c.Out.Written),
		encode.M("verdict", c.Verdict.String()),
		encode.M("sources", encode.List(c.Sources, sourceJSON)),
	}, c.Out.members(c.rows()), []encode.Member{
		encode.M("dropped", encode.List(c.Dropped, func(d *convert.Dropped) any {
			return []encode.Member{encode.M("name", d.Name), encode.M("kept", d.Kept)}
		})),
		encode.M("shared", c.Shared),
		encode.M("values", encode.OrNull(c.Values)),
		encode.M("warnings", c.Warnings),
	}, c.Out.others(), []encode.Member{c.Out.totals()}))
}

// sourceJSON returns a source for JSON. The digest of a planned one is null, and the reason of a
// complete one.
func sourceJSON(source **convert.Source) any {
	one := *source
	var reason *string
	if !one.Report.Complete {
		reason = &one.Report.Reason
	}
	return []encode.Member{
		encode.M("path", one.Path),
		encode.M("size", one.Size),
		encode.M("sha256", encode.Hex(one.SHA256)),
		encode.M("format", one.Format),
		encode.M("root", one.Root),
		encode.M("verdict", one.Report.Verdict.String()),
		encode.M("complete", one.Report.Complete),
		encode.M("reason", reason),
		encode.M("tensors", one.Tensors),
		encode.M("warnings", one.Warnings),
		encode.M("skipped", encode.List(one.Skipped, func(k *torch.Skipped) any { return skippedJSON(k) })),
	}
}

// rows streams the tensors.
func (c *Convert) rows() encode.Elements {
	in := make(map[*safetensors.Tensor]string, len(c.Tensors))
	for t := range c.Out.Tensors() {
		in[t.Tensor] = c.Out.path(c.Out.Files[t.File].Name)
	}
	return encode.List(c.Tensors, func(t *convert.Tensor) any {
		return convertTensor{t.Name, t.Was, t.Dtype, append(encode.Dims{}, t.Shape...), t.Size(), c.Sources[t.Source].Path,
			in[t.Tensor], encode.OrNull(string(t.Proof)), t.SHA256}
	})
}

// Text writes a table of sources, warnings, and what was written.
func (c *Convert) Text(w io.Writer, s typeset.Style) error {
	return typeset.Buffered(w, func(w *bufio.Writer) {
		c.table().Write(w, s)
		fmt.Fprintln(w)
		say := func(color, text string) { typeset.Wrap(w, s, 0, color, text) }
		c.judgement(say)
		if root := c.Sources[0].Root; root != "" {
			say("", "weights: the tensors under "+typeset.Name(root))
		}
		writeNotes(w, s, c.leftOut()...)
		if c.Values != "" {
			say("", c.kept())
		}
		if c.Out.Written {
			say(typeset.Green, c.proven())
		}
		what := c.Out.path(c.Out.Files[0].Name)
		if c.Out.Index >= 0 {
			what = typeset.Plural(int64(c.Out.Index), "shard") + " and an index to " + filepath.ToSlash(c.Dir)
		}
		say(typeset.Bold, c.Out.summary(typeset.Name(what)))
	})
}

// proven says how the output was verified.
func (c *Convert) proven() string {
	summed := int64(0)
	for i := range c.Tensors {
		if c.Tensors[i].Proof == shards.ByCRC32 {
			summed++
		}
	}
	switch rest := int64(len(c.Tensors)) - summed; {
	case summed == 0:
		return sameAsSource
	case rest == 0:
		return "verified: every tensor was read again, and matches its checksum (CRC-32) in the archive"
	default:
		return fmt.Sprintf("verified: %s by checksums (CRC-32) in the archive, %s byte by byte",
			typeset.Plural(summed, "tensor"), typeset.Plural(rest, "tensor"))
	}
}

// table returns the sources as a table.
func (c *Convert) table() *typeset.Table {
	return &typeset.Table{N: len(c.Sources), Columns: []typeset.Column{
		{Title: "SOURCE", Distinct: true, Least: 18, Cut: typeset.Middle,
			Cell: func(i int) string { return typeset.Name(c.Sources[i].Path) }},
		{Title: "FORMAT", Yields: 3, Cell: func(i int) string { return string(c.Sources[i].Format) }},
		{Title: "VERDICT", Cell: func(i int) string { return c.Sources[i].Report.Verdict.String() }},
		{Title: "TENSORS", Right: true, Yields: 2,
			Cell: func(i int) string { return typeset.Count(int64(c.Sources[i].Tensors)) }},
		{Title: "SIZE", Right: true, Yields: 1, Cell: func(i int) string { return typeset.Bytes(c.Sources[i].Size) }},
	}}
}

// judgement writes verdicts and warnings.
func (c *Convert) judgement(say func(color, text string)) {
	for _, one := range c.Sources {
		name := typeset.Name(one.Path)
		switch one.Report.Verdict {
		case pickle.Dangerous:
			say(typeset.Red, fmt.Sprintf("%s is dangerous to load: %s; its tensors were extracted without running code", name,
				typeset.Line(convert.Worst(one.Report))))
		case pickle.Suspicious:
			say(typeset.Yellow, fmt.Sprintf("%s is suspicious: %s; weigh scan says more", name,
				typeset.Line(convert.Worst(one.Report))))
		}
		for _, text := range one.Warnings {
			say(typeset.Yellow, name+": "+typeset.Line(text))
		}
	}
	for _, text := range c.Warnings {
		say(typeset.Yellow, typeset.Line(text))
	}
}

// leftOut returns what was skipped, dropped or shared.
func (c *Convert) leftOut() []note {
	dropped := note{"", "duplicates, not written", nil}
	shared := note{"", "tensors that share memory, written separately", nil}
	for _, d := range c.Dropped {
		dropped.names = append(dropped.names, fmt.Sprintf("%s (the same as %s)", d.Name, d.Kept))
	}
	for _, names := range c.Shared {
		text := names[0] + " with " + names[1]
		if more := len(names) - 2; more > 0 {
			text += fmt.Sprintf(" and %s more", typeset.Count(int64(more)))
		}
		shared.names = append(shared.names, text)
	}
	return slices.Concat(Skipped(c.Sources).notes(), []note{dropped, shared}, c.Out.Carried.notes(c.Out.Written))
}

// ValuesJSON writes weigh.values/1, indented.
func (c *Convert) ValuesJSON(w io.Writer, _ typeset.Style) error {
	var line, text bytes.Buffer
	err := encode.Object(&line, typeset.Style{}, []encode.Member{
		encode.M("schema", "weigh.values/1"),
		encode.M("files", encode.List(c.Sources, func(source **convert.Source) any {
			values := (*source).Values
			if values == nil {
				values = &torch.Values{JSON: []byte("null")}
			}
			return []encode.Member{
				encode.M("path", (*source).Path),
				encode.M("values", json.RawMessage(values.JSON)),
				encode.M("left_out", encode.List(values.LeftOut, func(k *torch.Skipped) any {
					return []encode.Member{encode.M("path", k.Path), encode.M("what", k.What)}
				})),
			}
		})),
	})
	if err != nil {
		return err
	}
	if err := json.Indent(&text, line.Bytes(), "", "  "); err != nil {
		return err
	}
	_, err = text.WriteTo(w)
	return err
}

// kept says where the values are, and how many are left out.
func (c *Convert) kept() string {
	left := 0
	for _, one := range c.Sources {
		if one.Values != nil {
			left += len(one.Values.LeftOut)
		}
	}
	verb := "are in"
	if !c.Out.Written {
		verb = "would be in"
	}
	text := fmt.Sprintf("other values %s %s", verb, typeset.Name(filepath.ToSlash(c.Values)))
	if left > 0 {
		text += fmt.Sprintf("; %s more cannot be represented in JSON, and are listed there", typeset.Count(int64(left)))
	}
	return text
}
