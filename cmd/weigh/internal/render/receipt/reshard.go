// What split and merge say: which files were written, or would be, and of what.

// Package receipt reports what a command has written, or would write.
package receipt

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// The schemas of a Reshard's machine form.
const (
	SplitSchema = "weigh.split/1"
	MergeSchema = "weigh.merge/1"
)

// A Reshard is the receipt of a model that was written to other files, or the plan
// of that.
type Reshard struct {
	Schema   string
	Targets  []string
	Planned  bool // nothing was written
	InPlace  bool
	Verified bool // every tensor was read again, and was what it had been

	Files []ReshardFile // of the new model
	Index int           // which of them is the index; -1 if none is
	Rows  []ReshardRow  // the tensors, file by file; for the machine form alone
	Large []string      // the tensors that are larger than a shard is to be

	Replaced, Removed []string // what was there before
	NotCopied         []string // what is beside the sources
}

// A ReshardFile is a file of the new model.
type ReshardFile struct {
	Path    string
	Size    int64 // bytes
	Data    int64 // bytes of tensors
	Tensors int
}

// A ReshardRow is a tensor on its way.
type ReshardRow struct {
	*safetensors.TensorInfo
	From   string // the file that it was read from
	File   int    // which of Files it is in
	SHA256 []byte // of its bytes, as they were read from both; nil if they were not
}

// JSON writes the machine form.
func (r *Reshard) JSON(w io.Writer, s typeset.Style) error {
	type file struct {
		Path    string `json:"path"`
		Size    int64  `json:"size"`
		Data    int64  `json:"data_size"`
		Tensors int    `json:"tensors"`
	}
	files := []file{}
	var index *string
	for i, f := range r.Files {
		if i == r.Index {
			index = &r.Files[i].Path
		}
		files = append(files, file(f))
	}
	rows := func(yield func(any) bool) {
		for i := range r.Rows {
			if !yield(r.row(i)) {
				return
			}
		}
	}
	tensors, data, size := r.sums()
	return encode.Object(w, s, []encode.Member{
		encode.M("schema", r.Schema),
		encode.M("targets", r.Targets),
		encode.M("dry_run", r.Planned),
		encode.M("in_place", r.InPlace),
		encode.M("verified", r.Verified),
		encode.M("files", files),
		encode.M("index", index),
		encode.M("tensors", encode.Elements(rows)),
		encode.M("totals", []encode.Member{encode.M("files", len(r.Files)), encode.M("tensors", tensors), encode.M("bytes", data), encode.M("size", size)}),
		encode.M("replaced", append([]string{}, r.Replaced...)),
		encode.M("removed", append([]string{}, r.Removed...)),
		encode.M("not_copied", append([]string{}, r.NotCopied...)),
	})
}

// row returns the machine form of a row.
func (r *Reshard) row(i int) any {
	row := &r.Rows[i]
	var sum *string
	if row.SHA256 != nil {
		text := hex.EncodeToString(row.SHA256)
		sum = &text
	}
	return struct {
		Name   string            `json:"name"`
		Dtype  safetensors.Dtype `json:"dtype"`
		Shape  encode.Dims       `json:"shape"`
		Bytes  int64             `json:"bytes"`
		From   string            `json:"from"`
		File   string            `json:"file"`
		SHA256 *string           `json:"sha256"`
	}{row.Name, row.Dtype, append(encode.Dims{}, row.Shape...), row.Size(), row.From, r.Files[row.File].Path, sum}
}

// sums returns how many tensors there are, and the bytes of all, and of all files.
func (r *Reshard) sums() (tensors, data, size int64) {
	for _, f := range r.Files {
		tensors, data, size = tensors+int64(f.Tensors), encode.Add(data, f.Data), encode.Add(size, f.Size)
	}
	return tensors, data, size
}

// Text writes a table of the files, what they come to, and what there is to know of
// other files.
func (r *Reshard) Text(w io.Writer, s typeset.Style) error {
	return typeset.Buffered(w, func(w *bufio.Writer) {
		r.table().Write(w, s)
		fmt.Fprintln(w)
		say := func(color, text string) { typeset.Wrap(w, s, 0, color, text) }
		if len(r.Large) > 0 {
			say(typeset.Yellow, "larger than a shard is to be, and alone in one: "+typeset.SomeOf(r.Large))
		}
		would := ""
		if r.Planned {
			would = "would be "
		}
		for _, list := range []struct {
			what  string
			names []string
		}{{would + "replaced", r.Replaced}, {would + "removed", r.Removed}, {"not copied", r.NotCopied}} {
			if len(list.names) > 0 {
				say("", list.what+": "+typeset.SomeOf(list.names))
			}
		}
		if r.Verified {
			say(typeset.Green, "read again: every tensor has the bytes that it had")
		}
		say(typeset.Bold, r.summary())
	})
}

// table returns the files as a table.
func (r *Reshard) table() *typeset.Table {
	number := func(title string, yields int, cell func(i int) string) typeset.Column {
		return typeset.Column{Title: title, Right: true, Yields: yields, Cell: cell}
	}
	// An index has no tensors, which is not the same as none.
	ofShard := func(text func(i int) string) func(int) string {
		return func(i int) string {
			if i == r.Index {
				return ""
			}
			return text(i)
		}
	}
	return &typeset.Table{N: len(r.Files), Columns: []typeset.Column{
		{Title: "FILE", Distinct: true, Least: 18, Cut: typeset.Middle, Cell: func(i int) string { return typeset.Name(r.Files[i].Path) }},
		number("TENSORS", 2, ofShard(func(i int) string { return typeset.Count(int64(r.Files[i].Tensors)) })),
		number("BYTES", 1, ofShard(func(i int) string { return typeset.Bytes(r.Files[i].Data) })),
		number("FILE SIZE", 3, func(i int) string { return typeset.Bytes(r.Files[i].Size) }),
	}}
}

// summary says what was written.
func (r *Reshard) summary() string {
	verb := "wrote"
	if r.Planned {
		verb = "would write"
	}
	tensors, data, _ := r.sums()
	shards, index := len(r.Files), ""
	if r.Index >= 0 {
		shards, index = shards-1, " and their index"
	}
	what := typeset.Plural(int64(shards), "file")
	if r.Index >= 0 {
		what = typeset.Plural(int64(shards), "shard")
	}
	return fmt.Sprintf("%s %s%s: %s, %s", verb, what, index, typeset.Plural(tensors, "tensor"), typeset.ExactBytes(data))
}
