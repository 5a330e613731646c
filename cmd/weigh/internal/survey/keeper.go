// Suppressions by configuration.

package survey

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/gate"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/store"
)

// ConfigName is the name of a configuration that is found beside a target.
const ConfigName = ".weigh.toml"

// A Keeper says by what files are known from one run to the next, and of what is
// found in them whether it is allowed.
type Keeper struct {
	root   string    // the folder from which paths are told: that of the baseline, or the one where the program runs
	named  *rulebook // that of --config, or nil
	search bool      // whether to look beside targets for one
	now    *rulebook // that of the target at hand, or nil
	Used   []*rulebook
}

// A rulebook is a configuration, and the folder from which its patterns are.
type rulebook struct {
	*gate.Config
	folder string
}

// NewKeeper returns the one that the flags ask for.
func NewKeeper(sess *cli.Session, config, baseline string, search bool) (*Keeper, error) {
	root := "."
	if baseline != "" {
		root = filepath.Dir(baseline)
	}
	k := &Keeper{search: config == "" && search}
	var err error
	if k.root, err = filepath.Abs(root); err != nil || config == "" {
		return k, err
	}
	k.named, err = readRulebook(sess, config)
	return k, err
}

// readRulebook reads a configuration. One that makes no sense is a slip of the user's.
func readRulebook(sess *cli.Session, name string) (*rulebook, error) {
	text, err := sess.ReadSmall(name, 1<<20)
	if err != nil {
		return nil, err
	}
	config, err := gate.Parse(typeset.Name(filepath.ToSlash(name)), text)
	if err != nil {
		return nil, cli.Usage(err)
	}
	folder, err := filepath.Abs(filepath.Dir(name))
	return &rulebook{config, folder}, err
}

// turnTo takes up the configuration for a target.
func (k *Keeper) turnTo(sess *cli.Session, target string) error {
	if k == nil {
		return nil
	}
	if k.now = k.named; k.now == nil && k.search {
		if name := besides(target); name != "" {
			var err error
			if k.now, err = readRulebook(sess, name); err != nil {
				return err
			}
			if err := k.now.CheckFound(); err != nil {
				return cli.Usage(err)
			}
		}
	}
	if k.now != nil && !slices.ContainsFunc(k.Used, func(b *rulebook) bool { return b.Name == k.now.Name }) {
		k.Used = append(k.Used, k.now)
	}
	return nil
}

// besides returns the name of the configuration that lies beside a local target, "" if
// none does. That of a folder lies in it, or beside it.
func besides(target string) string {
	ref, err := store.Parse(target)
	if target == "-" || err != nil || ref.Scheme != "file" {
		return ""
	}
	names := []string{filepath.Join(filepath.Dir(target), ConfigName)}
	if info, err := os.Stat(target); err == nil && info.IsDir() {
		names = []string{filepath.Join(target, ConfigName)}
		if filepath.Clean(target) != "." { // the folder around that is another matter
			names = append(names, filepath.Join(target, "..", ConfigName))
		}
	}
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			return name
		}
	}
	return ""
}

// opener returns how files of the target at hand are opened.
func (k *Keeper) opener(lenient bool) *safetensors.Opener {
	o := &safetensors.Opener{Lenient: lenient}
	if k != nil && k.now != nil {
		k.now.Limit(o)
	}
	return o
}

// Findings returns what a report on a file finds, with what is allowed of it.
func (k *Keeper) Findings(file string, r *safetensors.Report) (list []finding.Finding, omitted []finding.Omission) {
	var key, within string
	var book *gate.Config
	if k != nil {
		key = from(k.root, file)
		if k.now != nil {
			book, within = k.now.Config, from(k.now.folder, file)
		}
	}
	for _, v := range r.Violations {
		list = append(list, finding.Finding{Violation: v, File: file, Key: key, Allowed: book.Reason(v.Rule, within, v.Tensor)})
	}
	for _, rule := range slices.Sorted(maps.Keys(r.Omitted)) {
		omitted = append(omitted, finding.Omission{Rule: rule, File: file, Key: key, N: r.Omitted[rule], Allowed: book.ReasonForAll(rule, within)})
	}
	return list, omitted
}

// from returns a path of a local file as it is told from a folder, with slashes. What
// is not local is known by its address.
func from(folder, file string) string {
	if file == "-" || strings.Contains(file, "://") {
		return file
	}
	abs, err := filepath.Abs(filepath.FromSlash(file))
	if err != nil {
		return file
	}
	if rel, err := filepath.Rel(folder, abs); err == nil {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(abs) // on another drive of Windows
}

// FailsFrom returns the least severity for which the check fails: what the flag
// says, else the strictest of what the configurations say, else the default.
func (k *Keeper) FailsFrom(failOn string, lenient bool) (safetensors.Severity, error) {
	if failOn != "" {
		least, ok := gate.Severity(failOn)
		if !ok {
			return 0, cli.UnknownValue("--fail-on", failOn, gate.Words())
		}
		return least, nil
	}
	least, said := target.LeastRefused(lenient), false
	for _, book := range k.Used {
		if book.FailOn != nil && (!said || *book.FailOn < least) {
			least, said = *book.FailOn, true
		}
	}
	return least, nil
}

// Scope says of a file, as it is known, whether the check was of it: it was judged,
// or would have been if it were still there. What could not be read is out of it.
func (k *Keeper) Scope(c *finding.Check) func(file string) bool {
	judged := make(map[string]bool)
	var folders []string
	for _, file := range c.Files {
		judged[from(k.root, file)] = true
	}
	for _, target := range c.Targets {
		if info, err := os.Stat(target); err == nil && info.IsDir() {
			folders = append(folders, from(k.root, target))
		} else {
			judged[from(k.root, target)] = true
		}
	}
	for _, u := range c.Unread {
		judged[from(k.root, u.File)] = false
	}
	return func(file string) bool {
		if is, known := judged[file]; known {
			return is
		}
		return slices.ContainsFunc(folders, func(dir string) bool {
			return dir == "." || file == dir || strings.HasPrefix(file, dir+"/")
		})
	}
}
