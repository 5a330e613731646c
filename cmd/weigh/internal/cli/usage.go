// Errors of usage, which end the program with exit code 2.

package cli

import "fmt"

// A UsageError is an error in the command line.
type UsageError struct{ error }

// Usage returns err as a UsageError.
func Usage(err error) error { return UsageError{err} }

// Usagef returns a formatted UsageError.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }
