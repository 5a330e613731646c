// Verdicts and severities.

package pickle

import "github.com/weightools/safetensors/pickle/internal/names"

// A Verdict is the result of an analysis. Verdicts are ordered; the verdict on several things is the worst one.
type Verdict uint8

// The verdicts, in ascending order of danger.
const (
	Safe       Verdict = iota // all of it was analyzed, and every import is allowed and used as its rule says
	Unanalysed                // its format is not analyzed, so nothing is known; never the verdict on a pickle
	Suspicious                // an import is on no list, or the pickle is not as picklers write it
	Dangerous                 // loading it can run code
)

// String returns the name in lower case.
func (v Verdict) String() string {
	switch v {
	case Safe:
		return "safe"
	case Unanalysed:
		return "unanalysed"
	case Suspicious:
		return "suspicious"
	}
	return "dangerous"
}

// A Severity is the weight of a finding.
type Severity uint8

// The severities, in ascending order.
const (
	Note    Severity = iota // informational; does not affect the verdict
	Warning                 // the verdict is at least Suspicious
	Error                   // the verdict is Dangerous
)

// String returns the name in lower case.
func (s Severity) String() string {
	switch s {
	case Note:
		return "note"
	case Warning:
		return "warning"
	}
	return "error"
}

// Verdict returns the minimum verdict for a finding of severity s.
func (s Severity) Verdict() Verdict {
	switch s {
	case Note:
		return Safe
	case Warning:
		return Suspicious
	}
	return Dangerous
}

// verdictOf returns the verdict for the level of a name.
func verdictOf(level names.Level) Verdict { return Severity(level).Verdict() }

// severity returns the severity of a finding about an import with verdict v.
func (v Verdict) severity() Severity {
	switch {
	case v >= Dangerous:
		return Error
	case v >= Suspicious:
		return Warning
	}
	return Note
}
