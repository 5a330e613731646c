// Help: what verbs there are, and what each takes.

package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// help writes the help of a command.
func (a *app) help(cmd *cobra.Command) error {
	_, err := a.stdout.Write([]byte(helpText(cmd)))
	return err
}

// helpCmd returns the verb help. That of cobra ends with code 0 for a verb that
// does not exist.
func (a *app) helpCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "help [VERB]",
		Short:   "say what a verb does, and what it takes",
		Long:    "Help says what a verb does, and what it takes. So does the verb with --help.",
		Example: "  weigh help check",
		GroupID: groupOther,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return verbs(cmd.Root()), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			topic, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				name := strings.Join(args, " ")
				if meant := suggest(name, verbs(cmd.Root())); meant != "" {
					return usagef("there is no verb %q: did you mean %q?", name, meant)
				}
				return usagef("there is no verb %q: weigh --help lists the verbs", name)
			}
			return a.help(topic)
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

// helpText returns the help of a command.
func helpText(cmd *cobra.Command) string {
	cmd.InitDefaultHelpFlag()
	var b strings.Builder
	b.WriteString(cmp.Or(cmd.Long, cmd.Short) + "\n\nUsage:\n  " + usageLine(cmd) + "\n")
	if cmd.Example != "" {
		b.WriteString("\nExamples:\n" + cmd.Example + "\n")
	}
	for _, g := range cmd.Groups() {
		b.WriteString("\n" + g.Title + ":\n")
		for _, c := range cmd.Commands() {
			if c.GroupID == g.ID && (c.IsAvailableCommand() || c.Name() == "help") {
				fmt.Fprintf(&b, "  %-12s %s\n", c.Name(), c.Short)
			}
		}
	}
	if len(cmd.Groups()) == 0 && cmd.HasAvailableSubCommands() {
		b.WriteString("\nVerbs:\n")
		for _, c := range cmd.Commands() {
			fmt.Fprintf(&b, "  %-12s %s\n", c.Name(), c.Short)
		}
	}
	writeFlags(&b, "Flags", cmd.LocalNonPersistentFlags())
	writeFlags(&b, "Flags of every verb", commonFlags(cmd))
	if cmd == cmd.Root() {
		b.WriteString("\nExit codes:\n" + exitCodes)
		b.WriteString("\nweigh VERB --help says more about a verb.\n")
	}
	return b.String()
}

// exitCodes are the codes as the help has them.
const exitCodes = `  0         done, nothing found
  1         looked, and found something: invalid, different, dangerous
  2         wrong usage
  3         could not read or write
  130, 141  ended by a signal: interrupted, or nobody reads the output any more
`

// usageLine returns how a command is called.
func usageLine(cmd *cobra.Command) string {
	if cmd == cmd.Root() {
		return "weigh [VERB] [FLAGS] TARGET..."
	}
	name, rest, _ := strings.Cut(cmd.Use, " ")
	return strings.TrimSpace(strings.TrimSuffix(cmd.CommandPath(), name) + name + " [FLAGS] " + rest)
}

// commonFlags returns the flags that every verb has.
func commonFlags(cmd *cobra.Command) *pflag.FlagSet {
	if cmd == cmd.Root() {
		return cmd.PersistentFlags()
	}
	return cmd.InheritedFlags()
}

// writeFlags writes what each flag does.
func writeFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, "\n%s:\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			name, usage := flagRow(f)
			fmt.Fprintf(b, "  %-24s %s\n", name, hang(usage, 27))
		}
	})
}

// hang returns text in lines of at most 80 columns, all but the first indented.
func hang(text string, indent int) string {
	const width = 80
	var b strings.Builder
	used := indent
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case used+1+len(word) > width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			used = indent
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += len(word)
	}
	return b.String()
}

// flagRow returns a flag as it is written, and what it does.
func flagRow(f *pflag.Flag) (name, usage string) {
	value, usage := pflag.UnquoteUsage(f)
	name = "    --" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", --" + f.Name
	}
	if value != "" {
		name += " " + value
	}
	if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "[]" {
		usage += " (default " + f.DefValue + ")"
	}
	return name, usage
}
