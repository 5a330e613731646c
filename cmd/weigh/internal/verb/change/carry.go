// Files that commands copy with the weights when they write to another folder.

package change

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/receipt"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/edit"
	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/pickle/convert"
)

// carriedHelp is a paragraph in the help of commands that write to another folder.
const carriedHelp = `The files that belong to the weights are copied with them: configuration, tokenizer,
processor, chat template, license and README, but no other weights and no caches. If the
output is named as a file, they are copied only to a new or empty folder. --weights-only
leaves them out.`

// carryFlags are the flags about these files.
type carryFlags struct{ weightsOnly bool }

// register adds the flags to a verb.
func (f *carryFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.weightsOnly, "weights-only", false,
		"copy only weights, without configuration, tokenizer, license and README")
}

// A carrying is the copying of these files.
type carrying struct {
	*shards.Companions
	dir     string
	force   bool
	changes map[string][]string // corrections by name
	made    map[string]bool     // files that the edit made, by name
	report  receipt.Carried
}

// find finds the files beside the sources, which are written to the folder dir. Out is the output as the user named
// it, or "" if it is a folder in any case.
func (f *carryFlags) find(ctx context.Context, sess *cli.Session, sources []target.Name, out, dir string,
	force bool) (*carrying, error) {
	c := &carrying{Companions: new(shards.Companions), dir: dir, force: force, changes: make(map[string][]string)}
	for _, source := range sources {
		at, err := target.Open(ctx, sess, source, checkpoint.Options{})
		if err != nil {
			return nil, err
		}
		folder, ok := folderOf(at)
		alone := !ok
		if alone {
			folder, ok = modelOf(at)
		}
		if !ok || !at.Remote() && sameFolder(at.Path(folder), dir) {
			continue
		}
		found, err := shards.FindCompanions(ctx, at.Store, folder, at.Path, nil)
		if err != nil {
			return nil, err
		}
		if found.Unlisted && !f.weightsOnly {
			sess.Notice("%s does not list its files: only weights are copied", at.Name)
		}
		if alone {
			found.Others = nil // a file that is named alone is complete
		}
		if err := c.Add(ctx, found); err != nil {
			return nil, err
		}
	}
	f.settle(c, out)
	return c, nil
}

// settle leaves the companions out if the user says so, or if the output is a file among other files.
func (f *carryFlags) settle(c *carrying, out string) {
	if f.weightsOnly || !takesCompanions(out) {
		for _, one := range c.Files {
			c.Others = append(c.Others, one.Path)
		}
		c.Files, c.Unreadable = nil, nil
	}
	for _, file := range c.Unreadable {
		c.report.Warnings = append(c.report.Warnings, file+" is not copied: permission denied")
	}
	c.report.NotCopied = c.Others
}

// without leaves sources out of the files that are not copied.
func (c *carrying) without(sources []*convert.Source) {
	c.Others = slices.DeleteFunc(c.Others, func(name string) bool {
		return slices.ContainsFunc(sources, func(s *convert.Source) bool { return s.Path == name })
	})
	c.report.NotCopied = c.Others
}

// takesCompanions reports whether files beside the weights may be written, too. A file in a folder with other files is
// only that file. Hidden files do not count: they may be those of a run at the same time.
func takesCompanions(out string) bool {
	if out == "" {
		return true
	}
	o, err := shards.FindOutput(out, weightsEnd, "")
	if err != nil || o.File == "" {
		return true // an error is reported when the output is planned
	}
	entries, err := os.ReadDir(o.Dir)
	isVisible := func(e fs.DirEntry) bool { return !strings.HasPrefix(e.Name(), ".") }
	return !slices.ContainsFunc(entries, isVisible) && (err == nil || errors.Is(err, fs.ErrNotExist))
}

// folderOf returns the folder of a target that is a folder or an index. A single file may be in a folder of downloads;
// see modelOf.
func folderOf(at *target.Target) (folder string, ok bool) {
	switch {
	case at.Within == "":
		return "", true
	case target.IsIndex(at.Within):
		if folder = path.Dir(at.Within); folder == "." {
			folder = ""
		}
		return folder, true
	case !at.Remote():
		return at.Within, isFolder(at.Path(at.Within))
	}
	return at.Within, filetype.WeightsFormat(at.Within) == ""
}

// modelFiles are the names, without extension, of files that are a model by themselves.
var modelFiles = []string{"model", "pytorch_model", "adapter_model", "diffusion_pytorch_model"}

// modelOf returns the folder of a local file that is a whole model, by its name and by the configuration beside it.
func modelOf(at *target.Target) (folder string, ok bool) {
	base := path.Base(at.Within)
	if at.Remote() || !slices.Contains(modelFiles, strings.TrimSuffix(base, path.Ext(base))) {
		return "", false
	}
	if folder = path.Dir(at.Within); folder == "." {
		folder = ""
	}
	return folder, slices.ContainsFunc([]string{configName, "adapter_config.json"}, func(name string) bool {
		_, err := os.Stat(at.Path(path.Join(folder, name)))
		return err == nil
	})
}

// sameFolder reports whether two names are of one folder.
func sameFolder(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// configName is the name of the configuration of a model.
const configName = "config.json"

// mostConfig is how large a configuration is at most, in bytes.
const mostConfig = 16 << 20

// correct corrects the configuration of a model whose tensors are edited, and warns of what remains.
func (c *carrying) correct(ctx context.Context, plan *edit.Plan) error {
	i := slices.IndexFunc(c.Files, func(one shards.Companion) bool { return one.Name == configName })
	if i < 0 {
		return nil
	}
	one := &c.Files[i]
	text, err := one.ReadText(ctx)
	if err != nil {
		return err
	}
	corrected, changes, wrong := plan.CorrectConfig(text)
	if corrected != nil {
		one.Replace(corrected)
		c.changes[one.Name] = changes
	}
	for _, text := range wrong {
		c.report.Warnings = append(c.report.Warnings, one.Path+": "+text)
	}
	notes, described := plan.Notes()
	c.report.Warnings = append(c.report.Warnings, notes...)
	described = described || plan.Texts()[configName] != nil
	for i := 0; i < len(plan.Receipt.Tensors) && !described; i++ {
		if row := &plan.Receipt.Tensors[i]; row.Now == nil || row.Was == nil || row.Now.Name != row.Was.Name {
			c.report.Warnings = append(c.report.Warnings,
				one.Path+" describes the model before tensors were renamed or dropped")
			break
		}
	}
	return nil
}

// write adds the files that the edit made, in place of companions of the same names. A nil text leaves one out.
func (c *carrying) write(texts map[string][]byte) {
	c.made = make(map[string]bool)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		c.Files = slices.DeleteFunc(c.Files, func(one shards.Companion) bool { return one.Name == name })
		if text := texts[name]; text != nil {
			c.Files = append(c.Files, shards.NewCompanion(name, text))
			c.made[name] = true
		}
	}
}

// warnOfPart warns of a configuration that describes more tensors than are written.
func (c *carrying) warnOfPart() {
	for _, one := range c.Files {
		if one.Name == configName {
			c.report.Warnings = append(c.report.Warnings, one.Path+" describes the whole model, not the selected tensors")
		}
	}
}

// warnOfConfig warns of a configuration beside a model that is edited in place, whose dtypes are no longer right.
func (c *carrying) warnOfConfig(plan *edit.Plan, file string) {
	info, err := os.Stat(file)
	if err != nil || info.Size() > mostConfig {
		return // there is none
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return
	}
	_, changes, wrong := plan.CorrectConfig(text)
	for _, text := range append(changes, wrong...) {
		c.report.Warnings = append(c.report.Warnings,
			fmt.Sprintf("%s is not changed and no longer right: %s", filepath.ToSlash(file), text))
	}
}

// stage copies the files to hidden files, or only looks for conflicts if it is a dry run. The caller must call Abort.
func (c *carrying) stage(ctx context.Context, dryRun bool) error {
	err := c.Check(ctx, c.dir, c.force)
	if err == nil && !dryRun {
		err = c.Stage(ctx, c.dir, c.force)
	}
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: write elsewhere, use --force, or leave it out with --weights-only", err)
	}
	return err
}

// commit renames the files into place, and fills in the report.
func (c *carrying) commit(dryRun bool) error {
	for _, one := range c.Files {
		row := receipt.Companion{Path: filepath.ToSlash(filepath.Join(c.dir, filepath.FromSlash(one.Name))),
			From: one.Path, Size: one.Size, Action: "copied", Changes: c.changes[one.Name]}
		switch {
		case one.Kept:
			row.Action = "kept"
		case c.made[one.Name]:
			row.Action, row.From = "written", ""
		case row.Changes != nil:
			row.Action = "corrected"
		}
		c.report.Companions = append(c.report.Companions, row)
	}
	if dryRun {
		return nil
	}
	if err := c.Commit(); err != nil {
		return fmt.Errorf("the weights are written, but not all files beside them: %w", err)
	}
	return nil
}
