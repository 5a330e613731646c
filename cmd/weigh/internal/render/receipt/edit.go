// Reports of edit as JSON.

package receipt

import (
	"encoding/hex"
	"io"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/edit"
)

// An Edit reports an edit.
type Edit struct {
	*edit.Receipt
	NotCopied []string // files next to the source that were not copied
}

// editTotals sums up a report.
type editTotals struct {
	Kept       int   `json:"kept"`
	Renamed    int   `json:"renamed"` // among the kept, like the cast
	Cast       int   `json:"cast"`
	Dropped    int   `json:"dropped"`
	Bytes      int64 `json:"bytes"` // of all kept tensors
	Rounded    int64 `json:"rounded"`
	Zeroed     int64 `json:"zeroed"`
	OutOfRange int64 `json:"out_of_range"`

	files, written int   // numbers of changed files, and of new ones
	same           int   // number of tensors verified as unchanged
	size           int64 // bytes of new files
}

// totals sums up the report.
func (e *Edit) totals() (t editTotals) {
	for i := range e.Tensors {
		row := &e.Tensors[i]
		if row.Now == nil {
			t.Dropped++
			continue
		}
		t.Kept++
		t.Bytes = encode.Plus(t.Bytes, encode.Known(row.Now.Size()))
		if row.Now.Name != row.Was.Name {
			t.Renamed++
		}
		if row.Now.Dtype != row.Was.Dtype {
			t.Cast++
		}
		if row.Payload == edit.Same {
			t.same++
		}
		t.Rounded += row.Losses.Rounded
		t.Zeroed += row.Losses.Zeroed
		t.OutOfRange += row.Losses.OutOfRange
	}
	for i := range e.Files {
		switch f := &e.Files[i]; f.Action {
		case edit.Written:
			t.written++
			t.files++
			t.size = encode.Plus(t.size, encode.Known(f.Size))
		case edit.Overwritten, edit.Removed:
			t.files++
		}
	}
	return t
}

// editFile is a file in JSON.
type editFile struct {
	Path        string            `json:"path"`
	Action      edit.Action       `json:"action"`
	Size        int64             `json:"size"`
	HeaderSize  int64             `json:"header_size"`
	Tensors     int               `json:"tensors"`
	Overwritten encode.Pair       `json:"overwritten"` // null for other actions
	Before      map[string]string `json:"metadata_before"`
	After       map[string]string `json:"metadata_after"`
}

// editTensor is a tensor in JSON.
type editTensor struct {
	Name     *string           `json:"name"` // null if dropped, like the dtype
	Was      string            `json:"was"`
	Dtype    *string           `json:"dtype"`
	WasDtype safetensors.Dtype `json:"was_dtype"`
	Shape    encode.Dims       `json:"shape"`
	Bytes    int64             `json:"bytes"`
	File     string            `json:"file"`
	Payload  edit.Payload      `json:"payload"`
	SHA256   *string           `json:"sha256"` // null if not read
	Losses   *editLosses       `json:"losses"` // null if not cast
}

// editLosses is the losses of a cast in JSON.
type editLosses struct {
	Rounded    int64 `json:"rounded"`
	Zeroed     int64 `json:"zeroed"`
	OutOfRange int64 `json:"out_of_range"`
}

// fileJSON returns a file for JSON.
func fileJSON(f *edit.File) editFile {
	at := f.Overwritten
	return editFile{f.Path, f.Action, f.Size, f.HeaderSize, f.Tensors,
		encode.Pair{Begin: at.Begin, End: at.End, Known: f.Action == edit.Overwritten}, f.Before, f.After}
}

// tensorJSON returns a tensor for JSON.
func (e *Edit) tensorJSON(row *edit.Tensor) editTensor {
	j := editTensor{
		Was: row.Was.Name, WasDtype: row.Was.Dtype, Shape: append(encode.Dims{}, row.Was.Shape...),
		File: e.Files[row.File].Path, Payload: row.Payload,
	}
	if row.Now != nil {
		dtype := string(row.Now.Dtype)
		j.Name, j.Dtype, j.Bytes = &row.Now.Name, &dtype, row.Now.Size()
	}
	if row.Payload == edit.Same || row.Payload == edit.Converted {
		digest := hex.EncodeToString(row.SHA256[:])
		j.SHA256 = &digest
	}
	if row.Payload == edit.Converted {
		j.Losses = &editLosses{row.Losses.Rounded, row.Losses.Zeroed, row.Losses.OutOfRange}
	}
	return j
}

// JSON streams weigh.edit/1.
func (e *Edit) JSON(w io.Writer, s typeset.Style) error {
	var target, index any
	if e.Target != "" {
		target = e.Target
	}
	if e.Index != nil {
		index = struct {
			Path   string      `json:"path"`
			Action edit.Action `json:"action"`
		}{e.Index.Path, e.Index.Action}
	}
	files := make([]editFile, len(e.Files))
	for i := range e.Files {
		files[i] = fileJSON(&e.Files[i])
	}
	rows := encode.Each(len(e.Tensors), func(i int) any { return e.tensorJSON(&e.Tensors[i]) })
	return encode.Object(w, s, []encode.Member{
		encode.M("schema", "weigh.edit/1"),
		encode.M("source", e.Source),
		encode.M("target", target),
		encode.M("dry_run", e.DryRun),
		encode.M("files", files),
		encode.M("index", index),
		encode.M("tensors", rows),
		encode.M("mended", finding.FindingsJSON(e.mended())),
		encode.M("not_copied", append([]string{}, e.NotCopied...)),
		encode.M("totals", e.totals()),
	})
}

// mended returns the fixed violations as findings.
func (e *Edit) mended() []finding.Finding {
	list := make([]finding.Finding, len(e.Mended))
	for i, f := range e.Mended {
		list[i] = finding.Finding{Violation: f.Violation, File: f.File}
	}
	return list
}
