// What killed runs have left: finished or taken back before a folder is written to, or on request.

package change

import (
	"fmt"
	"strings"

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
	r, err := shards.Recover(dir, false)
	if err != nil {
		return err
	}
	for _, line := range recovered(r) {
		sess.Notice("%s", line)
	}
	return nil
}

// recovered describes a recovery in lines.
func recovered(r *shards.Recovery) (lines []string) {
	switch {
	case r == nil:
		return nil
	case r.TakenBack != nil:
		lines = append(lines, fmt.Sprintf("took back an interrupted run in %q: %s", r.Dir, cli.Describe(r.TakenBack)))
	case r.Finished != nil:
		lines = append(lines, fmt.Sprintf("finished an interrupted run in %q: %s in place", r.Dir,
			typeset.Plural(int64(len(r.Finished)), "new file")))
	}
	if len(r.Removed) > 0 {
		lines = append(lines, fmt.Sprintf("removed what interrupted runs left in %q: %s", r.Dir, strings.Join(r.Removed, ", ")))
	}
	return lines
}

// runRecover carries out edit --recover.
func runRecover(sess *cli.Session, cmd *cobra.Command, name string) error {
	var other error
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed && f.Name != "recover" {
			other = cli.Usagef("--recover changes nothing else: it cannot be combined with --%s", f.Name)
		}
	})
	if other != nil {
		return other
	}
	dir := target.Folder(name)
	if dir == "" {
		return cli.Usagef("--recover needs a folder on this machine, not %q", target.Printable(name))
	}
	r, err := shards.Recover(dir, true)
	if err != nil || sess.Quiet {
		return err
	}
	lines := recovered(r)
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
