// Findings: violations by file, and files that could not be read.

package check

import "github.com/weightools/safetensors/checkpoint"

// findings collects what is found in a repository.
type findings struct {
	byFile   map[string]*checkpoint.Findings
	problems []problem
}

// A problem is a file that could not be read.
type problem struct {
	file string
	err  error
}

// found returns the findings of a file, to add to.
func (f *findings) found(file string) *checkpoint.Findings {
	if f.byFile == nil {
		f.byFile = make(map[string]*checkpoint.Findings)
	}
	one := f.byFile[file]
	if one == nil {
		one = &checkpoint.Findings{Rules: rules[:]}
		f.byFile[file] = one
	}
	return one
}

// failed records that a file could not be read.
func (f *findings) failed(file string, err error) {
	f.problems = append(f.problems, problem{file, err})
}
