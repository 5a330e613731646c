// What analyzers of formats report.

// Package evidence has the types by which the analyzers of formats report what they find.
package evidence

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weightools/safetensors/pickle"
)

// ErrBudget says that the budget of work is spent.
var ErrBudget = errors.New("the budget is spent")

// RuleBadConfig is the rule about configurations that are invalid JSON or have duplicate keys.
const RuleBadConfig pickle.Rule = "bad-config"

// A Sink receives what the judges of configurations find.
type Sink interface {
	// Find receives a finding with the usual severity of its rule.
	Find(rule pickle.Rule, off int64, format string, args ...any)
	// Name receives a name that loading the configuration imports.
	Name(full string, off int64, verdict pickle.Verdict, rule pickle.Rule)
	// Verdict returns the verdict of the policy on importing a name.
	Verdict(module, name string) pickle.Verdict
}

// A Span is a range of a file that contains a message or a value.
type Span struct{ Pos, End int64 }

// Len returns the length of a span in bytes.
func (s Span) Len() int64 { return s.End - s.Pos }

// A Report is what is found in a file of one format.
type Report struct {
	Format   string // "" if the file has another format
	Findings []pickle.Finding
	Configs  []Span // Keras configurations, which are JSON
	Texts    []Text // metadata and other texts
	// Unanalysed lists what is not analyzed, such as programs in other languages.
	Unanalysed []string
	// Incomplete says why the analysis is incomplete, "" if it is complete.
	Incomplete string

	index map[string]int // of findings by message
	kept  int64          // bytes of Texts
}

// Find reports a finding, or counts a repetition.
func (r *Report) Find(rule pickle.Rule, severity pickle.Severity, off int64, format string, args ...any) {
	const most = 10_000
	message := fmt.Sprintf(format, args...)
	if i, ok := r.index[message]; ok {
		r.Findings[i].Count++
		return
	}
	if r.index == nil {
		r.index = make(map[string]int)
	}
	if len(r.Findings) >= most {
		return // the verdict is clear
	}
	r.index[message] = len(r.Findings)
	f := pickle.Finding{Rule: rule, Severity: severity, Offset: off, Message: message, Count: 1}
	r.Findings = append(r.Findings, f)
}

// Skip records something that is not analyzed.
func (r *Report) Skip(format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	const most = 100
	if len(r.Unanalysed) < most && !slices.Contains(r.Unanalysed, what) {
		r.Unanalysed = append(r.Unanalysed, what)
	}
}

// Join adds the findings of another report.
func (r *Report) Join(other *Report) {
	for i := range other.Findings {
		f := &other.Findings[i]
		r.Find(f.Rule, f.Severity, f.Offset, "%s", f.Message)
		if at, ok := r.index[f.Message]; ok {
			r.Findings[at].Count += f.Count - 1
		}
	}
}

// Leaves reports whether a relative path leads out of its folder, or is not relative, on any
// system.
func Leaves(path string) bool {
	path = strings.ReplaceAll(path, `\`, "/")
	if strings.HasPrefix(path, "/") || strings.HasPrefix(path, "~") || strings.Contains(path, "\x00") ||
		strings.Contains(path, "://") || len(path) > 1 && path[1] == ':' {
		return true
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == ".." {
			return true
		}
	}
	return false
}
