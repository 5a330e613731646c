// The flag -o: a local path.

package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/weightools/safetensors/store"
)

// OutputVar adds the flag -o, whose value must be the path of a file or folder on this machine.
// Without this check, -o s3://bucket/name would create a folder "s3:".
func OutputVar(flags *pflag.FlagSet, path *string, usage string) {
	flags.VarP(&outputPath{path, "output"}, "output", "o", usage)
}

// FileVar adds a flag like -o of another name.
func FileVar(flags *pflag.FlagSet, path *string, name, usage string) {
	flags.Var(&outputPath{path, name}, name, usage)
}

// An outputPath is the value of -o, or of a flag like it.
type outputPath struct {
	path *string
	flag string
}

// errOutput is an error of [outputPath], in words for users.
type errOutput struct {
	error
	flag string
}

// String implements pflag.Value.
func (p *outputPath) String() string {
	if p.path == nil { // the zero value, which pflag compares with
		return ""
	}
	return *p.path
}

// Type implements pflag.Value.
func (p *outputPath) Type() string { return "string" }

// Set implements pflag.Value. A file URL becomes a path.
func (p *outputPath) Set(s string) error {
	*p.path = s
	if s == "" {
		return nil
	}
	ref, err := store.Parse(s)
	switch {
	case err != nil:
		return errOutput{err, p.flag}
	case ref.Scheme != "file":
		return errOutput{fmt.Errorf("cannot write to %s: write to a file or folder on this machine, and upload that", ref), p.flag}
	case strings.HasPrefix(strings.ToLower(s), "file:"):
		*p.path = ref.String()
	}
	return nil
}

// asOutput returns the error in words if it is one of -o, or of a flag like it.
func asOutput(err error) error {
	var output errOutput
	if errors.As(err, &output) {
		return Usagef("--%s: %w", output.flag, output.error)
	}
	return nil
}
