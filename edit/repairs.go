// Repairs of what lies about weights: links of the Hub's cache, and permissions.

package edit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/internal/filemode"
	"github.com/weightools/safetensors/internal/hubcache"
)

// A Repair mends a file without writing weights.
type Repair struct {
	Fault
	apply func() error
}

// Apply mends the file.
func (r *Repair) Apply() error { return r.apply() }

// Repairs returns the repairs of a local file or folder, or of the folder of an index, that break the rules cache-link
// and file-mode. Links of the Hub's cache are found in all of its folders, or in the snapshot of a file; while there
// are some, modes are left alone. There are no repairs elsewhere than on this machine.
func Repairs(ref string) ([]Repair, error) {
	folder := shards.LocalFolder(ref)
	if folder == "" {
		return nil, nil
	}
	links, err := linksBelow(folder)
	if len(links) > 0 || err != nil {
		return links, err
	}
	var modes []Repair
	for _, one := range filemode.In(folder) {
		name := filepath.ToSlash(one.Path)
		if info, err := os.Stat(ref); err == nil && !info.IsDir() && !checkpoint.IsIndex(ref) && filepath.Clean(ref) != one.Path {
			continue
		}
		modes = append(modes, Repair{fault(checkpoint.RuleFileMode, name, "mode %#o becomes %#o", one.Is, one.Want), one.Widen})
	}
	return modes, nil
}

// Linked reports whether a path is a file beside weights in a snapshot of the Hub's cache, and the link that it should
// be: there is nothing to repair.
func Linked(ref string) bool {
	return filepath.Ext(ref) != ".safetensors" && !checkpoint.IsIndex(ref) && hubcache.Right(ref)
}

// linksBelow returns the repairs of the links below a folder.
func linksBelow(folder string) (links []Repair, err error) {
	err = filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || err == nil && d.IsDir() {
			return nil
		}
		if link, ok := hubcache.Broken(name); ok && err == nil {
			links = append(links, Repair{fault(checkpoint.RuleCacheLink, filepath.ToSlash(name), "it leads to %s instead of %s",
				quote(link.To), quote(link.Says)), link.Make})
		}
		return err
	})
	return links, err
}

// fault returns the violation of a rule by a file.
func fault(rule safetensors.Rule, file, format string, args ...any) Fault {
	f := new(checkpoint.Findings)
	f.Add(rule, "", safetensors.Span{}, format, args...)
	return Fault{file, f.Report().Violations[0]}
}
