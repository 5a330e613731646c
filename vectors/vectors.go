// The embedded vectors and their parser.

// Package vectors has test vectors for readers of safetensors files: small
// files with one fault each, and valid files that readers wrongly reject.
//
// They are files, so readers in any language can use them; README.md describes
// their form. This package embeds them for Go.
package vectors

//go:generate go test ./gen ./sets/gen -update

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strconv"
	"strings"
)

// FS has the vectors, in a folder for each rule and one for the valid files.
//
//go:embed */*.vector
var FS embed.FS

// An Expect is what readers do with a file.
type Expect string

// What readers do.
const (
	Accept  Expect = "accept"  // every reader reads it
	Lenient Expect = "lenient" // the reference implementation reads it, against the specification
	Refuse  Expect = "refuse"  // no reader reads it
)

// A Vector is one file and what readers find in it.
type Vector struct {
	Name   string // the path without ".vector", as in "overlap/contained"
	Expect Expect
	File   []byte // the safetensors file

	// Rule is the broken rule, or "" if the file is valid. Severity is the
	// severity of the rule.
	Rule, Severity string

	// Tensor is the name of the tensor at fault, or "" if the fault is of the
	// whole file.
	Tensor string

	// Begin and End are the bytes at fault, counted from the start of File.
	Begin, End int64

	// Also has further rules that the file breaks, of severity warning or note.
	Also []string

	// Limit is a limit that the reader needs, as in "tensors 2", or "".
	Limit string

	// Data reports whether the fault is in the data, which readers may not
	// check.
	Data bool

	Comment string // the fault, in one line
}

// All yields every vector in the order of their names.
func All() iter.Seq[*Vector] {
	return func(yield func(*Vector) bool) {
		names, err := fs.Glob(FS, "*/*.vector")
		for _, name := range names {
			var content []byte
			var v *Vector
			if content, err = FS.ReadFile(name); err == nil {
				v, err = Parse(strings.TrimSuffix(name, ".vector"), content)
			}
			if err != nil {
				break
			}
			if !yield(v) {
				return
			}
		}
		if err != nil {
			panic(err) // an embedded file is invalid
		}
	}
}

// Parse parses the content of a vector's file. The result refers to content.
func Parse(name string, content []byte) (*Vector, error) {
	head, file, ok := strings.Cut(string(content), "\n\n")
	if !ok {
		return nil, fmt.Errorf("vector %s: no blank line ends the head", name)
	}
	v := &Vector{Name: name, File: content[len(content)-len(file):]}
	for line := range strings.SplitSeq(head, "\n") {
		key, value, ok := strings.Cut(line, ": ")
		if !ok {
			return nil, fmt.Errorf("vector %s: the line %q is not a key and a value", name, line)
		}
		if err := v.set(key, value); err != nil {
			return nil, fmt.Errorf("vector %s: %s %q: %w", name, key, value, err)
		}
	}
	if v.Expect != Accept && v.Expect != Lenient && v.Expect != Refuse {
		return nil, fmt.Errorf("vector %s: expected accept, lenient or refuse, found %q", name, v.Expect)
	}
	return v, nil
}

// set sets the field of a line of the head.
func (v *Vector) set(key, value string) (err error) {
	switch key {
	case "expect":
		v.Expect = Expect(value)
	case "rule":
		v.Rule = value
	case "severity":
		v.Severity = value
	case "tensor":
		err = json.Unmarshal([]byte(value), &v.Tensor)
	case "bytes":
		begin, end, _ := strings.Cut(value, "-")
		if v.Begin, err = strconv.ParseInt(begin, 10, 64); err == nil {
			v.End, err = strconv.ParseInt(end, 10, 64)
		}
	case "also":
		v.Also = strings.Fields(value)
	case "limit":
		v.Limit = value
	case "data":
		v.Data = value == "yes"
	case "comment":
		v.Comment = value
	default:
		err = errors.New("no such key")
	}
	return err
}
