// Extended attributes on Unix systems whose calls the standard library does not have.

//go:build unix && !linux

package atomicfile

// attributes are not known.
type attributes struct{}

// attributesOf returns nothing.
func attributesOf(string) attributes { return attributes{} }

// common returns true.
func (attributes) common(attributes) bool { return true }

// give returns true.
func (attributes) give(string) bool { return true }
