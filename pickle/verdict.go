// Verdicts and severities.

package pickle

// A Verdict is the result of an analysis. Verdicts are ordered; the verdict on several things is the worst one.
type Verdict uint8

// The verdicts, in ascending order of danger.
const (
	Safe       Verdict = iota // every import is allowed and used as its rule says
	Suspicious                // an import is on no list, or the pickle is not as picklers write it
	Dangerous                 // loading it can run code
)

// String returns the name in lower case.
func (v Verdict) String() string {
	switch v {
	case Safe:
		return "safe"
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
func (s Severity) Verdict() Verdict { return Verdict(s) }
