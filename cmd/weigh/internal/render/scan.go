// What scan says: a verdict for each file, and what it rests on.

package render

import (
	"io"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan"
)

// A Scan is what was found at some targets.
type Scan struct {
	Targets []string
	Files   []ScannedFile
	Unread  []Unread // files that could not be read, and so not scanned
	// FailOn is the least severity for which the scan fails. Note fails on any finding.
	FailOn pickle.Severity
	Root   string // the folder in which the program was run; see Check
}

// A ScannedFile is a file that was scanned.
type ScannedFile struct {
	Path  string
	Size  int64 // -1 if it is not known
	Links int   // how many more names it has among the targets
	*scan.Report
}

// Verdict returns the worst of all files.
func (c *Scan) Verdict() pickle.Verdict {
	worst := pickle.Safe
	for i := range c.Files {
		worst = max(worst, c.Files[i].Verdict)
	}
	return worst
}

// Complete says whether all files were read, and seen completely.
func (c *Scan) Complete() bool {
	for i := range c.Files {
		if !c.Files[i].Complete {
			return false
		}
	}
	return len(c.Unread) == 0
}

// Failed says whether something was found of the severity at which the scan fails.
func (c *Scan) Failed() bool {
	for i := range c.Files {
		f := &c.Files[i]
		if c.FailOn > pickle.Note && f.Verdict >= c.FailOn.Verdict() || c.FailOn == pickle.Note && (f.Verdict > pickle.Safe || len(f.Findings) > 0) {
			return true
		}
	}
	return false
}

// Nothing says whether nothing was scanned at all.
func (c *Scan) Nothing() bool { return len(c.Files) == 0 }

// The parts of the machine form.
type (
	partJSON struct {
		Path     string  `json:"path"`
		Offset   known   `json:"offset"`
		Size     known   `json:"size"`
		Format   string  `json:"format"`
		Verdict  string  `json:"verdict"`
		Complete bool    `json:"complete"`
		Reason   *string `json:"reason"`
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

// orNull returns a text, nil if it is empty.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// JSON writes the machine form, "weigh.scan/1".
func (c *Scan) JSON(w io.Writer, s typeset.Style) error {
	files := func(yield func(any) bool) {
		for i := range c.Files {
			if !yield(c.Files[i].json()) {
				return
			}
		}
	}
	unread := func(yield func(any) bool) {
		for _, u := range c.Unread {
			if !yield([]member{{"file", u.File}, {"message", u.Message}}) {
				return
			}
		}
	}
	return writeObject(w, s, []member{
		{"schema", "weigh.scan/1"},
		{"targets", c.Targets},
		{"verdict", c.Verdict().String()},
		{"complete", c.Complete()},
		{"files", elements(files)},
		{"unread", elements(unread)},
	})
}

// json returns the machine form of a file.
func (f *ScannedFile) json() []member {
	return append([]member{
		{"path", f.Path},
		{"size", known(f.Size)},
		{"format", f.Format},
		{"verdict", f.Verdict.String()},
		{"complete", f.Complete},
		{"reason", orNull(f.Reason)},
		{"members", listed(f.Members, partForm)},
	}, judgementJSON(f.Report)...)
}

// judgementJSON returns the machine form of what a verdict rests on.
func judgementJSON(r *scan.Report) []member {
	return []member{
		{"imports", listed(r.Imports, importForm)},
		{"calls", listed(r.Calls, callForm)},
		{"findings", listed(r.Findings, findingForm)},
		{"limited", r.Limited},
		{"omitted", r.Omitted},
	}
}

// listed returns the elements of an array, made one by one.
func listed[T any](list []T, form func(*T) any) elements {
	return func(yield func(any) bool) {
		for i := range list {
			if !yield(form(&list[i])) {
				return
			}
		}
	}
}

func partForm(m *scan.Member) any {
	return partJSON{typeset.Shortened(m.Path), known(m.Offset), known(m.Size), m.Format, m.Verdict.String(), m.Complete, orNull(m.Reason)}
}

func importForm(im *scan.Import) any {
	return importJSON{
		Name: typeset.Shortened(im.String()), Resolved: typeset.Shortened(im.Resolved()), Verdict: im.Verdict.String(), Rule: string(im.Rule),
		Member: orNull(typeset.Shortened(im.Member)), Offset: im.Offset, Opcode: im.How, Count: im.Count, Called: im.Called,
	}
}

func callForm(c *scan.Call) any {
	return callJSON{typeset.Shortened(c.Callee), c.Args, c.Verdict.String(), string(c.Rule), orNull(typeset.Shortened(c.Member)), c.Offset, c.Opcode.String(), c.Count}
}

func findingForm(f *scan.Finding) any {
	return scanFindingJSON{string(f.Rule), f.Severity.String(), orNull(typeset.Shortened(f.Member)), f.Offset, f.Message, f.Count, also(f)}
}

// also returns where the next of findings are that are alike.
func also(f *scan.Finding) []int64 {
	return append([]int64{}, f.Also[:max(min(f.Count-1, int64(len(f.Also))), 0)]...)
}
