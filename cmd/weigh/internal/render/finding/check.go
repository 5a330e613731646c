// Results of a check.

package finding

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"

	"github.com/weightools/safetensors"
)

// A Check is the result of a check.
type Check struct {
	Targets  []string
	Findings []Finding
	Omitted  []Omission // findings that were counted but not kept

	// FailOn says which findings make the check fail.
	FailOn Threshold

	Files   []string // the files that were checked
	Tensors int
	Index   bool // an index was checked against the shards
	Data    bool // values were read

	// Described reports whether tensors were checked against a configuration such as config.json.
	Described bool

	// Unread lists files that could not be read.
	Unread []Unread

	// Configs are the files that allow findings, and Baseline is the file of known findings, or
	// "".
	Configs  []string
	Baseline string

	// Stale lists baseline entries that were not found again.
	Stale []Stale

	Form CheckForm

	// Root is the working directory, absolute and with slashes, or "". SARIF locations below it
	// are relative.
	Root string
}

// An Unread is a file that could not be read, and why, in one line.
type Unread struct {
	File    string `json:"file"`
	Message string `json:"message"`
}

// A Stale is a baseline entry that was not found again.
type Stale struct {
	Rule   string `json:"rule"`
	File   string `json:"file"`
	Tensor string `json:"tensor"`
	Count  int    `json:"count"`
}

// String describes the entry, as in "overlap in a.safetensors, tensor b".
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

// Failed reports whether the check fails because of a finding that is not allowed.
func (c *Check) Failed() bool {
	return slices.ContainsFunc(c.Findings, func(f Finding) bool { return f.Allowed == "" && c.FailOn.Fails(f.Rule, f.Severity) }) ||
		slices.ContainsFunc(c.Omitted, func(o Omission) bool { return o.Allowed == "" && c.FailOn.Fails(o.Rule, o.severity()) })
}

// AtMost returns the check with at most n findings, the most severe ones. The others are counted as omitted.
func (c *Check) AtMost(n int) *Check {
	if len(c.Findings) <= n {
		return c
	}
	short := *c
	short.Findings, short.Omitted = slices.Clone(c.Findings), slices.Clone(c.Omitted)
	slices.SortStableFunc(short.Findings, func(a, b Finding) int { return cmp.Compare(b.Severity, a.Severity) })
	type key struct {
		rule          safetensors.Rule
		file, allowed string
	}
	counts := make(map[key]int) // index in Omitted, plus 1
	for i := range short.Findings[n:] {
		f := &short.Findings[n+i]
		k := key{f.Rule, f.File, f.Allowed}
		if counts[k] == 0 {
			short.Omitted = append(short.Omitted, Omission{Rule: f.Rule, File: f.File, Key: f.Key, Allowed: f.Allowed})
			counts[k] = len(short.Omitted)
		}
		short.Omitted[counts[k]-1].N++
	}
	short.Findings = short.Findings[:n]
	return &short
}

// Nothing reports whether nothing was checked.
func (c *Check) Nothing() bool { return len(c.Files) == 0 && len(c.Findings) == 0 }

// A CheckForm says how detailed a report is.
type CheckForm struct {
	All     bool   // all findings, instead of five for each rule and file
	Verbose bool   // also allowed findings
	Version string // of the program, for SARIF
}

// Text writes findings by file and rule, stale baseline entries, and a summary line.
func (c *Check) Text(w io.Writer, s typeset.Style) error {
	most := 5 // a faulty writer breaks a rule in every tensor
	if c.Form.All {
		most = 0
	}
	list := groupFindings(c.Findings, c.Omitted)
	if !c.Form.Verbose {
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

// writeStale writes at most most stale baseline entries, or all if most is 0.
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
		typeset.Wrap(w, s, 2, "", "stale: "+c.Stale[i].String()+": recorded but not found")
	}
	typeset.Entry(w, s, 2, 4, typeset.Dim, "→", "Update the baseline with --write-baseline.")
	w.WriteByte('\n')
}

// verdict returns the summary line and its color.
func (c *Check) verdict() (text, color string) {
	found, allowed := countFindings(c.Findings, c.Omitted, false), countFindings(c.Findings, c.Omitted, true)
	worst, mild := found.String(), allowed.String()
	switch {
	case c.Failed():
		text, color = "failed: "+worst, typeset.Red
	case len(c.Unread) > 0:
		text, color = "some files could not be read", typeset.Red
		if worst != "" {
			text += ": " + worst
		}
	case found.worst() > safetensors.Note: // not "ok": this is what to look at
		text, color = worst+"; not failed with --fail-on "+c.FailOn.String(), typeset.Yellow
	case worst != "":
		text, color = "ok, with "+worst, typeset.Green
	default:
		text, color = "ok", typeset.Green
	}
	if mild != "" {
		text += "; allowed: " + mild
	}
	return text + "; checked " + c.extent(), color
}

// extent describes what was checked, and by which configuration.
func (c *Check) extent() string {
	text := fmt.Sprintf("%s and %s", typeset.Plural(int64(len(c.Files)), "file"),
		typeset.Plural(int64(c.Tensors), "tensor"))
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
