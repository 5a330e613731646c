// Verdicts and severities: what a report says, in three words each.

package pickle

// A Verdict says what is known of loading a pickle. Verdicts are ordered: that
// of many things is the worst one's.
type Verdict uint8

// The verdicts, in ascending order.
const (
	Safe       Verdict = iota // every import is allowed and used as its rule says
	Suspicious                // something in it has not been audited, or is not as writers write it
	Dangerous                 // loading it can run code
)

// String returns the verdict's name in lower case.
func (v Verdict) String() string {
	switch v {
	case Safe:
		return "safe"
	case Suspicious:
		return "suspicious"
	}
	return "dangerous"
}

// A Severity is how much one finding weighs.
type Severity uint8

// The severities, in ascending order.
const (
	Note    Severity = iota // worth knowing; it changes no verdict
	Warning                 // the verdict is at least Suspicious
	Error                   // the verdict is Dangerous
)

// String returns the severity's name in lower case.
func (s Severity) String() string {
	switch s {
	case Note:
		return "note"
	case Warning:
		return "warning"
	}
	return "error"
}

// Verdict returns the least verdict that a finding of severity s allows.
func (s Severity) Verdict() Verdict { return Verdict(s) }
