// Violations of rules.

package safetensors

import (
	"fmt"

	"github.com/weightools/safetensors/internal/wording"
)

// A Violation is one broken rule and where it is broken. Every error about the
// content of a file is a *Violation; an error of reading is the reader's own.
type Violation struct {
	Rule     Rule
	Severity Severity
	Tensor   string // the tensor's name, or "" if the violation is not about one tensor
	Span     Span   // the bytes at fault, counted from the start of the file
	Detail   string // what is wrong, with the numbers
	Fix      string // what to do about it, in one sentence

	// For names the programs that the violation is about, if it is not about every reader of the file: see package
	// [github.com/weightools/safetensors/check/loader].
	For []string
}

// violation returns the violation of one of this package's rules.
func violation(rule Rule, tensor string, at Span, format string, args ...any) *Violation {
	info := rule.info()
	return &Violation{Rule: rule, Severity: info.Severity, Tensor: tensor, Span: at,
		Detail: fmt.Sprintf(format, args...), Fix: info.Fix}
}

// Error returns the violation as one line, without the bytes if the span is empty:
//
//	safetensors: tensor "b" begins at byte 8 of the data, inside tensor "a" [0, 16) (bytes 62-124, rule overlap)
func (v *Violation) Error() string {
	if v.Span.Len() <= 0 {
		return fmt.Sprintf("safetensors: %s (rule %s)", v.Detail, string(v.Rule))
	}
	return fmt.Sprintf("safetensors: %s (bytes %d-%d, rule %s)", v.Detail, v.Span.Begin, v.Span.End, string(v.Rule))
}

// Unwrap returns v.Rule.
func (v *Violation) Unwrap() error { return v.Rule }

// quote returns a name from a file for use in a message.
func quote(name string) string { return wording.Quote(name) }
