// Findings: a broken rule, in which file.

// Package finding reports broken rules: as text, JSON, SARIF and JUnit XML.
package finding

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/rules"
	"github.com/weightools/safetensors/filetype"
)

// A Finding is a broken rule, and the file that breaks it.
type Finding struct {
	*safetensors.Violation
	File string // the path; that of the index for a rule between files

	// Key is the path by which the file is known from one run to the next,
	// wherever the program is run. "" means that it is File.
	Key string

	// Allowed is why the finding is no fault here, "" if it is one.
	Allowed string
}

// An Omission is how many more findings there are of one rule in one file than
// are kept: a broken writer breaks a rule in each of a million tensors.
type Omission struct {
	Rule      safetensors.Rule
	File, Key string
	N         int
	Allowed   string
}

// Label returns the path as text has it.
func (f *Finding) Label() string { return typeset.Label(f.File) }

// Name returns the name of the tensor at fault as a report can hold it: one that is
// very long has a digest in place of its middle, and is still told from all others.
func (f *Finding) Name() string {
	if len(f.Tensor) <= typeset.MostName {
		return f.Tensor
	}
	sum := sha256.Sum256([]byte(f.Tensor))
	return fmt.Sprintf("%s sha256:%x", typeset.Shortened(f.Tensor), sum[:8])
}

// fix returns the advice with the path of the file in its commands. Standard input has none.
func (f *Finding) fix() string {
	if f.File == "-" {
		return f.Fix
	}
	return filetype.For(f.Fix, f.File)
}

// findingJSON is a Finding in the machine form.
type findingJSON struct {
	Rule     string      `json:"rule"`
	Severity string      `json:"severity"`
	File     string      `json:"file"`
	Tensor   *string     `json:"tensor"` // typeset.Shortened; null if the file as a whole is at fault
	Bytes    encode.Pair `json:"bytes"`
	Message  string      `json:"message"`
	Fix      string      `json:"fix"`
}

// json returns the machine form. Bytes are null where the fault is not of bytes:
// as of a missing file. A zero Span says so.
func (f *Finding) json() findingJSON {
	j := findingJSON{
		Rule:     string(f.Rule),
		Severity: f.Severity.String(),
		File:     f.File,
		Bytes:    encode.Pair{Begin: f.Span.Begin, End: f.Span.End, Known: f.Span != safetensors.Span{}},
		Message:  f.Detail,
		Fix:      f.Fix,
	}
	if f.Tensor != "" {
		name := typeset.Shortened(f.Tensor)
		j.Tensor = &name
	}
	return j
}

// FindingsJSON returns the machine form of several, made one by one.
func FindingsJSON(findings []Finding) encode.Elements {
	return func(yield func(any) bool) {
		for i := range findings {
			if !yield(findings[i].json()) {
				return
			}
		}
	}
}

// Worst returns the highest severity of findings, and false if there are none.
func Worst(findings []Finding) (worst safetensors.Severity, any bool) {
	for i := range findings {
		worst = max(worst, findings[i].Severity)
	}
	return worst, len(findings) > 0
}

// Nonconforming is the least severity for which files are refused.
const Nonconforming = safetensors.Nonconforming

// severities are all there are, the worst first: the order of reports.
var severities = [...]safetensors.Severity{
	safetensors.Invalid, safetensors.Nonconforming, safetensors.Warning, safetensors.Note,
}

// severityColors are the colours that go with severities.
var severityColors = [...]string{
	safetensors.Invalid:       typeset.Red,
	safetensors.Nonconforming: typeset.Red,
	safetensors.Warning:       typeset.Yellow,
	safetensors.Note:          typeset.Cyan,
}

// A census is how many findings there are of each severity.
type census [len(severities)]int64

// String returns the census as in "1 invalid, 2 warnings".
func (n *census) String() string {
	var parts []string
	for _, s := range severities {
		switch {
		case n[s] == 0:
		case s == safetensors.Warning || s == safetensors.Note:
			parts = append(parts, typeset.Plural(n[s], s.String()))
		default: // adjectives have no plural
			parts = append(parts, typeset.Count(n[s])+" "+s.String())
		}
	}
	return strings.Join(parts, ", ")
}

// countFindings returns how many findings there are that are allowed, or that are not.
func countFindings(findings []Finding, omitted []Omission, allowed bool) (n census) {
	for i := range findings {
		if (findings[i].Allowed != "") == allowed {
			n[findings[i].Severity]++
		}
	}
	for _, o := range omitted {
		if (o.Allowed != "") == allowed {
			n[rules.Severity(o.Rule)] += int64(o.N)
		}
	}
	return n
}

// ByRule divides the findings by their rule: the worst first,
// and otherwise in the order in which the first of each was found.
func ByRule(findings []Finding) [][]Finding {
	index := make(map[safetensors.Rule]int)
	var groups [][]Finding
	for _, f := range findings {
		i, ok := index[f.Rule]
		if !ok {
			i = len(groups)
			index[f.Rule] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], f)
	}
	slices.SortStableFunc(groups, func(a, b []Finding) int {
		return cmp.Compare(b[0].Severity, a[0].Severity)
	})
	return groups
}
