// What check says: every rule that is broken.

package finding

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"

	"github.com/weightools/safetensors"
)

// Never is the severity from which on a check fails that never fails: nothing is
// as severe.
const Never = safetensors.Invalid + 1

// A Check is what was found at some targets, and what was looked at.
type Check struct {
	Targets  []string
	Findings []Finding
	Omitted  []Omission // what is not among Findings, of rules broken a thousand times

	// FailOn is the least severity for which the check fails.
	FailOn safetensors.Severity

	Files   []string // which files were judged
	Tensors int
	Index   bool // whether an index was judged against them
	Data    bool // whether the data was read, too

	// Described says whether tensors were judged by a configuration, such as
	// config.json: a folder without one is ok more easily.
	Described bool

	// Unread are the files that could not be read, and so not judged.
	Unread []Unread

	// Configs are the files by which findings were allowed, as the user can open
	// them, and Baseline is the one in which they are recorded, or "".
	Configs  []string
	Baseline string

	// Stale are what the baseline records and what is no longer found.
	Stale []Stale

	// Root is the folder in which the program was run, absolute and with
	// slashes, or "". What lies in it has a relative address in SARIF.
	Root string
}

// An Unread is a file that could not be read, and why, as one line: it is the
// same on standard error and in the machine form.
type Unread struct{ File, Message string }

// A Stale is what a baseline records and is no longer found, so often.
type Stale struct {
	Rule   string `json:"rule"`
	File   string `json:"file"`
	Tensor string `json:"tensor"`
	Count  int    `json:"count"`
}

// String returns what is recorded as in "overlap in a.safetensors, tensor b".
func (st *Stale) String() string {
	text := typeset.Name(st.Rule) + " in " + typeset.Label(st.File)
	if st.Tensor != "" {
		text += ", tensor " + typeset.Name(st.Tensor)
	}
	if st.Count > 1 {
		text += ", " + typeset.Count(int64(st.Count)) + " times"
	}
	return text
}

// Failed says whether something was found of the severity at which the check
// fails, and is not allowed.
func (c *Check) Failed() bool {
	n := countFindings(c.Findings, c.Omitted, false)
	for s := range n {
		if n[s] > 0 && safetensors.Severity(s) >= c.FailOn {
			return true
		}
	}
	return false
}

// Nothing says whether nothing was judged at all.
func (c *Check) Nothing() bool { return len(c.Files) == 0 && len(c.Findings) == 0 }

// A CheckForm says how much of a check its text has.
type CheckForm struct {
	All     bool // every finding that is kept, and not five of each rule in each file
	Verbose bool // what is allowed, too
}

// Text writes the findings by file and rule, what the baseline has in vain, and a
// last line that says what it all comes to.
func (c *Check) Text(w io.Writer, s typeset.Style, form CheckForm) error {
	most := 5 // a broken writer breaks one rule in every tensor
	if form.All {
		most = 0
	}
	list := groupFindings(c.Findings, c.Omitted)
	if !form.Verbose {
		list = slices.DeleteFunc(list, func(g findingGroup) bool { return g.allowed != "" })
	}
	return typeset.Buffered(w, func(w *bufio.Writer) {
		if len(list) > 0 {
			writeFindings(w, s, list, most)
			w.WriteByte('\n')
		}
		c.writeStale(w, s, most)
		verdict, color := c.verdict()
		if len(c.Targets) == 1 {
			verdict = s.Fit(typeset.Label(c.Targets[0])+":") + " " + verdict
		}
		typeset.Wrap(w, s, 0, color, verdict)
	})
}

// writeStale writes what is recorded in the baseline and no longer found, at most
// most of it, or all if that is 0.
func (c *Check) writeStale(w *bufio.Writer, s typeset.Style, most int) {
	if len(c.Stale) == 0 {
		return
	}
	w.WriteString(s.Paint(typeset.Bold, s.Fit(typeset.Label(c.Baseline))) + "\n")
	for i := range c.Stale {
		typeset.Spaces(w, 2)
		if most > 0 && i == most {
			fmt.Fprintf(w, "… and %s more\n", typeset.Count(int64(len(c.Stale)-most)))
			break
		}
		typeset.Wrap(w, s, 2, "", "stale: "+c.Stale[i].String()+": it is recorded, and no longer found")
	}
	typeset.Spaces(w, 2)
	w.WriteString(s.Paint(typeset.Dim, "→") + " ")
	typeset.Wrap(w, s, 4, "", "Record what is there now, with --write-baseline --force.")
	w.WriteByte('\n')
}

// verdict says what was found and what was looked at.
func (c *Check) verdict() (text, color string) {
	found, allowed := countFindings(c.Findings, c.Omitted, false), countFindings(c.Findings, c.Omitted, true)
	worst, mild := found.String(), allowed.String()
	switch {
	case c.Failed():
		text, color = "broken: "+worst, typeset.Red
	case len(c.Unread) > 0:
		text, color = "not all could be read", typeset.Red
		if worst != "" {
			text += ": " + worst
		}
	case worst != "":
		text, color = "ok, with "+worst, typeset.Yellow
	default:
		text, color = "ok", typeset.Green
	}
	if mild != "" {
		text += "; allowed: " + mild
	}
	return text + "; checked " + c.extent(), color
}

// extent says what was looked at, and by whose leave.
func (c *Check) extent() string {
	text := fmt.Sprintf("%s and %s", typeset.Plural(int64(len(c.Files)), "file"), typeset.Plural(int64(c.Tensors), "tensor"))
	by := make([]string, 0, len(c.Configs)+1)
	for _, name := range c.Configs {
		by = append(by, typeset.Label(name))
	}
	if c.Baseline != "" {
		by = append(by, typeset.Label(c.Baseline))
	}
	if len(by) > 0 {
		text += ", by " + strings.Join(by, " and ")
	}
	text += ": headers, names, shapes, sizes and offsets"
	if c.Index {
		text += ", the index against the shards"
	}
	if c.Described {
		text += ", the configuration against the tensors"
	}
	if c.Data {
		return text + ", and all values"
	}
	return text + "; values were not read"
}
