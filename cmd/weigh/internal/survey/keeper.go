// Suppressions by configuration.

package survey

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/gate"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/store"
)

// ConfigName is the name of a configuration file next to a target.
const ConfigName = ".weigh.toml"

// A Keeper decides which findings are allowed by configuration, and names files independently of
// the working directory.
type Keeper struct {
	root   string    // folder of the baseline, or the working directory
	named  *rulebook // from --config, or nil
	search bool      // search next to targets
	now    *rulebook // for the current target, or nil
	Used   []*rulebook

	// FailOn is the flag --fail-on, or nil.
	FailOn *finding.Threshold

	// For is the flag --for.
	For []loader.Name
}

// A rulebook is a configuration with the folder that its patterns refer to.
type rulebook struct {
	*gate.Config
	folder string
}

// NewKeeper returns a Keeper for a configuration file and a baseline, which may be "".
func NewKeeper(sess *cli.Session, config, baseline string, search bool) (*Keeper, error) {
	root := "."
	if baseline != "" {
		root = filepath.Dir(baseline)
	}
	k := &Keeper{search: config == "" && search}
	var err error
	if k.root, err = filepath.Abs(root); err != nil && baseline == "" {
		k.root, err = "", nil // the working directory was removed
	}
	if err != nil || config == "" {
		return k, err
	}
	k.named, err = readRulebook(sess, config)
	return k, err
}

// readRulebook reads a configuration.
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

// turnTo loads the configuration for a target.
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

// besides returns the configuration file in or next to a local target, or "".
func besides(target string) string {
	ref, err := store.Parse(target)
	if target == "-" || err != nil || ref.Scheme != "file" {
		return ""
	}
	names := []string{filepath.Join(filepath.Dir(target), ConfigName)}
	if info, err := os.Stat(target); err == nil && info.IsDir() {
		names = []string{filepath.Join(target, ConfigName)}
		if filepath.Clean(target) != "." { // the parent of the working directory does not count
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

// opener returns the options for opening files of the current target.
func (k *Keeper) opener(lenient bool) *safetensors.Opener {
	o := &safetensors.Opener{Lenient: lenient}
	if k != nil && k.now != nil {
		k.now.Limit(o)
	}
	return o
}

// Findings converts a report on a file, with reasons for allowed findings.
func (k *Keeper) Findings(file string, r *safetensors.Report) (list []finding.Finding, omitted []finding.Omission) {
	var key, within string
	var book *gate.Config
	if k != nil {
		key = from(k.root, file)
		if k.now != nil {
			book, within = k.now.Config, from(k.now.folder, file)
		}
	}
	info, err := os.Lstat(filepath.FromSlash(file))
	isLink := err == nil && info.Mode()&os.ModeSymlink != 0
	for _, v := range r.Violations {
		one := finding.Finding{Violation: v, File: file, Key: key, Shared: isLink}
		if k.mayAllow(v) {
			one.Allowed = book.Reason(v.Rule, within, v.Tensor)
		}
		list = append(list, one)
	}
	for _, rule := range slices.Sorted(maps.Keys(r.Omitted)) {
		omitted = append(omitted, finding.Omission{Rule: rule, File: file, Key: key, N: r.Omitted[rule],
			Allowed: book.Reason(rule, within, ""), For: k.programs()})
	}
	return list, omitted
}

// mayAllow reports whether the configuration may allow a finding. One that was found next to the weights may not
// allow errors, even of a rule that is a warning without --for.
func (k *Keeper) mayAllow(v *safetensors.Violation) bool {
	return k == nil || k.named != nil || v.Severity <= safetensors.Warning || v.For == nil
}

// programs returns the programs of the flag --for.
func (k *Keeper) programs() []loader.Name {
	if k == nil {
		return nil
	}
	return k.For
}

// from returns the path of a local file relative to a folder, with slashes. Remote files keep
// their address.
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
	return filepath.ToSlash(abs) // on another Windows drive
}

// FailsFrom returns which findings make the check fail: by the flag, else by all configurations together,
// else by default.
func (k *Keeper) FailsFrom(lenient bool) finding.Threshold {
	if k.FailOn != nil {
		return *k.FailOn
	}
	t := finding.Threshold{Least: finding.Never}
	for _, book := range k.Used {
		if book.FailOn != nil {
			t.Add(*book.FailOn)
		}
	}
	if t.Least == finding.Never && !slices.ContainsFunc(k.Used, func(b *rulebook) bool { return b.FailOn != nil }) {
		t.Least = target.LeastRefused(lenient)
	}
	return t
}

// Scope returns a function that reports whether the check covers a file, even one that no longer
// exists. Unreadable files are not covered.
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
