// Folders in which a run was killed while it replaced files.

package target

import (
	"iter"
	"os"
	"path/filepath"

	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
)

// Unfinished returns an error for the folder of a local target, and for each folder in it, if a run was killed while it
// replaced the files there.
func (t *Target) Unfinished() []error {
	dir := shards.LocalFolder(string(t.Name))
	if dir == "" {
		return nil
	}
	var list []error
	if err := shards.Unfinished(dir); err != nil {
		list = append(list, err)
	}
	if t.Within != "" {
		return list
	}
	entries, _ := os.ReadDir(dir) // the files of a folder that cannot be read are not read either
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		if err := shards.Unfinished(filepath.Join(dir, e.Name())); err != nil {
			list = append(list, err)
		}
	}
	return list
}

// WarnUnfinishedOf does what WarnUnfinished does, for the folders of local files, once for each.
func WarnUnfinishedOf(sess *cli.Session, files iter.Seq[string]) {
	seen := make(map[string]bool)
	for file := range files {
		dir := filepath.Dir(file)
		if seen[dir] {
			continue
		}
		seen[dir] = true
		if err := shards.Unfinished(dir); err != nil {
			sess.PrintError(err)
		}
	}
}

// Interrupted reports whether a local target is a folder in which runs have left something.
func (t *Target) Interrupted() bool {
	dir := shards.LocalFolder(string(t.Name))
	return dir != "" && (len(t.Unfinished()) > 0 || len(shards.Leftovers(dir)) > 0)
}

// WarnUnfinished prints the errors that Unfinished returns, also with --quiet: the files may be of two runs.
func (t *Target) WarnUnfinished(sess *cli.Session) {
	for _, err := range t.Unfinished() {
		sess.PrintError(err)
	}
}
