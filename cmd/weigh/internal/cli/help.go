// Help pages.

package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weightools/safetensors/store"
)

// HelpFunc writes the help page of a command. Cobra ignores errors of help functions, so it keeps
// the error for Exit.
func (s *Session) HelpFunc(cmd *cobra.Command, _ []string) { s.helpError = s.Help(cmd) }

// Help writes the help page of a command to standard output.
func (s *Session) Help(cmd *cobra.Command) error {
	_, err := s.Stdout.Write([]byte(HelpText(cmd, s.terminal.width)))
	return err
}

// HelpCmd returns the command help. Unlike cobra's own it fails for an unknown command.
func (s *Session) HelpCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Show help for a command",
		Long:    "Show help for a command, as its flag --help does. Without a command, list all.",
		Example: "  weigh help check",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return verbs(cmd.Root()), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			// For an unknown word, cobra may return the root command and leave the word in rest.
			topic, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				name := strings.Join(args, " ")
				if meant := Suggest(name, verbs(cmd.Root())); meant != "" {
					return Usagef("unknown command %q; did you mean %q?", name, meant)
				}
				return Usagef("unknown command %q; weigh --help lists the commands", store.Redact(name))
			}
			return s.Help(topic)
		},
	}
}

// verbs returns the names of all commands.
func verbs(root *cobra.Command) []string {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			names = append(names, c.Name())
		}
	}
	return names
}

// HelpText returns the help page of a command, wrapped to at most width columns, or to 80 if width
// is 0. Examples are not wrapped, so they can be copied.
func HelpText(cmd *cobra.Command, width int) string {
	const usual = 80 // columns
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
	writeFlags(&b, "Common flags", CommonFlags(cmd), width)
	if cmd == cmd.Root() {
		b.WriteString("\nExit codes:\n" + Reflow(ExitCodes, width))
		b.WriteString("\n" + Reflow("Run weigh COMMAND --help for more about a command.", width))
	}
	return b.String()
}

// ExitCodes is the list of exit codes in the help.
const ExitCodes = `  0         success, nothing found
  1         success, something found: invalid, different or dangerous files
  2         wrong usage
  3         a file could not be read, analyzed or written
  130, 141  interrupted, or broken pipe
`

// UsageLine returns the usage line of a command.
func UsageLine(cmd *cobra.Command) string {
	if cmd == cmd.Root() {
		return "weigh [COMMAND] [FLAGS] TARGET..."
	}
	name, rest, _ := strings.Cut(cmd.Use, " ")
	return strings.TrimSpace(strings.TrimSuffix(cmd.CommandPath(), name) + name + " [FLAGS] " + rest)
}

// CommonFlags returns the flags that every command has.
func CommonFlags(cmd *cobra.Command) *pflag.FlagSet {
	if cmd == cmd.Root() {
		return cmd.PersistentFlags()
	}
	return cmd.InheritedFlags()
}

// writeFlags writes a list of flags with their descriptions.
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

// FlagRow returns a flag with its dashes and placeholder, and its description.
func FlagRow(f *pflag.Flag) (name, usage string) {
	value, usage := pflag.UnquoteUsage(f)
	name = "    --" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", --" + f.Name
	}
	if value != "" {
		name += " " + value
	}
	// Zero defaults carry no information.
	if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "[]" {
		usage += " (default " + f.DefValue + ")"
	}
	return name, usage
}
