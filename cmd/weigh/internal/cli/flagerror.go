// Errors in flags.

package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weightools/safetensors/store"
)

// FlagError rewrites an error of package pflag for users, and suggests what was meant. The
// original messages name functions of strconv.
func FlagError(cmd *cobra.Command, err error) error {
	if errors.Is(err, pflag.ErrHelp) {
		return err
	}
	if err := asOutput(err); err != nil {
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
		return Usagef("invalid value %q for --%s: use %s", store.Redact(wrong.GetValue()), wrong.GetFlag().Name,
			kindOf(wrong.GetFlag()))
	case errors.As(err, &form):
		return Usagef("%q is not a flag: flags are written --NAME or --NAME=VALUE", form.GetSpecifiedFlag())
	}
	return UsageError{err}
}

// noFlag returns the error for an unknown flag.
func noFlag(cmd *cobra.Command, err *pflag.NotExistError) error {
	name := err.GetSpecifiedName()
	flag := "--" + name
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	meant := Suggest(name, names)
	if err.GetSpecifiedShortnames() != "" {
		flag, meant = "-"+name, "" // a single letter resembles no word
	}
	if meant != "" {
		return Usagef("unknown flag %s for %s; did you mean --%s?", flag, cmd.Name(), meant)
	}
	return Usagef("unknown flag %s for %s; %s --help lists its flags", flag, cmd.Name(), cmd.CommandPath())
}

// needsValue returns the error for a flag without its value. It lists the values that
// [CompleteWords] was given.
func needsValue(f *pflag.Flag) error {
	value, _ := pflag.UnquoteUsage(f)
	const few = 30 // that fit a message
	if words := f.Annotations[valuesOf]; len(words) > 0 && len(words) < few {
		return Usagef("--%s needs a value: %s is one of %s", f.Name, value, strings.Join(words, ", "))
	}
	return Usagef("--%s needs a value: %s", f.Name, value)
}

// kindOf describes the values that a flag accepts.
func kindOf(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int", "int64":
		return "a whole number"
	case "size":
		return "a number of bytes, such as 65536, 10MB or 64KiB"
	case "duration":
		return "a time, such as 90s or 5m"
	case "bool":
		return "true or false, or no value"
	}
	return "another value"
}
