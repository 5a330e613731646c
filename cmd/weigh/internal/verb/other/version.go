// The command version.

// Package other contains the commands about the program itself.
package other

import (
	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/store"
)

// Version returns the command.
func Version(sess *cli.Session) *cobra.Command {
	var json bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    "Print the version, the source revision and the Go version of the program.",
		Example: "  weigh version\n  weigh version --json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return cli.Usagef("version takes no arguments: %q", store.Redact(args[0]))
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(*cobra.Command, []string) error { return PrintVersion(sess, json) },
	}
	cmd.Flags().BoolVar(&json, "json", false, "write JSON, weigh.version/1")
	return cmd
}

// PrintVersion prints the version. It is also the flag --version.
func PrintVersion(sess *cli.Session, json bool) error {
	return sess.Receipt(cli.Build(), json, true)
}
