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
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/filetype"
)

// A Finding is a broken rule in a file.
type Finding struct {
	*safetensors.Violation
	File string // a path; the index for rules about several files

	// Key is the path that identifies the file in every run, from any directory. It defaults
	// to File.
	Key string

	// Shared reports whether the file is a symbolic link.
	Shared bool

	// Allowed is the reason why the finding is allowed, or "".
	Allowed string
}

// An Omission is the number of findings of one rule in one file that were counted but not kept: a
// faulty writer may break a rule in a million tensors.
type Omission struct {
	Rule      safetensors.Rule
	File, Key string
	N         int
	Allowed   string

	// For lists programs for which the findings may be more severe.
	For []loader.Name
}

// severity returns the severity of the findings.
func (o *Omission) severity() safetensors.Severity {
	return loader.Severity(o.Rule, SeverityOf(o.Rule), o.For)
}

// Label returns the path for text.
func (f *Finding) Label() string { return typeset.Label(f.File) }

// Name returns the name of the tensor for reports. The middle of a very long name is replaced by a
// digest, so it stays unique.
func (f *Finding) Name() string {
	if len(f.Tensor) <= typeset.MostName {
		return f.Tensor
	}
	sum := sha256.Sum256([]byte(f.Tensor))
	return fmt.Sprintf("%s sha256:%x", typeset.Shortened(f.Tensor), sum[:8])
}

// fix returns the advice with the path of the file in its commands. Standard input has none. A remote file, and one
// behind a link, which may be shared, is not edited in place.
func (f *Finding) fix() string {
	fix := f.Fix
	switch {
	case f.File == "-":
		return fix
	case f.Rule == checkpoint.RuleCacheLink: // it is the link that is mended
	case f.Shared || strings.Contains(f.File, "://"):
		fix = strings.ReplaceAll(fix, "--in-place --fix FILE", "--fix FILE -o NEW")
	}
	return filetype.For(fix, f.File)
}

// findingJSON is a finding in JSON.
type findingJSON struct {
	Rule     string      `json:"rule"`
	Severity string      `json:"severity"`
	File     string      `json:"file"`
	Tensor   *string     `json:"tensor"` // shortened; null if it is not about one tensor
	Bytes    encode.Pair `json:"bytes"`
	Message  string      `json:"message"`
	Fix      string      `json:"fix"`
	For      []string    `json:"for,omitempty"`
}

// json returns the finding for JSON. Bytes are null if the finding is not about bytes, such as a
// missing file.
func (f *Finding) json() findingJSON {
	return findingJSON{
		Rule:     string(f.Rule),
		Severity: f.Severity.String(),
		File:     f.File,
		Bytes:    encode.Pair{Begin: f.Span.Begin, End: f.Span.End, Known: f.Span != safetensors.Span{}},
		Tensor:   encode.OrNull(typeset.Shortened(f.Tensor)),
		Message:  f.Detail,
		Fix:      f.Fix,
		For:      f.For,
	}
}

// FindingsJSON streams findings.
func FindingsJSON(findings []Finding) encode.Elements {
	return encode.Each(len(findings), func(i int) any { return findings[i].json() })
}

// Worst returns the highest severity, and false without findings.
func Worst(findings []Finding) (worst safetensors.Severity, any bool) {
	for i := range findings {
		worst = max(worst, findings[i].Severity)
	}
	return worst, len(findings) > 0
}

// Nonconforming is the lowest severity at which a check fails by default.
const Nonconforming = safetensors.Nonconforming

// severities in the order of reports.
var severities = [...]safetensors.Severity{
	safetensors.Invalid, safetensors.Error, safetensors.Nonconforming, safetensors.Warning, safetensors.Note,
}

// severityColors maps severities to colors.
var severityColors = [...]string{
	safetensors.Invalid:       typeset.Red,
	safetensors.Error:         typeset.Red,
	safetensors.Nonconforming: typeset.Red,
	safetensors.Warning:       typeset.Yellow,
	safetensors.Note:          typeset.Cyan,
}

// A census counts findings by severity.
type census [len(severities)]int64

// String returns the counts as in "1 invalid, 2 warnings".
func (n *census) String() string {
	var parts []string
	for _, s := range severities {
		switch {
		case n[s] == 0:
		case s == safetensors.Error || s == safetensors.Warning || s == safetensors.Note:
			parts = append(parts, typeset.Plural(n[s], s.String()))
		default: // adjectives have no plural
			parts = append(parts, typeset.Count(n[s])+" "+s.String())
		}
	}
	return strings.Join(parts, ", ")
}

// worst returns the highest severity that was counted, or Note.
func (n *census) worst() safetensors.Severity {
	for _, s := range severities {
		if n[s] > 0 {
			return s
		}
	}
	return safetensors.Note
}

// countFindings counts the findings that are allowed, or those that are not.
func countFindings(findings []Finding, omitted []Omission, allowed bool) (n census) {
	for i := range findings {
		if (findings[i].Allowed != "") == allowed {
			n[findings[i].Severity]++
		}
	}
	for _, o := range omitted {
		if (o.Allowed != "") == allowed {
			n[o.severity()] += int64(o.N)
		}
	}
	return n
}

// ByRule groups findings by rule: the most severe first, otherwise in order of appearance.
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
