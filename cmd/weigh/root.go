// The root command.

package main

//go:generate go test -run ^TestDocs$ -update .

import (
	"cmp"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/verb/change"
	"github.com/weightools/safetensors/cmd/weigh/internal/verb/judge"
	"github.com/weightools/safetensors/cmd/weigh/internal/verb/look"
	"github.com/weightools/safetensors/cmd/weigh/internal/verb/other"
)

// rootCmd returns the root command with all others.
func rootCmd(sess *cli.Session) *cobra.Command {
	root := &cobra.Command{
		Use:   "weigh",
		Short: "Inspect, verify, convert and edit model weight files",
		Long: `Inspect, verify, convert and edit model weight files: safetensors, GGUF, PyTorch
and NumPy, on disk or remote. Weigh reads only headers where it can, and never runs
code from a file.

A target is a file, a folder, an index ("*.safetensors.index.json"), a URL, or
"-" for standard input. Without a command, weigh runs info.

Targets can be remote. Weigh downloads only the bytes it needs:

  https://host/path/model.safetensors  a file, or a folder with an index
  hf://org/repo[@revision][/path]      a repository on the Hugging Face Hub
  s3://bucket/path, gs://bucket/path   an object, or all objects with a prefix
  az://account/container/path          the same on Azure Blob Storage
  oci://registry/repository:tag        an artifact in an OCI registry
  ms://org/repo[@revision][/path]      a model of ModelScope`,
		Example: `  weigh testdata/sample                       # list tensors, dtypes and sizes
  weigh check testdata/sample                 # validate; see the exit code
  weigh info --tree --depth 2 testdata/sample # parameters by module`,
		SilenceErrors: true, // run prints them
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs, // there are none; see withVerb
	}
	sess.Register(root)
	version := root.Flags().Bool("version", false, "print the version")
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if *version {
			return other.PrintVersion(sess, false)
		}
		return nothingAsked(sess, cmd)
	}
	addCommands(root, sess)
	root.SetHelpCommand(sess.HelpCmd())
	root.SetHelpCommandGroupID("Other commands")
	root.SetHelpFunc(sess.HelpFunc)
	root.CompletionOptions.DisableDefaultCmd = true // the command completion replaces it
	root.SetFlagErrorFunc(cli.FlagError)
	root.InitDefaultHelpCmd()
	return root
}

// addCommands adds all commands in groups.
func addCommands(root *cobra.Command, sess *cli.Session) {
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Inspect files", []*cobra.Command{look.Info(sess), look.ID(sess), look.Header(sess), look.Layout(sess), look.Cat(sess),
			look.Stats(sess), look.View(sess), change.Metadata(sess), change.Get(sess), judge.Pickle(sess)}},
		{"Verify and compare files", []*cobra.Command{judge.Check(sess), judge.Hash(sess), judge.Diff(sess),
			judge.Scan(sess)}},
		{"Convert, edit and copy files", []*cobra.Command{change.Edit(sess), change.Convert(sess), change.Split(sess),
			change.Merge(sess)}},
		{"Other commands", []*cobra.Command{other.Completion(sess), other.Version(sess)}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.title
			if c.ValidArgsFunction == nil && c.ValidArgs == nil {
				c.ValidArgsFunction = cli.CompleteFiles
			}
			root.AddCommand(c)
		}
	}
}

// checkImplied makes the root command reject a word that is neither a command nor a file, when
// info is implied: "weigh chek x" parses as two targets. It must run after flags are parsed.
func checkImplied(root *cobra.Command) {
	shared := root.PersistentPreRunE
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		if err := shared(cmd, args); err != nil || cmd.Name() != "info" {
			return err
		}
		return misspelt(cmd, args[0])
	}
}

// nothingAsked returns the error for a missing target. It is more likely a mistake, such as an
// empty variable in a script, than a request for help.
func nothingAsked(sess *cli.Session, root *cobra.Command) error {
	if sess.Piped {
		return cli.Usagef("no target; use %q to read standard input, or see %q", "weigh -", "weigh --help")
	}
	return cli.Usagef("no target; usage: %q; see %q", cli.UsageLine(root), "weigh --help")
}

// withVerb inserts the command info if args begin with a target. It reports whether it did.
func withVerb(root *cobra.Command, args []string) (_ []string, implied bool) {
	if len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd) {
		// Completion requests have args, too. The last one may be the start of a command.
		if len(args) < 3 {
			return args, false
		}
		rest, implied := withVerb(root, args[1:])
		return append(args[:1:1], rest...), implied
	}
	first, ok := firstTarget(root, args)
	if !ok || slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == first }) {
		return args, false
	}
	return append([]string{"info"}, args...), true
}

// firstTarget returns the first argument that is neither a flag nor the value of one. It knows the
// flags of the root command and of info. If there is none, it returns true if a flag belongs to
// info.
func firstTarget(root *cobra.Command, args []string) (string, bool) {
	info, _, _ := root.Find([]string{"info"})
	ofInfo := false
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			return "", true
		case arg == "-" || !strings.HasPrefix(arg, "-"):
			return arg, true
		}
		f := lookup(root.PersistentFlags(), arg)
		if f == nil {
			if f = lookup(info.Flags(), arg); f != nil {
				ofInfo = true
			}
		}
		if f != nil && f.NoOptDefVal == "" && !strings.Contains(arg, "=") && (strings.HasPrefix(arg, "--") || len(arg) == 2) {
			i++ // the value
		}
	}
	return "", ofInfo
}

// lookup returns the flag of an argument such as "--sort=name" or "-o".
func lookup(flags *pflag.FlagSet, arg string) *pflag.Flag {
	if name, ok := strings.CutPrefix(arg, "--"); ok {
		name, _, _ = strings.Cut(name, "=")
		return flags.Lookup(name)
	}
	return flags.ShorthandLookup(arg[1:2])
}

// misspelt returns an error if the target does not exist and resembles a command, or nil.
func misspelt(cmd *cobra.Command, target string) error {
	if target == "-" || strings.ContainsAny(target, `./\:`) {
		return nil
	}
	if _, err := os.Lstat(target); err == nil {
		return nil
	}
	var names []string
	for _, c := range cmd.Root().Commands() {
		names = append(names, c.Name())
	}
	verb, _, _ := strings.Cut(meantVerbs[target], " ")
	if meant := cmp.Or(verb, cli.Suggest(target, names)); meant != "" {
		return cli.Usagef("unknown command %q; did you mean %q?", target, meant)
	}
	return cli.Usagef("%q is neither a command nor a file; weigh --help lists the commands", target)
}
