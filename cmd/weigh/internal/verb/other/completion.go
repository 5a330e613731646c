// The command completion.

package other

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// shells are the supported shells.
var shells = []string{"bash", "zsh", "fish", "powershell"}

// Completion returns the command. Cobra's own prints its help for an unknown shell, with exit code
// 0, and scripts would install that.
func Completion(sess *cli.Session) *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Generate a shell completion script",
		Long: `Generate a script that lets a shell complete commands, flags, their values, and file
names. SHELL is bash, zsh, fish or powershell. Install it where the shell looks for
completions:

  bash        ~/.local/share/bash-completion/completions/weigh
  zsh         _weigh, in a folder in $fpath
  fish        ~/.config/fish/completions/weigh.fish
  powershell  at the end of $PROFILE`,
		Example:   "  weigh completion bash",
		ValidArgs: shells,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) != 1:
				return cli.Usagef("completion needs the name of a shell: %s", strings.Join(shells, ", "))
			case !slices.Contains(shells, args[0]):
				return cli.UnknownValue("SHELL", args[0], shells)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return sess.Write(&cli.Output{}, func(w io.Writer, _ typeset.Style) error {
				return completion(cmd.Root(), args[0], w)
			})
		},
	}
}

// completion writes the script for a shell.
func completion(root *cobra.Command, shell string, w io.Writer) error {
	const described = true // show descriptions of commands
	switch shell {
	case "bash":
		return root.GenBashCompletionV2(w, described)
	case "zsh":
		return root.GenZshCompletion(w)
	case "fish":
		return root.GenFishCompletion(w, described)
	case "powershell":
		return root.GenPowerShellCompletionWithDesc(w)
	}
	return errors.ErrUnsupported // unreachable: Args rejects other shells
}
