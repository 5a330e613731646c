// Plans: an edit of one checkpoint before it is written.

package edit

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/checkpoint/shards"
)

// A Plan is an edit of one checkpoint that has yet to be written. Its receipt is a dry
// run. It holds the files of the source open until Close.
type Plan struct {
	Receipt *Receipt // what Write would do

	*source
	edit     *Edit
	target   string       // as it was named; "" in place
	dir      string       // the folder in which files are written
	one      string       // the name of the one file that is written, if it is not the source's
	newIndex bool         // the index changes
	patched  bool         // headers are overwritten, and nothing else is written
	output   *shards.Plan // of new files; nil if there are none
	release  func()       // releases the files that hold has locked
}

// Close closes the files of the source.
func (p *Plan) Close() error { return p.source.close() }

// Accompany makes staged files get their names together with the weights; see [shards.Plan].
func (p *Plan) Accompany(files *shards.Companions) {
	if p.output != nil {
		p.output.Beside = files
	}
}

// Checkpoint returns the source, which is closed with the plan.
func (p *Plan) Checkpoint() *checkpoint.Checkpoint { return p.cp }

// Texts returns the files that [Edit].Arrange wants beside the weights, by their names. A nil text means a file that is
// not to be copied. The caller writes them: see [shards.Companions].
func (p *Plan) Texts() map[string][]byte { return p.out.Texts }

// Notes returns what [Edit].Arrange wants users to know, and whether config.json is right for the output, too.
func (p *Plan) Notes() (notes []string, described bool) { return p.out.Notes, p.out.Described }

// Dir returns the folder in which files are written.
func (p *Plan) Dir() string { return p.dir }

// Path returns the path by which users can open a shard of the source.
func (p *Plan) Path(shard string) string {
	name := shard
	if p.folder != "" {
		name = strings.TrimPrefix(shard, p.folder+"/")
	}
	return p.shown(name)
}

// outputs returns the names of the output files, the index last. In place, an unchanged index is
// written too: readers must not find it while shards are replaced.
func (p *Plan) outputs() []string {
	var names []string
	for _, f := range p.files {
		if f.action == Written {
			names = append(names, p.nameOf(f))
		}
	}
	if p.index != nil && (p.newIndex || len(names) > 0) {
		names = append(names, p.indexNow)
	}
	return names
}

// nameOf returns the name under which a file is written.
func (p *Plan) nameOf(f *file) string {
	if p.one != "" {
		return p.one
	}
	return f.rename
}

// written returns the path of an output file.
func (p *Plan) written(name string) string {
	if p.target == "" {
		return p.shown(name)
	}
	return path.Join(filepath.ToSlash(p.dir), name)
}
