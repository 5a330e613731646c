// Reports of edit as text.

package receipt

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/edit"
)

// Text writes changed tensors, changed metadata and all files. On a terminal it shortens long
// lists unless All is set.
func (e *Edit) Text(w io.Writer, s typeset.Style) error {
	return typeset.Buffered(w, func(w *bufio.Writer) {
		e.writeTensors(w, s)
		e.writeMetadata(w, s)
		title := "FIXED"
		if e.DryRun {
			title = "WOULD BE FIXED"
		}
		writeFaults(w, s, title, e.Mended)
		writeFaults(w, s, "NOT FIXED", e.Left)
		if len(e.Files) > 0 {
			e.writeFiles(w, s)
		}
		writeNotes(w, s, append(e.Skipped.notes(), e.Carried.notes(!e.DryRun)...)...)
		for _, line := range e.verdict() {
			typeset.Wrap(w, s, 0, typeset.Bold, line)
		}
	})
}

// writeTensors writes the changed tensors.
func (e *Edit) writeTensors(w *bufio.Writer, s typeset.Style) {
	const most = 40 // on a terminal
	var rows []*edit.Tensor
	for i := range e.Tensors {
		if whatOf(&e.Tensors[i]) != "" {
			rows = append(rows, &e.Tensors[i])
		}
	}
	shown := len(rows)
	if s.Terminal() && !e.All {
		shown = min(shown, most)
	}
	t := &typeset.Table{N: shown, Columns: []typeset.Column{
		{Title: "CHANGE", Color: typeset.Yellow, Cell: func(i int) string { return whatOf(rows[i]) }},
		{Title: "TENSOR", Distinct: true, Least: s.NameWidth(),
			Cell: func(i int) string { return wasOf(rows[i]) }},
		{Title: "DTYPE", Color: typeset.Cyan, Yields: 2, Cell: func(i int) string { return dtypesOf(rows[i]) }},
		{Title: "BYTES", Right: true, Yields: 1, Cell: func(i int) string { return typeset.Bytes(sizeOf(rows[i])) }},
	}}
	totals := e.totals()
	if totals.Renamed+totals.Copied+totals.Arranged+totals.New > 0 {
		t.Columns = slices.Insert(t.Columns, 2, typeset.Column{Title: "NOW", Distinct: true, Least: 18, Yields: 3,
			Cell: func(i int) string { return nowOf(rows[i]) }})
	}
	if totals.Cast > 0 && !e.DryRun {
		t.Columns = append(t.Columns,
			e.losses("ROUNDED", rows, func(l edit.Losses) int64 { return l.Rounded }),
			e.losses("TO ZERO", rows, func(l edit.Losses) int64 { return l.Zeroed }),
			e.losses("OUT OF RANGE", rows, func(l edit.Losses) int64 { return l.OutOfRange }))
	}
	t.Write(w, s)
	listing.WriteMore(w, s, len(rows)-shown, "tensor")
	if len(rows) > 0 {
		w.WriteByte('\n')
	}
}

// losses returns a column for losses of casts.
func (e *Edit) losses(title string, rows []*edit.Tensor, count func(edit.Losses) int64) typeset.Column {
	return typeset.Column{Title: title, Right: true, Yields: 4, Cell: func(i int) string {
		if rows[i].Payload != edit.Converted {
			return ""
		}
		return typeset.Count(count(rows[i].Losses))
	}}
}

// whatOf describes the change of a tensor, or returns "".
func whatOf(row *edit.Tensor) string {
	switch {
	case row.Into != "" && row.Now == nil:
		return "joined"
	case row.Now == nil:
		return "dropped"
	case row.Was == nil:
		return "new"
	case row.Copied:
		return "copied"
	case row.How != "":
		return row.How
	case row.Now.Name != row.Was.Name && row.Now.Dtype != row.Was.Dtype:
		return "renamed, cast"
	case row.Now.Name != row.Was.Name:
		return "renamed"
	case row.Now.Dtype != row.Was.Dtype:
		return "cast"
	}
	return ""
}

// nowOf returns the new name of a renamed tensor, or "".
func nowOf(row *edit.Tensor) string {
	switch {
	case row.Now == nil && row.Into == "":
		return ""
	case row.Now == nil:
		return typeset.Name(row.Into)
	case row.Was != nil && row.Now.Name == row.Was.Name:
		return ""
	}
	return typeset.Name(row.Now.Name)
}

// wasOf returns the name in the source, or "".
func wasOf(row *edit.Tensor) string {
	if row.Was == nil {
		return ""
	}
	return typeset.Name(row.Was.Name)
}

// dtypesOf returns the dtype, or both if they differ.
func dtypesOf(row *edit.Tensor) string {
	switch {
	case row.Was == nil:
		return listing.DtypeOf(row.Now.Dtype)
	case row.Now == nil || row.Now.Dtype == row.Was.Dtype:
		return listing.DtypeOf(row.Was.Dtype)
	}
	return listing.DtypeOf(row.Was.Dtype) + " → " + listing.DtypeOf(row.Now.Dtype)
}

// sizeOf returns the size of the output tensor, or of a dropped one.
func sizeOf(row *edit.Tensor) int64 {
	if row.Now == nil {
		return row.Was.Size()
	}
	return row.Now.Size()
}

// writeMetadata writes the changed keys. Equal changes in several files are written once.
func (e *Edit) writeMetadata(w *bufio.Writer, s typeset.Style) {
	for _, g := range listing.Grouped(len(e.Files), func(i, j int) bool {
		a, b := &e.Files[i], &e.Files[j]
		return maps.Equal(a.Before, b.Before) && maps.Equal(a.After, b.After)
	}) {
		f := &e.Files[g.First]
		changes := listing.KeyChanges(f.Before, f.After)
		if f.Action == edit.Removed || f.Action == edit.Omitted || len(changes) == 0 {
			continue
		}
		title := "METADATA"
		if len(e.Files) > 1 {
			title += " of " + g.Of(e.labels()(g.First))
		}
		w.WriteString(s.Paint(typeset.Bold, title) + "\n")
		listing.WriteKeyChanges(w, s, changes)
	}
}

// writeFaults writes violations under a title.
func writeFaults(w *bufio.Writer, s typeset.Style, title string, faults []edit.Fault) {
	const most = 3 // of one rule in one file
	if len(faults) == 0 {
		return
	}
	w.WriteString(s.Paint(typeset.Bold, title) + "\n")
	for _, group := range finding.ByRule(findings(faults)) {
		for i := range group {
			if i == most {
				fmt.Fprintf(w, "  … and %s more like it\n", typeset.Count(int64(len(group)-most)))
				break
			}
			w.WriteString("  " + s.Paint(typeset.Cyan, string(group[i].Rule)) + " ")
			typeset.Wrap(w, s, len("    "), "", group[i].Label()+": "+typeset.Line(group[i].Detail))
		}
	}
	w.WriteByte('\n')
}

// writeFiles writes the table of files.
func (e *Edit) writeFiles(w *bufio.Writer, s typeset.Style) {
	files, short := e.allFiles(), e.labels()
	shown := len(files)
	if s.Terminal() && !e.All {
		shown = min(shown, listing.MostFiles)
	}
	number := func(title string, yields int, value func(*edit.File) string) typeset.Column {
		return typeset.Column{Title: title, Right: true, Yields: yields, Cell: func(i int) string {
			if i == len(e.Files) {
				return "" // the index
			}
			return value(&files[i])
		}}
	}
	t := &typeset.Table{N: shown, Columns: []typeset.Column{
		{Title: "FILE", Distinct: true, Least: 16, Cut: typeset.Headed, Cell: func(i int) string { return short(i) }},
		{Title: "ACTION", Cell: func(i int) string { return e.actionOf(&files[i]) }},
		number("TENSORS", 2, func(f *edit.File) string { return typeset.Count(int64(f.Tensors)) }),
		number("HEADER", 1, func(f *edit.File) string { return typeset.Bytes(f.HeaderSize) }),
		number("FILE SIZE", 3, func(f *edit.File) string { return typeset.Bytes(f.Size) }),
	}}
	t.Write(w, s)
	listing.WriteMore(w, s, len(files)-shown, "file")
	w.WriteByte('\n')
}

// allFiles returns all files, the index last.
func (e *Edit) allFiles() []edit.File {
	files := slices.Clone(e.Files)
	if e.Index != nil {
		files = append(files, *e.Index)
	}
	return files
}

// labels returns a function that names files.
func (e *Edit) labels() func(int) string {
	files := e.allFiles()
	if len(files) == 1 {
		return func(int) string { return typeset.Label(files[0].Path) }
	}
	return listing.ShortPaths(len(files), func(i int) string { return files[i].Path })
}

// actionOf describes what was done to a file, or would be.
func (e *Edit) actionOf(f *edit.File) string {
	text := string(f.Action)
	if f.Action == edit.Overwritten {
		text = fmt.Sprintf("overwritten at %d-%d", f.Overwritten.Begin, f.Overwritten.End)
	}
	if e.DryRun && f.Action != edit.Unchanged && f.Action != edit.Omitted {
		return "would be " + text
	}
	return text
}

// packed describes the parts of packed weights, which are not cast.
func (e *Edit) packed(n int) string {
	of := make(map[safetensors.Dtype]int)
	for i := range e.Tensors {
		if row := &e.Tensors[i]; row.Packed && row.Now != nil {
			of[row.Was.Dtype]++
		}
	}
	var parts []string
	for _, d := range slices.Sorted(maps.Keys(of)) {
		parts = append(parts, fmt.Sprintf("%s %s", typeset.Count(int64(of[d])), listing.DtypeOf(d)))
	}
	return fmt.Sprintf("%s of packed weights and their scales (%s): the values mean nothing without the scales, and "+
		"rounded scales change every value", typeset.Plural(int64(n), "tensor"), strings.Join(parts, ", "))
}

// verdict returns the summary lines.
func (e *Edit) verdict() (lines []string) {
	t := e.totals()
	if len(e.Files)+len(e.Mended) == 0 {
		return append(lines, "nothing to change")
	}
	if len(e.Files) == 0 {
		lines = append(lines, typeset.Plural(int64(len(e.Mended)), "link")+" of the cache; the blobs are unchanged")
		if e.DryRun {
			lines = append(lines, "dry run: nothing was written")
		}
		return lines
	}
	text := typeset.Plural(int64(t.Kept), "tensor") + " kept"
	for _, part := range []struct {
		n    int
		what string
	}{{t.Renamed, "renamed"}, {t.Cast, "cast"}, {t.Copied, "copied"}, {t.Arranged, "rearranged"},
		{t.New, "new"}, {t.Joined, "joined to others"}, {t.Dropped, "dropped"}} {
		if part.n > 0 {
			text += fmt.Sprintf(", %s %s", typeset.Count(int64(part.n)), part.what)
		}
	}
	text += ", " + typeset.ExactBytes(t.Bytes)
	if e.Target != "" {
		text += ", in " + typeset.Label(e.Target)
	}
	lines = append(lines, text)
	if t.Packed > 0 {
		lines = append(lines, "not cast: "+e.packed(t.Packed))
	}
	switch {
	case e.DryRun:
		return append(lines, "dry run: nothing was written")
	case t.files == 0 && e.Index != nil && e.Index.Action == edit.Written:
		return append(lines, "only the index was rewritten")
	case t.files == 0 && len(e.Mended) > 0:
		return append(lines, "only permissions were changed")
	case t.files == 0:
		return append(lines, "nothing to change")
	case t.removed == t.files:
		return append(lines, "only an index was removed")
	case t.written == 0:
		return append(lines, "only headers were written; tensor data is unchanged")
	}
	read := "verified:"
	if t.same > 0 {
		read += fmt.Sprintf(" %s unchanged, by SHA-256", typeset.Plural(int64(t.same), "tensor"))
	}
	if n := t.Arranged + t.New; n > 0 {
		if t.same > 0 {
			read += ";"
		}
		read += fmt.Sprintf(" %s equal to what was computed from the input", typeset.Plural(int64(n), "tensor"))
	}
	if t.same > 0 && t.Cast > 0 {
		read += ";"
	}
	if t.Cast > 0 {
		read += fmt.Sprintf(" %s equal to the cast of the input: %s rounded, %s became zero, %s out of range",
			typeset.Plural(int64(t.Cast), "tensor"), typeset.Plural(t.Rounded, "value"), typeset.Count(t.Zeroed),
			typeset.Count(t.OutOfRange))
	}
	return append(lines, read)
}
