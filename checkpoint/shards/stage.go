// Copying companions: hidden files, which get their names with the weights.

package shards

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/weightools/safetensors/internal/atomicfile"
	"github.com/weightools/safetensors/internal/wording"
)

// Check returns an error that wraps [fs.ErrExist] if a folder has a file of the same name as a companion and other
// content, unless overwrite is set. What is not a file is never replaced, and a link is not followed. Check writes
// nothing.
func (c *Companions) Check(ctx context.Context, dir string, overwrite bool) error {
	for i := range c.Files {
		one := &c.Files[i]
		file := filepath.Join(dir, filepath.FromSlash(one.Name))
		entry, err := os.Lstat(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return err
		}
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Size() == one.Size {
			if one.Kept, err = one.isIn(ctx, file); err != nil {
				return err
			}
		}
		switch {
		case one.Kept:
		case !entry.Mode().IsRegular():
			return &requestError{fmt.Sprintf("%q is a link or no file, and %q would replace it: remove it, or write elsewhere",
				filepath.ToSlash(file), one.Path), fs.ErrInvalid}
		case !overwrite:
			return &requestError{fmt.Sprintf("%q exists, and differs from %q, which would replace it",
				filepath.ToSlash(file), one.Path), fs.ErrExist}
		}
	}
	return nil
}

// isIn reports whether a local file has the same bytes.
func (f *Companion) isIn(ctx context.Context, file string) (bool, error) {
	old, err := os.Open(file)
	if err != nil {
		return false, err
	}
	defer old.Close()
	return f.equals(ctx, old)
}

// Stage copies the files to hidden files in a folder, which is created if necessary. Commit renames them into place
// once the weights are there, and Abort removes them. It returns the same errors as Check.
func (c *Companions) Stage(ctx context.Context, dir string, overwrite bool) error {
	if err := c.Check(ctx, dir, overwrite); err != nil {
		return err
	}
	for i := range c.Files {
		if c.Files[i].Kept {
			continue
		}
		if err := c.stage(ctx, &c.Files[i], dir, overwrite); err != nil {
			return errors.Join(err, c.Abort())
		}
	}
	return nil
}

// stage copies one file to a hidden file.
func (c *Companions) stage(ctx context.Context, one *Companion, dir string, overwrite bool) error {
	file := filepath.Join(dir, filepath.FromSlash(one.Name))
	if err := c.makeFolder(filepath.Dir(file)); err != nil {
		return err
	}
	create := atomicfile.CreateNew
	if overwrite {
		create = atomicfile.Create
	}
	r, closeFile, err := one.open(ctx)
	if err != nil {
		return err
	}
	defer closeFile()
	f, err := create(file)
	if err != nil {
		return err
	}
	c.staged = append(c.staged, f)
	n, err := io.Copy(f, io.NewSectionReader(r, 0, one.Size))
	if err == nil && n < one.Size {
		err = fmt.Errorf("shards: %s: %w", wording.Quote(one.Path), io.ErrUnexpectedEOF)
	}
	return errors.Join(err, f.Finish(), context.Cause(ctx))
}

// makeFolder creates a folder and its parents, and records which are new.
func (c *Companions) makeFolder(dir string) error {
	var missing []string
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); !errors.Is(err, fs.ErrNotExist) || d == filepath.Dir(d) {
			break
		}
		missing = append(missing, d)
	}
	slices.Reverse(missing)
	c.made = append(c.made, missing...)
	return os.MkdirAll(dir, 0o777)
}

// join makes the staged files in the folder of a set a part of it: they get their names together with the weights.
func (c *Companions) join(set *atomicfile.Set) error {
	var rest []*atomicfile.File
	for i, f := range c.staged {
		adopted, err := set.Adopt(f)
		if err != nil {
			c.staged = append(rest, c.staged[i:]...)
			return err
		}
		if !adopted {
			rest = append(rest, f)
		}
	}
	c.staged = rest
	return nil
}

// Commit renames the staged files into place that [Plan.Write] has not renamed.
func (c *Companions) Commit() error {
	staged := c.staged
	c.staged, c.made = nil, nil
	return atomicfile.CommitAll(staged...)
}

// Abort removes the staged files, and the folders that were created for them. After Commit it does nothing.
func (c *Companions) Abort() error {
	var errs []error
	for _, f := range c.staged {
		errs = append(errs, f.Abort())
	}
	for _, dir := range slices.Backward(c.made) {
		os.Remove(dir) // fails if it is not empty
	}
	c.staged, c.made = nil, nil
	return errors.Join(errs...)
}
