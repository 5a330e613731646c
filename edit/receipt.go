// The receipt: what was done, or would be.

package edit

import (
	"path/filepath"

	"github.com/weightools/safetensors"
)

// A Receipt says what an edit did; or what it would do, if DryRun is set: then
// nothing was written, and there are no digests and no counts.
type Receipt struct {
	Source string // as it was named
	Target string // the file or folder that was written, with slashes; "" if it was edited in place
	DryRun bool

	Files   []File
	Index   *File    // nil if there is none
	Tensors []Tensor // of all files, in the order in which they stand in the source
	Mended  []Fault  // rules that the source broke, and what was written does not
}

// An Action is what was done to a file.
type Action string

// The actions. An overwritten file is the same one, with other bytes in its header;
// a written one is new, whether it took the place of another or not.
const (
	Unchanged   Action = "unchanged"
	Overwritten Action = "overwritten"
	Written     Action = "written"
	Removed     Action = "removed" // or not written, for it would have had no tensors
)

// A File is what became of one file of a source. Of an index, only Path and Action
// are told.
type File struct {
	Path   string // where it is now, with slashes; or where it was, if it is Removed
	Action Action

	Size       int64 // in bytes, as is HeaderSize: as the file is now
	HeaderSize int64 // without the eight bytes before it
	Tensors    int

	// Overwritten are the bytes that were written, if only some were.
	Overwritten safetensors.Span

	// Before and After are the metadata; nil if there is none.
	Before, After map[string]string
}

// A Tensor is what became of one tensor.
type Tensor struct {
	Was  *safetensors.TensorInfo
	Now  *safetensors.TensorInfo // nil if it was dropped
	File int                     // which of the Receipt's files it is in, or was

	// Payload says what is known of the tensor's bytes.
	Payload Payload

	// SHA256 is the digest of the bytes that are there now, if Payload is Same or
	// Converted.
	SHA256 [32]byte

	// Losses counts what a cast could not keep. It is zero if Payload is not
	// Converted.
	Losses Losses
}

// A Payload says what is known of a tensor's bytes.
type Payload string

// What is known of bytes. It was found out by reading what was written, before it
// had its name, and comparing it with the source.
const (
	Untouched Payload = "untouched" // no byte of the file's data was written
	Same      Payload = "same"      // read again, they were those of the source
	Converted Payload = "converted" // read again, they were those that a cast makes of the source
	Dropped   Payload = "dropped"
	Planned   Payload = "planned" // of a dry run: it would be Same or Converted
)

// Losses counts the elements that a cast changed. An element is counted once, and
// NaN that stays NaN is no loss.
type Losses struct {
	Rounded    int64 // to another number, but not to zero
	Zeroed     int64 // to zero, since they were too small
	OutOfRange int64 // larger than the dtype's largest, or smaller than its smallest
}

// receipt returns what became of the file, which is at a path.
func (f *file) receipt(path string) File {
	r := File{Path: path, Action: f.action, Before: f.header.Metadata}
	switch f.action {
	case Removed:
		return r
	case Written:
		r.Size, r.HeaderSize = f.newSize, f.newHeader
	default:
		r.Size, r.HeaderSize = f.size, f.header.Size
	}
	r.After, r.Tensors = f.metadata, len(f.header.Tensors)
	for i := range f.changes {
		if f.changes[i].Now == nil {
			r.Tensors--
		}
	}
	if f.patch != nil {
		r.Overwritten = f.patch.span()
	}
	return r
}

// appendRows appends to rows what became of the tensors of the file, the i-th.
func (f *file) appendRows(rows []Tensor, i int) []Tensor {
	for j := range f.header.Tensors {
		if f.changes == nil {
			ti := &f.header.Tensors[j]
			rows = append(rows, Tensor{Was: ti, Now: ti, File: i, Payload: Untouched})
			continue
		}
		c := &f.changes[j]
		row := Tensor{Was: &c.Was.TensorInfo, File: i, Payload: Dropped}
		if c.Now != nil {
			row.Now, row.Payload = &c.Now.TensorInfo, Untouched
			if f.action == Written {
				row.Payload = Planned
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// fillReceipt fills in what is known before anything is written.
func (p *Plan) fillReceipt() {
	r := &Receipt{Source: p.ref, Target: filepath.ToSlash(p.target), DryRun: true}
	n := 0
	for _, f := range p.files {
		n += len(f.header.Tensors)
	}
	r.Tensors = make([]Tensor, 0, n)
	for i, f := range p.files {
		path := p.shown(f.name)
		if f.action != Removed {
			path = p.written(p.nameOf(f))
		}
		r.Files = append(r.Files, f.receipt(path))
		r.Tensors = f.appendRows(r.Tensors, i)
		if f.action == Written || f.action == Overwritten {
			r.Mended = append(r.Mended, f.faults...)
		}
	}
	if p.index != nil {
		r.Index = &File{Path: p.written(p.indexNow), Action: Unchanged}
		if p.target != "" || p.newIndex {
			r.Index.Action = Written
			r.Mended = append(r.Mended, p.faults...)
		}
	}
	p.Receipt = r
}

// written makes the receipt of a dry run that of an edit.
func (r *Receipt) written() {
	r.DryRun = false
	for i := range r.Tensors {
		if row := &r.Tensors[i]; row.Payload == Planned {
			row.Payload = Same
			if row.Now.Dtype != row.Was.Dtype {
				row.Payload = Converted
			}
		}
	}
}
