// Reports of edit as JSON.

package receipt

import (
	"io"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/edit"
)

// An Edit reports an edit.
type Edit struct {
	*edit.Receipt
	Skipped Skipped
	Carried Carried
	All     bool // do not shorten lists on a terminal
}

// editTotals sums up a report.
type editTotals struct {
	Kept    int `json:"kept"`
	Renamed int `json:"renamed"` // among the kept, like the cast
	Cast    int `json:"cast"`
	Packed  int `json:"packed"` // not cast
	Copied  int `json:"copied"` // among the kept
	Dropped int `json:"dropped"`

	Arranged int `json:"arranged"` // among the kept: made of others, or of one whose bytes are not in their place
	Joined   int `json:"joined"`   // neither kept nor dropped: they are part of another tensor
	New      int `json:"new"`      // among the kept

	Bytes int64 `json:"bytes"` // of all kept tensors
	editLosses

	files, written int // numbers of changed files, and of new ones
	removed        int // number of files that were removed
	same           int // number of tensors verified as unchanged
}

// editLosses is the losses of casts in JSON.
type editLosses struct {
	Rounded    int64 `json:"rounded"`
	Zeroed     int64 `json:"zeroed"`
	OutOfRange int64 `json:"out_of_range"`
}

// totals sums up the report.
func (e *Edit) totals() (t editTotals) {
	for i := range e.Tensors {
		row := &e.Tensors[i]
		switch {
		case row.Now == nil && row.Into != "":
			t.Joined++
			continue
		case row.Now == nil:
			t.Dropped++
			continue
		}
		t.Kept++
		if row.Packed {
			t.Packed++
		}
		t.Bytes = encode.Add(t.Bytes, row.Now.Size())
		switch {
		case row.Was == nil:
			t.New++
			continue
		case row.Copied:
			t.Copied++
		case row.How != "":
			t.Arranged++
		case row.Now.Name != row.Was.Name:
			t.Renamed++
		}
		if row.Now.Dtype != row.Was.Dtype && row.How == "" {
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
		switch e.Files[i].Action {
		case edit.Written:
			t.written++
			t.files++
		case edit.Overwritten:
			t.files++
		case edit.Removed:
			t.removed++
			t.files++
		}
	}
	return t
}

// editTensor is a tensor in JSON.
type editTensor struct {
	Name     *string      `json:"name"` // null if dropped, like the dtype
	Was      *string      `json:"was"`  // null if new, like its dtype
	Dtype    *string      `json:"dtype"`
	WasDtype *string      `json:"was_dtype"`
	Shape    encode.Dims  `json:"shape"`
	Bytes    int64        `json:"bytes"`
	File     string       `json:"file"`
	Payload  edit.Payload `json:"payload"`
	SHA256   encode.Hex   `json:"sha256"` // null if not read
	Losses   *editLosses  `json:"losses"` // null if not cast
	Arranged any          `json:"arranged"`
	From     []string     `json:"from"`
	Into     any          `json:"into"`
}

// editFileJSON returns a file for JSON. What was overwritten is null for other actions.
func editFileJSON(f *edit.File) any {
	at := f.Overwritten
	return []encode.Member{
		encode.M("path", f.Path),
		encode.M("action", f.Action),
		encode.M("size", f.Size),
		encode.M("header_size", f.HeaderSize),
		encode.M("tensors", f.Tensors),
		encode.M("overwritten", encode.Pair{Begin: at.Begin, End: at.End, Known: f.Action == edit.Overwritten}),
		encode.M("metadata_before", f.Before),
		encode.M("metadata_after", f.After),
	}
}

// tensorJSON returns a tensor for JSON.
func (e *Edit) tensorJSON(row *edit.Tensor) any {
	j := editTensor{File: e.Files[row.File].Path, Payload: row.Payload, Arranged: encode.OrNull(row.How), From: row.From,
		Into: encode.OrNull(row.Into)}
	if row.Was != nil {
		j.Was, j.WasDtype, j.Shape = &row.Was.Name, (*string)(&row.Was.Dtype), append(encode.Dims{}, row.Was.Shape...)
	}
	if row.Now != nil {
		j.Name, j.Dtype, j.Bytes = &row.Now.Name, (*string)(&row.Now.Dtype), row.Now.Size()
		j.Shape = append(encode.Dims{}, row.Now.Shape...)
	}
	if row.Payload.IsRead() {
		j.SHA256 = row.SHA256[:]
	}
	if row.Payload == edit.Converted {
		j.Losses = (*editLosses)(&row.Losses)
	}
	return j
}

// JSON streams weigh.edit/1.
func (e *Edit) JSON(w io.Writer, s typeset.Style) error {
	var index any
	if e.Index != nil {
		index = []encode.Member{encode.M("path", e.Index.Path), encode.M("action", e.Index.Action)}
	}
	return encode.Object(w, s, append(append([]encode.Member{
		encode.M("schema", "weigh.edit/1"),
		encode.M("source", e.Source),
		encode.M("target", encode.OrNull(e.Target)),
		encode.M("dry_run", e.DryRun),
		encode.M("files", encode.List(e.Files, editFileJSON)),
		encode.M("index", index),
		encode.M("tensors", encode.List(e.Tensors, e.tensorJSON)),
		encode.M("mended", finding.FindingsJSON(findings(e.Mended))),
		encode.M("not_mended", finding.FindingsJSON(findings(e.Left))),
		e.Skipped.member(),
	}, e.Carried.members()...), encode.M("totals", e.totals())))
}

// findings returns violations as findings.
func findings(faults []edit.Fault) []finding.Finding {
	list := make([]finding.Finding, len(faults))
	for i, f := range faults {
		list[i] = finding.Finding{Violation: f.Violation, File: f.File}
	}
	return list
}
