// Flags that were misspelt, or given what they do not take.

package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// FlagError says what is wrong with a flag, and what was meant. The texts of
// package pflag are for programmers: they name functions of strconv.
func FlagError(cmd *cobra.Command, err error) error {
	if errors.Is(err, pflag.ErrHelp) {
		return err
	}
	var none *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	var wrong *pflag.InvalidValueError
	var form *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &none):
		return noFlag(cmd, none)
	case errors.As(err, &bare):
		return needsValue(bare.GetFlag())
	case errors.As(err, &wrong):
		return Usagef("--%s cannot be %q: it takes %s", wrong.GetFlag().Name, wrong.GetValue(), kindOf(wrong.GetFlag()))
	case errors.As(err, &form):
		return Usagef("%q is no flag: one is written --NAME, or --NAME=VALUE", form.GetSpecifiedFlag())
	}
	return UsageError{err}
}

// noFlag returns the error of a flag that does not exist.
func noFlag(cmd *cobra.Command, err *pflag.NotExistError) error {
	name := err.GetSpecifiedName()
	flag := "--" + name
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	meant := Suggest(name, names)
	if err.GetSpecifiedShortnames() != "" {
		// A letter is like no word, but may be the first of one.
		flag, meant = "-"+name, ""
		if i := slices.IndexFunc(names, func(n string) bool { return strings.HasPrefix(n, name) }); i >= 0 {
			meant = names[i]
		}
	}
	if meant != "" {
		return Usagef("%s has no flag %s: did you mean --%s?", cmd.Name(), flag, meant)
	}
	return Usagef("%s has no flag %s: %s --help lists those there are", cmd.Name(), flag, cmd.CommandPath())
}

// needsValue returns the error of a flag at the end of the line, without its value. It
// lists the values that [completeWords] was given.
func needsValue(f *pflag.Flag) error {
	value, _ := pflag.UnquoteUsage(f)
	if words := f.Annotations[valuesOf]; len(words) > 0 {
		return Usagef("--%s needs a %s, one of %s", f.Name, value, strings.Join(words, ", "))
	}
	return Usagef("--%s needs a value, %s", f.Name, value)
}

// kindOf says what values a flag takes.
func kindOf(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int", "int64":
		return "a whole number"
	case "size":
		return "a number of bytes, such as 65536, 10MB or 64KiB"
	case "bool":
		return "true or false, and may go without"
	}
	return "another value"
}
