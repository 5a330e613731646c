// Package settings finds what configurations name: classes and functions that a program
// imports and calls when it reads them, code of the repository, and templates.
//
// A configuration is JSON, YAML, or text within one of them. A [Walker] receives its values,
// from [JSON] or [YAML], and reports a [Finding] for each name. It builds no tree, does not
// recurse, and keeps what is open: its memory depends on the nesting, not on the size.
package settings

// A Kind says what a finding is.
type Kind uint8

// The kinds of findings.
const (
	Call     Kind = iota // a class or function that a program imports and calls
	Import               // a module or function that a program imports
	Remote               // code of a repository, which runs if the user trusts it
	Trust                // a setting that makes programs run the code of a repository
	Template             // a text that may be a Jinja template
	Keras                // an object of a Keras model, in YAML
	Twice                // a key that names code, twice in one object
	Outside              // a path that leads out of the folder of an index
	Code                 // a text that is evaluated as Python code
)

// A Finding is something that a configuration names.
type Finding struct {
	Kind Kind
	Key  string // under which it was found
	Text string // the name or the template
	At   int64  // offset in bytes
}

// Limits.
const (
	// MaxDepth is the greatest nesting that is followed. Python's own readers, which
	// recurse, end earlier.
	MaxDepth = 10_000
	// MaxString is the size of the longest string that is examined, in bytes.
	MaxString = 4 << 20
	// nested is how often a string may contain a configuration that contains another.
	nested = 4
)
