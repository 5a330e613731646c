// Verdicts on files.

// Package scanreport reports what loading a file would run: the verdicts of scan and
// the disassembly of pickle.
package scanreport

import (
	"io"
	"slices"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan"
)

// A Scan is the result of a scan.
type Scan struct {
	Targets []string
	Files   []ScannedFile
	Unread  []finding.Unread // files that could not be read
	FailOn  pickle.Verdict   // the lowest verdict that makes the scan fail
	Root    string           // working directory; see finding.Check
}

// A ScannedFile is a scanned file.
type ScannedFile struct {
	Path  string
	Size  int64 // -1 if unknown
	Links int   // number of further names among the targets
	*scan.Report
}

// Verdict returns the worst verdict.
func (c *Scan) Verdict() pickle.Verdict {
	worst := pickle.Safe
	for i := range c.Files {
		worst = max(worst, c.Files[i].Verdict)
	}
	return worst
}

// Complete reports whether all files were read and analyzed completely.
func (c *Scan) Complete() bool {
	for i := range c.Files {
		if !c.Files[i].Complete {
			return false
		}
	}
	return len(c.Unread) == 0
}

// Failed reports whether the scan fails: whether evidence reaches FailOn. That a file was not analyzed
// completely is no evidence.
func (c *Scan) Failed() bool {
	return slices.ContainsFunc(c.Files, func(f ScannedFile) bool { return f.Evidence >= c.FailOn })
}

// Unanalysed reports whether a file, or a part of one, has a format that is not analyzed.
func (c *Scan) Unanalysed() bool {
	return slices.ContainsFunc(c.Files, func(f ScannedFile) bool { return f.Unanalysed })
}

// Nothing reports whether no file was scanned.
func (c *Scan) Nothing() bool { return len(c.Files) == 0 }

// Parts of the JSON report.
type (
	partJSON struct {
		Path     string       `json:"path"`
		Offset   encode.Known `json:"offset"`
		Size     encode.Known `json:"size"`
		Format   string       `json:"format"`
		Verdict  string       `json:"verdict"`
		Complete bool         `json:"complete"`
		Reason   *string      `json:"reason"`
	}
	importJSON struct {
		Name     string  `json:"name"`
		Resolved string  `json:"resolved"`
		Verdict  string  `json:"verdict"`
		Rule     string  `json:"rule"`
		Member   *string `json:"member"`
		Offset   int64   `json:"offset"`
		Opcode   string  `json:"opcode"`
		Count    int64   `json:"count"`
		Called   bool    `json:"called"`
	}
	callJSON struct {
		Callee  string  `json:"callee"`
		Args    string  `json:"args"`
		Verdict string  `json:"verdict"`
		Rule    string  `json:"rule"`
		Member  *string `json:"member"`
		Offset  int64   `json:"offset"`
		Opcode  string  `json:"opcode"`
		Count   int64   `json:"count"`
	}
	scanFindingJSON struct {
		Rule     string  `json:"rule"`
		Severity string  `json:"severity"`
		Member   *string `json:"member"`
		Offset   int64   `json:"offset"`
		Message  string  `json:"message"`
		Count    int64   `json:"count"`
		Also     []int64 `json:"also"`
	}
)

// JSON streams weigh.scan/1.
func (c *Scan) JSON(w io.Writer, s typeset.Style) error {
	files := encode.Each(len(c.Files), func(i int) any { return c.Files[i].json() })
	unread := encode.List(c.Unread, func(u *finding.Unread) any {
		return []encode.Member{encode.M("file", u.File), encode.M("message", u.Message)}
	})
	return encode.Object(w, s, []encode.Member{
		encode.M("schema", "weigh.scan/1"),
		encode.M("targets", c.Targets),
		encode.M("verdict", c.Verdict().String()),
		encode.M("complete", c.Complete()),
		encode.M("files", files),
		encode.M("unread", unread),
	})
}

// json returns the file for JSON.
func (f *ScannedFile) json() []encode.Member {
	return append([]encode.Member{
		encode.M("path", f.Path),
		encode.M("size", encode.Known(f.Size)),
		encode.M("format", f.Format),
		encode.M("verdict", f.Verdict.String()),
		encode.M("evidence", f.Evidence.String()),
		encode.M("unanalysed", f.Unanalysed),
		encode.M("complete", f.Complete),
		encode.M("reason", encode.OrNull(f.Reason)),
		encode.M("members", encode.List(f.Members, partForm)),
	}, judgementJSON(f.Report)...)
}

// judgementJSON returns the reasons of a verdict for JSON.
func judgementJSON(r *scan.Report) []encode.Member {
	return []encode.Member{
		encode.M("imports", encode.List(r.Imports, importForm)),
		encode.M("calls", encode.List(r.Calls, callForm)),
		encode.M("findings", encode.List(r.Findings, findingForm)),
		encode.M("limited", r.Limited),
		encode.M("omitted", r.Omitted),
	}
}

func partForm(m *scan.Member) any {
	return partJSON{typeset.Shortened(m.Path), encode.Known(m.Offset), encode.Known(m.Size), m.Format,
		m.Verdict.String(), m.Complete, encode.OrNull(m.Reason)}
}

func importForm(im *scan.Import) any {
	return importJSON{
		Name: typeset.Shortened(im.String()), Resolved: typeset.Shortened(im.Resolved()), Verdict: im.Verdict.String(),
		Rule:   string(im.Rule),
		Member: encode.OrNull(typeset.Shortened(im.Member)), Offset: im.Offset, Opcode: im.How, Count: im.Count,
		Called: im.Called,
	}
}

func callForm(c *scan.Call) any {
	return callJSON{typeset.Shortened(c.Callee), c.Args, c.Verdict.String(), string(c.Rule),
		encode.OrNull(typeset.Shortened(c.Member)), c.Offset, c.Opcode.String(), c.Count}
}

func findingForm(f *scan.Finding) any {
	return scanFindingJSON{string(f.Rule), f.Severity.String(), encode.OrNull(typeset.Shortened(f.Member)), f.Offset,
		f.Message, f.Count, also(f)}
}

// also returns the offsets of similar findings.
func also(f *scan.Finding) []int64 {
	return append([]int64{}, f.Also[:max(min(f.Count-1, int64(len(f.Also))), 0)]...)
}
