// The flags of the verb get.

package change

import "github.com/weightools/safetensors/cmd/weigh/internal/cli"

// getFlags are the flags of get.
type getFlags struct {
	cli.NameFlags
	dir string
	carryFlags
	toCache             bool
	force, json, dryRun bool
}

// checkPlace validates the flags that say where to write.
func (f *getFlags) checkPlace() error {
	switch {
	case f.dir == "" && !f.toCache:
		return cli.Usagef("get needs an output folder: -o DIR, or --to-cache for models on the Hub")
	case f.dir != "" && f.toCache:
		return cli.Usagef("-o and --to-cache cannot be combined")
	case f.toCache && (f.Include != nil || f.Exclude != nil):
		return cli.Usagef("--to-cache downloads complete files, and cannot be combined with --include or --exclude")
	case f.toCache && f.force:
		return cli.Usagef("--to-cache overwrites nothing, and cannot be combined with --force")
	}
	return nil
}
