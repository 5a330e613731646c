// What check says: every rule that is broken.

package render

import (
	"bufio"
	"fmt"
	"io"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"

	"github.com/weightools/safetensors"
)

// A Check is what was found at some targets, and what was looked at.
type Check struct {
	Targets  []string
	Findings []Finding
	Omitted  int // how many more findings there are, of rules broken a thousand times

	// FailOn is the least severity for which the check fails.
	FailOn safetensors.Severity

	Files   int // how many files were judged
	Tensors int
	Index   bool // whether an index was judged against them
	Data    bool // whether the data was read, too

	// Unread are the files that could not be read, and so not judged.
	Unread []Unread
}

// An Unread is a file that could not be read, and why, as one line: it is the
// same on standard error and in the machine form.
type Unread struct{ File, Message string }

// Failed says whether something was found of the severity at which the check
// fails.
func (c *Check) Failed() bool {
	worst, found := Worst(c.Findings)
	return found && worst >= c.FailOn
}

// Nothing says whether nothing was judged at all.
func (c *Check) Nothing() bool { return c.Files == 0 && len(c.Findings) == 0 }

// JSON writes the machine form, "weigh.check/1".
func (c *Check) JSON(w io.Writer, s typeset.Style) error {
	type unread struct {
		File    string `json:"file"`
		Message string `json:"message"`
	}
	type counts struct {
		Invalid       int `json:"invalid"`
		Nonconforming int `json:"nonconforming"`
		Warning       int `json:"warning"`
		Note          int `json:"note"`
	}
	var n [len(severities)]int
	for i := range c.Findings {
		n[c.Findings[i].Severity()]++
	}
	errors := make([]unread, len(c.Unread))
	for i, u := range c.Unread {
		errors[i] = unread(u)
	}
	return writeObject(w, s, []member{
		{"schema", "weigh.check/1"},
		{"targets", c.Targets},
		{"ok", !c.Failed() && len(c.Unread) == 0},
		{"findings", findingsJSON(c.Findings)},
		{"counts", counts{n[safetensors.Invalid], n[safetensors.Nonconforming], n[safetensors.Warning], n[safetensors.Note]}},
		{"omitted", c.Omitted},
		{"unread", errors},
	})
}

// Text writes the findings by file and rule, and a last line that says what
// they come to. Of each rule in each file it writes five, or all.
func (c *Check) Text(w io.Writer, s typeset.Style, all bool) error {
	most := 5 // a broken writer breaks one rule in every tensor
	if all {
		most = 0
	}
	return typeset.Buffered(w, func(w *bufio.Writer) {
		if len(c.Findings) > 0 {
			writeFindings(w, s, c.Findings, most)
			if c.Omitted > 0 {
				fmt.Fprintf(w, "… and %s of rules that are broken more than a thousand times\n", typeset.Count(int64(c.Omitted)))
			}
			w.WriteByte('\n')
		}
		verdict, color := c.verdict()
		if len(c.Targets) == 1 {
			verdict = s.Fit(label(c.Targets[0])+":") + " " + verdict
		}
		typeset.Wrap(w, s, 0, color, verdict)
	})
}

// verdict says what was found and what was looked at.
func (c *Check) verdict() (text, color string) {
	found := tally(c.Findings)
	if c.Omitted > 0 {
		found += " and " + typeset.Count(int64(c.Omitted)) + " more"
	}
	switch {
	case c.Failed():
		text, color = "broken: "+found, typeset.Red
	case len(c.Unread) > 0:
		text, color = "not all could be read", typeset.Red
		if found != "" {
			text += ": " + found
		}
	case found != "":
		text, color = "ok, with "+found, typeset.Yellow
	default:
		text, color = "ok", typeset.Green
	}
	return text + "; checked " + c.extent(), color
}

// extent says what was looked at.
func (c *Check) extent() string {
	text := fmt.Sprintf("%s and %s: ", typeset.Plural(int64(c.Files), "file"), typeset.Plural(int64(c.Tensors), "tensor"))
	text += "headers, names, shapes, sizes and offsets"
	if c.Index {
		text += ", the index against the shards"
	}
	if c.Data {
		return text + ", and all values"
	}
	return text + "; values were not read"
}
