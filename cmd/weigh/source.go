// Sources: models whose tensors are written again, by verbs that write.

package main

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"path/filepath"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/internal/claim"
)

// A source is a model whose tensors are to be written again.
type source struct {
	target string
	at     *target.Target
	cp     *checkpoint.Checkpoint
	other  string      // the format, if it is not safetensors
	claim  claim.Files // on this machine, as they were before their headers were read
}

// A part is a tensor of a source.
type part struct {
	*safetensors.Tensor
	file string // in which it is, by a name that the user can open
	here bool   // that is on this machine
}

// openSource opens the one model that is at a target, and judges it: files written
// from a broken one would look sound, and what is missing be missed no more.
func openSource(ctx context.Context, sess *cli.Session, verb, target string, lenient bool) (*source, error) {
	w, err := openWeights(ctx, sess, verb, target, lenient)
	if err != nil {
		return nil, err
	}
	s := &source{target: target, at: w.at, cp: w.parts[0]}
	if len(w.parts) > 1 {
		err = cli.Usagef("%q has %d models: name one of them, such as %q", printable(target), len(w.parts), s.at.Path(s.cp.Set().Name))
	} else {
		s.see()
		err = s.judge(ctx, lenient)
	}
	if err != nil {
		w.close()
		return nil, err
	}
	return s, nil
}

// see takes note of what the files on this machine are. What is missing is judged later.
func (s *source) see() {
	if !s.isHere() {
		return
	}
	for _, name := range s.files() {
		_ = s.claim.Add(name)
	}
}

// judge returns an error if the model breaks a rule for which files are refused.
func (s *source) judge(ctx context.Context, lenient bool) error {
	for r, err := range s.cp.Validate(ctx) {
		if err != nil {
			return err
		}
		s.other = cmp.Or(s.other, r.Format)
		if v := r.First(refused(lenient)); v != nil {
			file := s.at.Path(cmp.Or(r.File, s.cp.Set().Name))
			if v.Rule == safetensors.RuleNotSafetensors {
				return otherFormat(file, v)
			}
			return fmt.Errorf("%q is broken: %s (rule %s): weigh check says more", file, v.Detail, string(v.Rule))
		}
	}
	return nil
}

// parts returns all tensors, in the order of shards and headers.
func (s *source) parts(ctx context.Context) ([]part, error) {
	var list []part
	for _, shard := range s.cp.Shards() {
		file := s.at.Path(shard)
		for t, err := range s.cp.TensorsOf(ctx, shard) {
			if err != nil {
				return nil, err
			}
			list = append(list, part{t.Tensor, file, s.isHere()})
		}
	}
	return list, nil
}

// files returns the names of all files of the model, the index first.
func (s *source) files() []string { return s.at.Files(s.cp.Set()) }

// isHere says whether the model is on this machine.
func (s *source) isHere() bool { return !s.at.Remote() }

// folder returns the folder in which the model is, which is here.
func (s *source) folder() string {
	files := s.files()
	return filepath.FromSlash(path.Dir(files[0]))
}

// home returns the folder in which new files take the place of the model's, which is
// also what -o says if it says anything.
func (s *source) home(out string) (string, error) {
	switch {
	case s.other != "":
		return "", cli.Usagef("--in-place is for safetensors files, and %q is in another format (%s): write to another file with -o", printable(s.target), s.other)
	case !s.isHere():
		return "", cli.Usagef("--in-place is for files on this machine, and not for %q", printable(s.target))
	case out != "" && !sameFolder(out, s.folder()):
		return "", cli.Usagef("--in-place is for the folder of the model, %q, and -o says %q", s.folder(), out)
	}
	return s.folder(), nil
}
