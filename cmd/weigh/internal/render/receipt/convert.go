// Reports of convert.

package receipt

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"

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
	Source, Target string   // as named by the user
	Values         string   // the file of plain values; "" if there is none
	Planned        bool     // a plan; nothing was written
	Version        string   // of the program
	NotCopied      []string // files next to the source that were not copied
}

// convertSource is a source in JSON.
type convertSource struct {
	Path     string           `json:"path"`
	Size     int64            `json:"size"`
	SHA256   *string          `json:"sha256"` // null for a plan
	Format   torch.Format     `json:"format"`
	Root     string           `json:"root"`
	Verdict  string           `json:"verdict"`
	Complete bool             `json:"complete"`
	Reason   *string          `json:"reason"` // null if complete
	Tensors  int              `json:"tensors"`
	Warnings []string         `json:"warnings"`
	Skipped  []convertSkipped `json:"skipped"`
}

// convertSkipped is a skipped value in JSON.
type convertSkipped struct {
	Path        string `json:"path"`
	What        string `json:"what"`
	Tensors     int    `json:"tensors"`
	Values      int    `json:"values"`
	Unsupported bool   `json:"unsupported"`
}

// convertFile is an output file in JSON.
type convertFile struct {
	Path    string `json:"path"`
	Size    int64  `json:"size"`
	Data    int64  `json:"data_size"`
	Tensors int    `json:"tensors"`
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
	Proof  *shards.Proof     `json:"proof"` // null for a plan, like the digest
	SHA256 *string           `json:"sha256"`
}

// convertDropped is a dropped tensor in JSON.
type convertDropped struct {
	Name string `json:"name"`
	Kept string `json:"kept"`
}

// JSON streams weigh.convert/1.
func (c *Convert) JSON(w io.Writer, s typeset.Style) error {
	files, index := c.files()
	var indexPath *string
	if index != "" {
		indexPath = &index
	}
	sources := []convertSource{}
	for _, one := range c.Sources {
		sources = append(sources, sourceJSON(one))
	}
	dropped := []convertDropped{}
	for _, d := range c.Dropped {
		dropped = append(dropped, convertDropped(d))
	}
	totals := c.totals(files)
	return encode.Object(w, s, []encode.Member{
		encode.M("schema", "weigh.convert/1"),
		encode.M("version", c.Version),
		encode.M("source", c.Source),
		encode.M("target", c.Target),
		encode.M("dry_run", c.Planned),
		encode.M("verdict", c.Verdict.String()),
		encode.M("sources", sources),
		encode.M("files", files),
		encode.M("index", indexPath),
		encode.M("tensors", encode.Elements(c.rows())),
		encode.M("dropped", dropped),
		encode.M("shared", append([][]string{}, c.Shared...)),
		encode.M("values", encode.OrNull(c.Values)),
		encode.M("warnings", append([]string{}, c.Warnings...)),
		encode.M("replaced", append([]string{}, c.Files.Replaced...)),
		encode.M("removed", append([]string{}, c.Files.Stale...)),
		encode.M("not_copied", append([]string{}, c.NotCopied...)),
		encode.M("totals", totals),
	})
}

// sourceJSON returns a source for JSON.
func sourceJSON(one *convert.Source) convertSource {
	j := convertSource{
		Path: one.Path, Size: one.Size, SHA256: encode.HexOf(one.SHA256), Format: one.Format, Root: one.Root,
		Verdict: one.Report.Verdict.String(), Complete: one.Report.Complete,
		Tensors: one.Tensors, Warnings: append([]string{}, one.Warnings...), Skipped: []convertSkipped{},
	}
	if !j.Complete {
		j.Reason = &one.Report.Reason
	}
	for _, k := range one.Skipped {
		j.Skipped = append(j.Skipped, convertSkipped{k.Path, k.What, k.Tensors, k.Values, k.Unsupported})
	}
	return j
}

// files returns the output files, and the path of the index or "".
func (c *Convert) files() (files []convertFile, index string) {
	files = []convertFile{}
	for i := range c.Files.Shards {
		shard := &c.Files.Shards[i]
		f := convertFile{Path: c.path(shard.Name), Size: shard.Size, Tensors: len(shard.Tensors)}
		for _, t := range shard.Tensors {
			f.Data = encode.Add(f.Data, t.Size())
		}
		files = append(files, f)
	}
	if c.Files.Index != "" {
		index = c.path(c.Files.Index)
		files = append(files, convertFile{Path: index, Size: c.Files.IndexSize})
	}
	return files, index
}

// path returns the path of an output file.
func (c *Convert) path(name string) string { return filepath.ToSlash(filepath.Join(c.Dir, name)) }

// rows streams the tensors.
func (c *Convert) rows() func(yield func(any) bool) {
	in := make(map[*safetensors.Tensor]string, len(c.Tensors))
	for i := range c.Files.Shards {
		path := c.path(c.Files.Shards[i].Name)
		for _, t := range c.Files.Shards[i].Tensors {
			in[t] = path
		}
	}
	return func(yield func(any) bool) {
		for i := range c.Tensors {
			t := &c.Tensors[i]
			row := convertTensor{t.Name, t.Was, t.Dtype, append(encode.Dims{}, t.Shape...), t.Size(), c.Sources[t.Source].Path,
				in[t.Tensor], nil, encode.HexOf(t.SHA256)}
			if t.Proof != "" {
				row.Proof = &t.Proof
			}
			if !yield(row) {
				return
			}
		}
	}
}

// totals sums up the files.
func (c *Convert) totals(files []convertFile) []encode.Member {
	var data, size int64
	for _, f := range files {
		data, size = encode.Add(data, f.Data), encode.Add(size, f.Size)
	}
	return []encode.Member{encode.M("files", len(files)), encode.M("tensors", len(c.Tensors)), encode.M("bytes", data),
		encode.M("size", size)}
}

// Text writes a table of sources, warnings, and what was written.
func (c *Convert) Text(w io.Writer, s typeset.Style) error {
	return typeset.Buffered(w, func(w *bufio.Writer) {
		c.table().Write(w, s)
		fmt.Fprintln(w)
		say := func(color, text string) { typeset.Wrap(w, s, 0, color, text) }
		c.judgement(say)
		c.leftOut(say)
		if c.Values != "" {
			say("", c.kept())
		}
		if !c.Planned {
			say(typeset.Green, c.proven())
		}
		say(typeset.Bold, c.summary())
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
		return "verified: every tensor was read again, and equals its source"
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

// leftOut writes what was skipped, dropped or shared.
func (c *Convert) leftOut(say func(color, text string)) {
	if root := c.Sources[0].Root; root != "" {
		say("", "weights: the tensors under "+typeset.Name(root))
	}
	var values, without []string // typeset.SomeOf escapes them
	for _, one := range c.Sources {
		for _, k := range one.Skipped {
			text := fmt.Sprintf("%s (%s)", k.Path, k.What)
			if k.Unsupported {
				without = append(without, text)
			} else {
				values = append(values, text)
			}
		}
	}
	var dropped, shared []string
	for _, d := range c.Dropped {
		dropped = append(dropped, fmt.Sprintf("%s (the same as %s)", d.Name, d.Kept))
	}
	for _, names := range c.Shared {
		text := names[0] + " with " + names[1]
		if more := len(names) - 2; more > 0 {
			text += fmt.Sprintf(" and %s more", typeset.Count(int64(more)))
		}
		shared = append(shared, text)
	}
	for _, list := range []struct {
		color, what string
		items       []string
	}{
		{"", "skipped", values},
		{typeset.Yellow, "skipped, because safetensors cannot represent them", without},
		{"", "duplicates, not written", dropped},
		{"", "tensors that share memory, written separately", shared},
		{"", "not copied", c.NotCopied},
	} {
		if len(list.items) > 0 {
			say(list.color, list.what+": "+typeset.SomeOf(list.items))
		}
	}
}

// summary returns the summary line.
func (c *Convert) summary() string {
	verb := "wrote"
	if c.Planned {
		verb = "would write"
	}
	files, index := c.files()
	what := files[0].Path
	if index != "" {
		what = fmt.Sprintf("%s and an index to %s", typeset.Plural(int64(len(files)-1), "shard"), filepath.ToSlash(c.Dir))
	}
	var data int64
	for _, f := range files {
		data = encode.Add(data, f.Data)
	}
	return fmt.Sprintf("%s %s: %s, %s", verb, typeset.Name(what), typeset.Plural(int64(len(c.Tensors)), "tensor"),
		typeset.ExactBytes(data))
}
