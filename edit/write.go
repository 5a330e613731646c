// Writing: new files, compared with what they are to hold before they have their names.

package edit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/atomicfile"
	"github.com/weightools/safetensors/internal/filecopy"
	"github.com/weightools/safetensors/internal/witness"
)

// Write edits the source at ref, and writes what comes of it to target. Files keep
// their names in a target that is a folder, which is made if there is none. Of a
// source that is one file, the target is a file, too, if the source was named as one
// or the target ends in ".safetensors"; unless there is a folder of that name, or it
// ends in a separator. Other files of a source's folder are not copied.
//
// It is an error that wraps [ErrRefused] if the target is the source, by whatever
// name, or a folder in which shards, or another model of that name, would stay beside
// what is written; and one that wraps [fs.ErrExist] if there is a file of a name to be
// written, without Force. The error of a source that breaks a rule wraps a
// *[safetensors.Violation]. When ctx is done, Write ends soon, with its cause.
func (e *Edit) Write(ctx context.Context, ref, target string) (*Receipt, error) {
	s, err := e.plan(ctx, ref)
	if err != nil {
		return nil, err
	}
	defer s.close()
	for _, f := range s.files {
		if f.action != Removed {
			f.action = Written
		}
	}
	j := &job{Edit: e, source: s, target: target}
	if err := j.aim(); err != nil {
		return nil, err
	}
	return j.do(ctx)
}

// InPlace edits the source at ref in its place. See the package comment on how, and
// on what is refused. Errors are those of Write.
func (e *Edit) InPlace(ctx context.Context, ref string) (*Receipt, error) {
	s, err := e.plan(ctx, ref)
	if err != nil {
		return nil, err
	}
	defer s.close()
	if s.local == "" {
		return nil, refuse("%q is not on this machine, and cannot be edited in place: write the result elsewhere", ref)
	}
	if err := errors.Join(s.noLinks(), s.unlisted()); err != nil {
		return nil, err
	}
	return (&job{Edit: e, source: s, dir: s.local}).do(ctx)
}

// A job is a plan, and where it is carried out.
type job struct {
	*Edit
	*source
	target string // as it was named; "" in place
	dir    string // the folder in which files are written
	one    string // the name of the one file that is written, if it is not the source's

	done, total int64 // bytes, for Progress
	receipt     *Receipt
}

// do carries out the job, unless it is a dry run.
func (j *job) do(ctx context.Context) (*Receipt, error) {
	newIndex := j.indexChanges()
	patched, err := j.patches(newIndex)
	if err != nil {
		return nil, err
	}
	for _, f := range j.files {
		if f.action == Written {
			if err := f.lay(j.Edit); err != nil {
				return nil, err
			}
		}
	}
	j.writeReceipt(newIndex)
	switch names := j.names(newIndex); {
	case j.DryRun:
		return j.receipt, nil
	case patched:
		return j.receipt, j.overwrite()
	case len(names) > 0:
		return j.receipt, j.write(ctx, names)
	}
	return j.receipt, j.exchange(func() error { return nil })
}

// exchange gives the new files their names, and removes those that are no part of the
// source any more. In place, what is replaced or removed has to be what was read.
func (j *job) exchange(commit func() error) error {
	if j.target == "" {
		release, err := j.claim.Hold()
		defer release()
		if err != nil {
			return err
		}
	}
	// Where a file that is open cannot be replaced, the source may be it. Not before now:
	// while a file is open, no other one can pass for it, by the number that it had.
	j.close()
	if err := commit(); err != nil {
		return err
	}
	return j.remove()
}

// names returns the names of the files to be written, that of the index last. In
// place, it is written again even if it stays what it is: while shards are replaced,
// nobody shall find them by it.
func (j *job) names(newIndex bool) []string {
	var names []string
	for _, f := range j.files {
		if f.action == Written {
			names = append(names, j.nameOf(f))
		}
	}
	if j.index != nil && (newIndex || len(names) > 0) {
		names = append(names, j.indexName)
	}
	return names
}

// nameOf returns the name under which a file is written.
func (j *job) nameOf(f *file) string {
	if j.one != "" {
		return j.one
	}
	return f.rename
}

// write writes files of these names, all or none.
func (j *job) write(ctx context.Context, names []string) error {
	set, err := atomicfile.NewSet(j.dir, names...)
	if err != nil {
		return err
	}
	defer set.Abort()
	set.New = j.target != "" && !j.Force
	for _, f := range j.files {
		if f.action == Written {
			j.total += 2 * f.newSize // it is written, and read again
		}
	}
	for _, f := range j.files {
		if f.action != Written {
			continue
		}
		err := set.Write(j.nameOf(f), func(w io.Writer) error {
			return f.encoder.Encode(filecopy.Watch(ctx, w, j.tell), j.reading(f)...)
		})
		if err != nil {
			return err
		}
	}
	if j.index != nil {
		text, err := j.indexText(ctx)
		if err != nil {
			return err
		}
		err = set.Write(j.indexName, func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
		if err != nil {
			return err
		}
	}
	if err := j.verify(ctx, set); err != nil {
		return err
	}
	return j.exchange(set.Commit)
}

// reading returns the tensors of a file as they are read to be written: those that are
// elsewhere by witnesses.
func (j *job) reading(f *file) []*safetensors.Tensor {
	now := f.now()
	if j.local != "" {
		return now
	}
	f.seen = make(map[*safetensors.Tensor]*witness.Reader, len(now))
	made := make([]*safetensors.Tensor, len(now))
	for i, t := range now {
		w := witness.Of(t.ReaderAt)
		f.seen[t] = w
		made[i] = &safetensors.Tensor{TensorInfo: t.TensorInfo, ReaderAt: w}
	}
	return made
}

// remove removes, of a source that is edited in place, the files that have no
// tensors any more, or another name.
func (j *job) remove() error {
	stays := make(map[string]bool)
	for _, f := range j.files {
		if f.action != Removed {
			stays[f.rename] = true
		}
	}
	for _, f := range j.files {
		if j.target != "" || stays[f.name] {
			continue
		}
		if err := os.Remove(filepath.Join(j.dir, f.name)); err != nil {
			return fmt.Errorf("edit: all is written, but a file that is no part of it any more is there, too: %w", err)
		}
	}
	return nil
}

// verify reads what was written, and fills in what the receipt says of it.
func (j *job) verify(ctx context.Context, set *atomicfile.Set) error {
	row := 0
	for i, f := range j.files {
		rows := j.receipt.Tensors[row : row+len(f.header.Tensors)]
		row += len(rows)
		if f.action != Written {
			continue
		}
		disk, err := set.Open(j.nameOf(f))
		if err != nil {
			return err
		}
		err = j.verifyFile(ctx, f, disk, rows)
		disk.Close()
		if err != nil {
			return fmt.Errorf("edit: %q, read again before it had its name: %w", j.receipt.Files[i].Path, err)
		}
	}
	return nil
}

// tell says that so many more bytes are done.
func (j *job) tell(n int64) {
	if done := atomic.AddInt64(&j.done, n); j.Progress != nil {
		j.Progress(done, j.total)
	}
}
