// The verb version: which program this is.

package main

import (
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/version"
)

// versionCmd returns the verb.
func versionCmd(sess *cli.Session) *cobra.Command {
	var json bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    "Print the version, the source revision and the Go version of the program.",
		Example: "  weigh version\n  weigh version --json",
		GroupID: cli.GroupOther,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return cli.Usagef("version takes no arguments: %q", args[0])
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(*cobra.Command, []string) error { return printVersion(sess, json) },
	}
	cmd.Flags().BoolVar(&json, "json", false, "write JSON, weigh.version/1")
	return cmd
}

// printVersion is the verb, and the flag --version.
func printVersion(sess *cli.Session, json bool) error {
	return sess.Write(&cli.Output{}, func(w io.Writer, s typeset.Style) error {
		if json {
			return buildVersion().JSON(w, s)
		}
		return buildVersion().Text(w)
	})
}

// buildVersion returns what the linker has put into the program.
func buildVersion() *version.Version {
	v := &version.Version{
		Schema: "weigh.version/1", Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	// go install records a version, a build in a clone the revision: neither needs
	// a flag of the linker, which those who package the program would forget.
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if build.Main.Version != "" {
		v.Version = build.Main.Version
	}
	for _, s := range build.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}
