// The output of an edit: where it is written, and which files it must not replace.

package edit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/internal/atomicfile"
	"github.com/weightools/safetensors/internal/wording"
)

// aim determines where files are written, and refuses outputs that are not allowed.
func (p *Plan) aim() error {
	ext := ""
	if p.index == nil && len(p.files) == 1 {
		ext = ".safetensors"
	}
	files := fmt.Sprintf("%s of %s to write", wording.Count(len(p.files), "file"), quote(p.ref))
	out, err := shards.FindOutput(p.target, ext, files)
	if err != nil {
		return err
	}
	p.dir, p.one = out.Dir, out.File
	return errors.Join(p.noStrays(), p.noRival())
}

// noRival returns an error if the output folder has another model under the name of an output file.
func (p *Plan) noRival() error {
	rival, name := shards.Rival(p.dir, p.outputs())
	if rival == "" {
		return nil
	}
	return refuse("%q has %q, which would remain, and is another model than %q: write to another folder", p.target,
		rival, name)
}

// noStrays returns an error if the output folder has shards that are not replaced, and that
// would pass for new ones by their names: model-00003-of-00003 and a set of two.
func (p *Plan) noStrays() error {
	ours := make(map[string]bool)  // prefixes and suffixes
	names := make(map[string]bool) // of the files that are written
	for _, f := range p.files {
		if n, ok := shards.ParseName(f.rename); ok && f.action != Removed {
			ours[n.Prefix+n.Suffix], names[f.rename] = true, true
		}
	}
	if len(ours) == 0 {
		return nil
	}
	there, err := os.ReadDir(p.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, d := range there {
		if n, ok := shards.ParseName(d.Name()); ok && ours[n.Prefix+n.Suffix] && !names[d.Name()] {
			return refuse("%q has %q, which would remain, and pass for a shard of the output: write to another folder",
				p.target, d.Name())
		}
	}
	return nil
}

// noLinks returns an error if a file is a symbolic link. Following it would change a file that
// others identify by its digest, as in the Hub's cache; replacing it would leave the file
// unchanged that the user may have meant.
func (s *source) noLinks() error {
	for _, name := range s.names() {
		local := filepath.Join(s.local, name)
		info, err := os.Lstat(local)
		if err != nil {
			return err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		to, err := os.Readlink(local)
		if err != nil {
			return err
		}
		return refuse("%q is a symbolic link to %q, which may be shared: edit the target of the link, or write elsewhere",
			s.shown(name), to)
	}
	return nil
}

// writable returns an error if a file that changes is read-only.
func (p *Plan) writable() error {
	for _, f := range p.files {
		if f.action == Unchanged {
			continue
		}
		if err := atomicfile.Writable(filepath.Join(p.dir, f.name)); err != nil {
			return err
		}
	}
	return nil
}

// unlisted returns an error if the source is a single file that an index in its folder lists,
// and the index would no longer be correct.
func (s *source) unlisted() error {
	if !s.named || !s.files[0].isTouched() {
		return nil
	}
	beside, err := os.ReadDir(s.local)
	if err != nil {
		return err
	}
	for _, d := range beside {
		if !checkpoint.IsIndex(d.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(s.local, d.Name()))
		if err != nil {
			return err
		}
		index, _ := checkpoint.ParseIndex(text)
		if slices.ContainsFunc(index.Tensors, func(e checkpoint.IndexEntry) bool { return e.Shard == s.files[0].name }) {
			return refuse("%q is a shard of %q, which would be out of date: edit the index instead",
				s.shown(s.files[0].name), s.shown(d.Name()))
		}
	}
	return nil
}
