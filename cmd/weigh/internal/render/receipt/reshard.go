// Reports of split and merge: the files that were written, or would be.

// Package receipt reports what a command has written, or would write.
package receipt

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// A Reshard reports a split or a merge, or the plan of one.
type Reshard struct {
	*shards.Receipt
	Schema   string // "weigh.split/1" or "weigh.merge/1"
	Targets  []string
	InPlace  bool
	Digests  bool  // the receipt has digests
	MaxShard int64 // bytes of data that a shard was to have at most; 0 for no limit
}

// path returns the path of a file that is written, with slashes.
func (r *Reshard) path(name string) string { return filepath.ToSlash(filepath.Join(r.Dir, name)) }

// paths returns the paths of several files.
func (r *Reshard) paths(names []string) []string {
	list := []string{}
	for _, name := range names {
		list = append(list, r.path(name))
	}
	return list
}

// JSON writes the JSON form.
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
		files = append(files, file{r.path(f.Name), f.Size, f.Data, f.Tensors})
		if i == r.Index {
			index = &files[i].Path
		}
	}
	rows := func(yield func(any) bool) {
		for t := range r.Tensors() {
			if !yield(r.row(&t)) {
				return
			}
		}
	}
	tensors, data, size := r.sums()
	return encode.Object(w, s, []encode.Member{
		encode.M("schema", r.Schema),
		encode.M("targets", r.Targets),
		encode.M("dry_run", !r.Written),
		encode.M("in_place", r.InPlace),
		encode.M("verified", r.Verified),
		encode.M("files", files),
		encode.M("index", index),
		encode.M("tensors", encode.Elements(rows)),
		encode.M("totals", []encode.Member{encode.M("files", len(r.Files)), encode.M("tensors", tensors),
			encode.M("bytes", data), encode.M("size", size)}),
		encode.M("replaced", r.paths(r.Replaced)),
		encode.M("removed", r.paths(r.Removed)),
		encode.M("not_copied", append([]string{}, r.NotCopied...)),
	})
}

// row returns the JSON form of a tensor.
func (r *Reshard) row(t *shards.ReceiptTensor) any {
	var sum *string
	if r.Digests && r.Written {
		text := hex.EncodeToString(t.SHA256[:])
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
	}{t.Name, t.Dtype, append(encode.Dims{}, t.Shape...), t.Size(), t.From, r.path(r.Files[t.File].Name), sum}
}

// sums returns the number of tensors, the bytes of all tensors, and those of all files.
func (r *Reshard) sums() (tensors, data, size int64) {
	for _, f := range r.Files {
		tensors, data, size = tensors+int64(f.Tensors), encode.Add(data, f.Data), encode.Add(size, f.Size)
	}
	return tensors, data, size
}

// large returns the names of the tensors that are larger than a shard was to be.
func (r *Reshard) large() (names []string) {
	if r.MaxShard == 0 {
		return nil
	}
	for t := range r.Tensors() {
		if t.Size() > r.MaxShard {
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
		say := func(color, text string) { typeset.Wrap(w, s, 0, color, text) }
		if large := r.large(); len(large) > 0 {
			say(typeset.Yellow, "larger than the maximum shard size, so each has a shard of its own: "+typeset.SomeOf(large))
		}
		would := ""
		if !r.Written {
			would = "would be "
		}
		for _, list := range []struct {
			what  string
			names []string
		}{{would + "replaced", r.paths(r.Replaced)}, {would + "removed", r.paths(r.Removed)}, {"not copied", r.NotCopied}} {
			if len(list.names) > 0 {
				say("", list.what+": "+typeset.SomeOf(list.names))
			}
		}
		if r.Verified {
			say(typeset.Green, "verified: every tensor was read again, and equals its source")
		}
		say(typeset.Bold, r.summary())
	})
}

// table returns the files as a table.
func (r *Reshard) table() *typeset.Table {
	number := func(title string, yields int, cell func(i int) string) typeset.Column {
		return typeset.Column{Title: title, Right: true, Yields: yields, Cell: cell}
	}
	// The cells of an index are empty, and not 0.
	ofShard := func(text func(i int) string) func(int) string {
		return func(i int) string {
			if i == r.Index {
				return ""
			}
			return text(i)
		}
	}
	return &typeset.Table{N: len(r.Files), Columns: []typeset.Column{
		{Title: "FILE", Distinct: true, Least: 18, Cut: typeset.Middle,
			Cell: func(i int) string { return typeset.Name(r.path(r.Files[i].Name)) }},
		number("TENSORS", 2, ofShard(func(i int) string { return typeset.Count(int64(r.Files[i].Tensors)) })),
		number("BYTES", 1, ofShard(func(i int) string { return typeset.Bytes(r.Files[i].Data) })),
		number("FILE SIZE", 3, func(i int) string { return typeset.Bytes(r.Files[i].Size) }),
	}}
}

// summary returns the last line.
func (r *Reshard) summary() string {
	verb := "wrote"
	if !r.Written {
		verb = "would write"
	}
	tensors, data, _ := r.sums()
	what := typeset.Plural(int64(len(r.Files)), "file")
	if r.Index >= 0 {
		what = typeset.Plural(int64(len(r.Files)-1), "shard") + " and an index"
	}
	return fmt.Sprintf("%s %s: %s, %s", verb, what, typeset.Plural(tensors, "tensor"), typeset.ExactBytes(data))
}
