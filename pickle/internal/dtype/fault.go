// Faults of dtypes and arrays.

package dtype

import "fmt"

// A Fault is something that NumPy does not write, as the end of a sentence that begins with an instruction. The
// zero value means that there is none.
type Fault struct {
	Memory bool // NumPy would read or write outside of the data
	Text   string
}

// Bad returns a fault that lets NumPy leave the data.
func Bad(format string, args ...any) Fault { return Fault{true, fmt.Sprintf(format, args...)} }

// Odd returns the fault of something that NumPy only does not write.
func Odd(format string, args ...any) Fault { return Fault{false, fmt.Sprintf(format, args...)} }
