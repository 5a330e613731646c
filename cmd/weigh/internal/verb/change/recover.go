// What killed runs have left: finished or taken back before a folder is written to, or on request.

package change

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/store"
)

// mend finishes what killed runs have begun in the folder of a name, and removes what they left.
func mend(sess *cli.Session, name string) error {
	dir := shards.LocalFolder(name)
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
	dir := shards.LocalFolder(string(name))
	if dir == "" {
		return cli.Usagef("--recover needs a folder on this machine, not %q", name)
	}
	r, err := shards.Recover(dir, true)
	if err != nil {
		return err
	}
	lines := cli.Recovered(r)
	if lines == nil {
		// A file that is named may have been moved away by the run, but then there is something to recover.
		ref, _ := store.Parse(string(name))
		if _, err := os.Stat(ref.String()); errors.Is(err, fs.ErrNotExist) {
			return err
		}
		lines = []string{fmt.Sprintf("nothing to recover in %q", dir)}
	}
	if sess.Quiet {
		return nil
	}
	sess.Confirm(func(w io.Writer, _ typeset.Style) error {
		for i := range lines {
			lines[i] = typeset.Line(lines[i]) + "\n"
		}
		_, err := io.WriteString(w, strings.Join(lines, ""))
		return err
	})
	return nil
}
