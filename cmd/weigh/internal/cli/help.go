// Help: what verbs there are, and what each takes.

package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The groups of verbs in the help, by what they are for.
const (
	GroupLook   = "look"
	GroupJudge  = "judge"
	GroupChange = "change"
	GroupOther  = "other"
)

// HelpFunc writes the help of a command for cobra, which takes no error from it: Exit
// reports that.
func (s *Session) HelpFunc(cmd *cobra.Command, _ []string) { s.helpError = s.Help(cmd) }

// Help writes the help of a command.
func (s *Session) Help(cmd *cobra.Command) error {
	_, err := s.Stdout.Write([]byte(HelpText(cmd, s.terminal.width)))
	return err
}

// HelpCmd returns the verb help. That of cobra ends with code 0 for a verb that
// does not exist.
func (s *Session) HelpCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "help [VERB]",
		Short:   "say what a verb does, and what it takes",
		Long:    "Help says what a verb does, and what it takes. So does the verb with --help.",
		Example: "  weigh help check",
		GroupID: GroupOther,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return verbs(cmd.Root()), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			// For an unknown word cobra may find the root, with the word left over.
			topic, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				name := strings.Join(args, " ")
				if meant := Suggest(name, verbs(cmd.Root())); meant != "" {
					return Usagef("there is no verb %q: did you mean %q?", name, meant)
				}
				return Usagef("there is no verb %q: weigh --help lists the verbs", name)
			}
			return s.Help(topic)
		},
	}
}

// verbs returns the names of all verbs.
func verbs(root *cobra.Command) []string {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			names = append(names, c.Name())
		}
	}
	return names
}

// HelpText returns the help of a command, for a terminal of the given width, or
// for none if that is 0. Examples are not wrapped: they are there to be copied.
func HelpText(cmd *cobra.Command, width int) string {
	const usual = 80 // columns: longer lines are hard to read
	if width <= 0 || width > usual {
		width = usual
	}
	cmd.InitDefaultHelpFlag()
	var b strings.Builder
	b.WriteString(Reflow(cmp.Or(cmd.Long, cmd.Short), width) + "\nUsage:\n  " + UsageLine(cmd) + "\n")
	if cmd.Example != "" {
		b.WriteString("\nExamples:\n" + cmd.Example + "\n")
	}
	for _, g := range cmd.Groups() {
		b.WriteString("\n" + g.Title + ":\n")
		for _, c := range cmd.Commands() {
			if c.GroupID == g.ID && (c.IsAvailableCommand() || c.Name() == "help") {
				row(&b, fmt.Sprintf("  %-12s ", c.Name()), c.Short, width)
			}
		}
	}
	writeFlags(&b, "Flags", cmd.LocalNonPersistentFlags(), width)
	writeFlags(&b, "Flags of every verb", CommonFlags(cmd), width)
	if cmd == cmd.Root() {
		b.WriteString("\nExit codes:\n" + Reflow(ExitCodes, width))
		b.WriteString("\n" + Reflow("weigh VERB --help says more about a verb.", width))
	}
	return b.String()
}

// ExitCodes are the codes as the help has them.
const ExitCodes = `  0         done, nothing found
  1         looked, and found something: invalid, different, dangerous
  2         wrong usage
  3         could not read or write
  130, 141  ended by a signal: interrupted, or nobody reads the output any more
`

// UsageLine returns how a command is called.
func UsageLine(cmd *cobra.Command) string {
	if cmd == cmd.Root() {
		return "weigh [VERB] [FLAGS] TARGET..."
	}
	name, rest, _ := strings.Cut(cmd.Use, " ")
	return strings.TrimSpace(strings.TrimSuffix(cmd.CommandPath(), name) + name + " [FLAGS] " + rest)
}

// CommonFlags returns the flags that every verb has.
func CommonFlags(cmd *cobra.Command) *pflag.FlagSet {
	if cmd == cmd.Root() {
		return cmd.PersistentFlags()
	}
	return cmd.InheritedFlags()
}

// writeFlags writes what each flag does.
func writeFlags(b *strings.Builder, title string, flags *pflag.FlagSet, width int) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, "\n%s:\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			name, usage := FlagRow(f)
			row(b, fmt.Sprintf("  %-24s ", name), usage, width)
		}
	})
}

// FlagRow returns a flag as it is written, and what it does.
func FlagRow(f *pflag.Flag) (name, usage string) {
	value, usage := pflag.UnquoteUsage(f)
	name = "    --" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", --" + f.Name
	}
	if value != "" {
		name += " " + value
	}
	// Defaults that mean "not given" would only be noise.
	if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "[]" {
		usage += " (default " + f.DefValue + ")"
	}
	return name, usage
}
