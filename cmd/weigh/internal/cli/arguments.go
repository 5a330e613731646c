// Arguments and flags that several verbs share.

package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

const AnyTarget = "a target: a file, a folder, an index, a URL, or - for standard input"

const LenientUsage = "accept what the reference implementation accepts"

// TargetArgs returns what is to be done with the arguments of a verb that takes
// targets, at most most of them, or any number if that is 0.
func TargetArgs(most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return Usagef("%s needs %s", cmd.Name(), what)
		case most > 0 && len(args) > most:
			return Usagef("%s takes %s, and not %d of them", cmd.Name(), what, len(args))
		}
		return nil
	}
}

// oneForm returns an error if more than one form of output is asked for.
func oneForm(cmd *cobra.Command) error {
	var forms []string
	for _, name := range []string{"csv", "json", "junit", "lines", "markdown", "sarif", "sums", "tree"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			forms = append(forms, "--"+name)
		}
	}
	if len(forms) > 1 {
		return Usagef("%s are forms of one output: choose one of them", strings.Join(forms, " and "))
	}
	return nil
}

// CompleteFiles has shells complete the names of files that can be a target.
func CompleteFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"safetensors", "json"}, cobra.ShellCompDirectiveFilterFileExt
}

// valuesOf is the annotation of a flag that lists its values.
const valuesOf = "weigh_values"

// CompleteWords has shells complete the value of a flag.
func CompleteWords(cmd *cobra.Command, flag string, words []string) {
	// Both fail only for a flag that does not exist.
	_ = cmd.Flags().SetAnnotation(flag, valuesOf, words)
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}
