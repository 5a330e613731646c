// Violations: which rule is broken, by which tensor, at which bytes.

package safetensors

import (
	"fmt"

	"github.com/weightools/safetensors/internal/wording"
)

// A Violation is one broken rule and where it is broken. It is the type of
// every error in which this package finds fault with a file, as opposed to
// failing to read it.
type Violation struct {
	Rule   Rule
	Tensor string // the tensor's name, or "" if the file as a whole is at fault
	Span   Span   // the bytes at fault, counted from the start of the file
	Detail string // what is wrong, with the numbers
}

// Error returns the violation as one line:
//
//	safetensors: tensor "b" begins at 8 of the data, inside tensor "a" [0, 16) (bytes 62-124, rule overlap)
func (v *Violation) Error() string {
	return fmt.Sprintf("safetensors: %s (bytes %d-%d, rule %s)", v.Detail, v.Span.Begin, v.Span.End, string(v.Rule))
}

// Unwrap returns v.Rule.
func (v *Violation) Unwrap() error { return v.Rule }

// quoted is a name that is quoted if it comes to be printed.
type quoted string

// String returns the name as [wording.Quote] has it.
func (q quoted) String() string { return wording.Quote(string(q)) }

// quote returns a name out of a file so that it can be part of a line.
func quote(name string) string { return wording.Quote(name) }
