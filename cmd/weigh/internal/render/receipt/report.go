// Reports of split and merge, and what all reports have in common.

// Package receipt reports what a command has written, or would write.
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
)

// Files are the files that were written, or would be.
type Files struct {
	*shards.Receipt
	Carried Carried
}

// path returns the path of a file that is written, with slashes.
func (f Files) path(name string) string { return filepath.ToSlash(filepath.Join(f.Dir, name)) }

// paths returns the paths of several files.
func (f Files) paths(names []string) (list []string) {
	for _, name := range names {
		list = append(list, f.path(name))
	}
	return list
}

// index returns the path of the index, or "".
func (f Files) index() string {
	if f.Index < 0 {
		return ""
	}
	return f.path(f.Files[f.Index].Name)
}

// A fileJSON is a file in JSON.
type fileJSON struct {
	Path    string `json:"path"`
	Size    int64  `json:"size"`
	Data    int64  `json:"data_size"`
	Tensors int    `json:"tensors"`
}

// members returns the files and their tensors for JSON.
func (f Files) members(tensors encode.Elements) []encode.Member {
	return []encode.Member{
		encode.M("files", encode.List(f.Files, func(one *shards.ReceiptFile) any {
			return fileJSON{f.path(one.Name), one.Size, one.Data, one.Tensors}
		})),
		encode.M("index", encode.OrNull(f.index())),
		encode.M("tensors", tensors),
	}
}

// others returns for JSON what happened to other files.
func (f Files) others() []encode.Member {
	return append([]encode.Member{
		encode.M("replaced", f.paths(f.Replaced)),
		encode.M("removed", f.paths(f.Removed)),
	}, f.Carried.members()...)
}

// totals returns the totals for JSON.
func (f Files) totals() encode.Member {
	tensors, data, size := f.sums()
	return encode.M("totals", []encode.Member{encode.M("files", len(f.Files)), encode.M("tensors", tensors),
		encode.M("bytes", data), encode.M("size", size)})
}

// sums returns the number of tensors, the bytes of all tensors, and the bytes of all files.
func (f Files) sums() (tensors, data, size int64) {
	for _, one := range f.Files {
		tensors, data, size = tensors+int64(one.Tensors), encode.Add(data, one.Data), encode.Add(size, one.Size)
	}
	return tensors, data, size
}

// summary returns the last line of the text about what was written.
func (f Files) summary(what string) string {
	verb := "wrote"
	if !f.Written {
		verb = "would write"
	}
	tensors, data, _ := f.sums()
	return fmt.Sprintf("%s %s: %s, %s", verb, what, typeset.Plural(tensors, "tensor"), typeset.ExactBytes(data))
}

// sameAsSource says how the output was verified.
const sameAsSource = "verified: every tensor was read again, and equals its source"

// A note is a list of names and what they have in common.
type note struct {
	color, what string
	names       []string
}

// writeNotes writes a line for each note that has names.
func writeNotes(w *bufio.Writer, s typeset.Style, notes ...note) {
	for _, n := range notes {
		if len(n.names) > 0 {
			typeset.Wrap(w, s, 0, n.color, n.what+": "+typeset.SomeOf(n.names))
		}
	}
}

// A Reshard reports a split or a merge, or the plan of one.
type Reshard struct {
	Files
	Skipped  Skipped
	Schema   string // "weigh.split/1" or "weigh.merge/1"
	Targets  []string
	InPlace  bool
	Digests  bool  // the receipt has digests
	MaxShard int64 // bytes of data that a shard was to have at most; 0 for no limit
}

// JSON writes the JSON form.
func (r *Reshard) JSON(w io.Writer, s typeset.Style) error {
	members := append([]encode.Member{
		encode.M("schema", r.Schema),
		encode.M("targets", r.Targets),
		encode.M("dry_run", !r.Written),
		encode.M("in_place", r.InPlace),
		encode.M("verified", r.Verified),
	}, r.members(r.rows)...)
	return encode.Object(w, s, append(append(members, r.totals(), r.Skipped.member()), r.others()...))
}

// A reshardTensor is a tensor in JSON.
type reshardTensor struct {
	Name   string            `json:"name"`
	Dtype  safetensors.Dtype `json:"dtype"`
	Shape  encode.Dims       `json:"shape"`
	Bytes  int64             `json:"bytes"`
	From   string            `json:"from"`
	File   string            `json:"file"`
	SHA256 encode.Hex        `json:"sha256"`
}

// rows streams the tensors.
func (r *Reshard) rows(yield func(any) bool) {
	for t := range r.Tensors() {
		row := reshardTensor{t.Name, t.Dtype, append(encode.Dims{}, t.Shape...), t.Size(), t.From,
			r.path(r.Files.Files[t.File].Name), nil}
		if r.Digests && r.Written {
			row.SHA256 = t.SHA256[:]
		}
		if !yield(row) {
			return
		}
	}
}

// large returns the names of the tensors that are larger than a shard was to be.
func (r *Reshard) large() (names []string) {
	for t := range r.Tensors() {
		if r.MaxShard > 0 && t.Size() > r.MaxShard {
			names = append(names, t.Name)
		}
	}
	return names
}

// Text writes a table of the files, and what happened to other files.
func (r *Reshard) Text(w io.Writer, s typeset.Style) error {
	return typeset.Buffered(w, func(w *bufio.Writer) {
		r.table().Write(w, s)
		fmt.Fprintln(w)
		would := ""
		if !r.Written {
			would = "would be "
		}
		writeNotes(w, s, r.Skipped.notes()...)
		writeNotes(w, s,
			note{typeset.Yellow, "larger than the maximum shard size, so each has a shard of its own", r.large()},
			note{"", would + "replaced", r.paths(r.Replaced)}, note{"", would + "removed", r.paths(r.Removed)})
		writeNotes(w, s, r.Carried.notes(r.Written)...)
		if r.Verified {
			typeset.Wrap(w, s, 0, typeset.Green, sameAsSource)
		}
		what := typeset.Plural(int64(len(r.Files.Files)), "file")
		if r.Index >= 0 {
			what = typeset.Plural(int64(r.Index), "shard") + " and an index"
		}
		typeset.Wrap(w, s, 0, typeset.Bold, r.summary(what))
	})
}

// table returns the files as a table.
func (r *Reshard) table() *typeset.Table {
	files := r.Files.Files
	number := func(title string, yields int, cell func(*shards.ReceiptFile) string) typeset.Column {
		return typeset.Column{Title: title, Right: true, Yields: yields, Cell: func(i int) string {
			if i == r.Index && title != "FILE SIZE" {
				return "" // an index has no tensors
			}
			return cell(&files[i])
		}}
	}
	return &typeset.Table{N: len(files), Columns: []typeset.Column{
		{Title: "FILE", Distinct: true, Least: 18, Cut: typeset.Middle,
			Cell: func(i int) string { return typeset.Name(r.path(files[i].Name)) }},
		number("TENSORS", 2, func(f *shards.ReceiptFile) string { return typeset.Count(int64(f.Tensors)) }),
		number("BYTES", 1, func(f *shards.ReceiptFile) string { return typeset.Bytes(f.Data) }),
		number("FILE SIZE", 3, func(f *shards.ReceiptFile) string { return typeset.Bytes(f.Size) }),
	}}
}
