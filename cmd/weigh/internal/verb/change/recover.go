// What killed runs have left: finished or taken back before a folder is written to, or on request.

package change

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
)

// mend finishes what killed runs have begun in the folder of a name, and removes what they left.
func mend(sess *cli.Session, name string) error {
	dir := target.Folder(name)
	if dir == "" {
		return nil
	}
	return sess.Mend(dir)
}

// runRecover carries out edit --recover.
func runRecover(sess *cli.Session, cmd *cobra.Command, name target.Name) error {
	var other error
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed && f.Name != "recover" {
			other = cli.Usagef("--recover changes nothing else: it cannot be combined with --%s", f.Name)
		}
	})
	if other != nil {
		return other
	}
	dir := target.Folder(string(name))
	if dir == "" {
		return cli.Usagef("--recover needs a folder on this machine, not %q", name)
	}
	r, err := shards.Recover(dir, true)
	if err != nil || sess.Quiet {
		return err
	}
	lines := cli.Recovered(r)
	if lines == nil {
		lines = []string{fmt.Sprintf("nothing to recover in %q", dir)}
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(sess.Stdout, typeset.Line(line)); err != nil {
			return err
		}
	}
	return nil
}
