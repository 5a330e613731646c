// Arguments and flags that several verbs share.

package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weightools/safetensors/store"
)

// AnyTarget says what the arguments of most commands are.
const AnyTarget = "a target: a file, a folder, an index, a URL, or - for standard input"

// LenientUsage describes the flag --lenient.
const LenientUsage = "accept nonconforming files, as the reference implementation does"

// TargetArgs checks the number of positional arguments: at least one, and at most most unless that
// is 0. What describes them, as in "one file".
func TargetArgs(most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return Usagef("%s needs %s", cmd.Name(), what)
		case most > 0 && len(args) > most:
			return Usagef("%s takes %s, not %d arguments", cmd.Name(), what, len(args))
		}
		return nil
	}
}

// CompleteFiles has the shell complete file names that can be targets.
func CompleteFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"safetensors", "json"}, cobra.ShellCompDirectiveFilterFileExt
}

// ErrStdin is the error of a command that needs random access, and got standard input.
var ErrStdin = Usagef("standard input can be read only once, from start to end: name a file or a folder instead")

// UnknownValue returns the error for a flag value that is not one of words.
func UnknownValue(flag, value string, words []string) error {
	meant := Suggest(value, words)
	value = store.Redact(value) // it may be a target at the wrong place
	if meant != "" {
		return Usagef("unknown value %q for %s; did you mean %s?", value, flag, meant)
	}
	return Usagef("unknown value %q for %s; use one of %s", value, flag, strings.Join(words, ", "))
}

// valuesOf is the flag annotation that lists the accepted values.
const valuesOf = "weigh_values"

// CompleteWords has the shell complete the value of a flag with words, which are also named if the
// value is missing.
func CompleteWords(cmd *cobra.Command, flag string, words []string) {
	// Both calls fail only for an unknown flag.
	_ = cmd.Flags().SetAnnotation(flag, valuesOf, words)
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// noEmptyWord returns an error for a flag of [CompleteWords] that is set to nothing, as by an empty variable of a
// script: it would be ignored, and a list of no words selects everything.
func noEmptyWord(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		words := []string{f.Value.String()}
		if list, is := f.Value.(pflag.SliceValue); is {
			words = list.GetSlice()
		}
		if f.Annotations[valuesOf] != nil && (len(words) == 0 || slices.Contains(words, "")) {
			err = needsValue(f)
		}
	})
	return err
}

// oneForm returns an error if flags ask for more than one form.
func oneForm(cmd *cobra.Command) error {
	var forms []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if _, is := f.Annotations[isForm]; is && f.Value.String() == "true" {
			forms = append(forms, "--"+f.Name)
		}
	})
	if len(forms) > 1 {
		return Usagef("%s select different output formats: choose one", strings.Join(forms, " and "))
	}
	return nil
}

// isForm is the flag annotation of a form.
const isForm = "weigh_form"
