// Folders in which a run was killed while it renamed files.

package shards

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/atomicfile"
	"github.com/weightools/safetensors/store"
)

// An UnfinishedError says that the files of a folder are neither those before nor those
// after a run that was to replace them.
type UnfinishedError struct {
	Dir  string
	Live bool // the run has not ended
}

// Error says so in one line, and what to do.
func (e *UnfinishedError) Error() string {
	text := (*atomicfile.UnfinishedError)(e).Error()
	if !e.Live {
		text += ": " + filetype.For("weigh edit --recover FILE finishes it", e.Dir)
	}
	return text
}

// LocalFolder returns the local folder at ref, or the folder of the local file at ref. It
// returns "" if ref is remote or invalid.
func LocalFolder(ref string) string {
	r, err := store.Parse(ref)
	if err != nil || r.Scheme != "file" {
		return ""
	}
	dir := filepath.Clean(r.String())
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return filepath.Dir(dir)
	}
	return dir
}

// Unfinished returns an *[UnfinishedError] if a run was killed while it replaced files of
// a local folder, or if one is replacing them now, and nil otherwise.
func Unfinished(dir string) error { return named(atomicfile.Unfinished(dir)) }

// named returns an error about an unfinished exchange as one of this package.
func named(err error) error {
	var unfinished *atomicfile.UnfinishedError
	if errors.As(err, &unfinished) {
		return (*UnfinishedError)(unfinished)
	}
	return err
}

// A Recovery says what Recover has done in a folder.
type Recovery struct {
	Dir string

	// Finished has the names of the files that an interrupted run was replacing and that
	// are in place now. A run that only removes files has none, and then it is not nil.
	Finished []string

	// TakenBack is the reason why a run could not be finished. Then the folder is as it
	// was before the run.
	TakenBack error

	// Removed has the names of hidden files and folders that killed runs left behind.
	Removed []string
}

// Recover finishes the exchange that an interrupted run has begun in a local folder, or takes
// it back if that fails, and removes hidden files of killed runs. It returns nil if there was
// nothing to do.
//
// The error is an *[UnfinishedError] if a process is replacing the files. On Windows and on file
// systems without locks that is unknown: Recover then returns this error unless dead is true.
func Recover(dir string, dead bool) (*Recovery, error) {
	r, err := atomicfile.Recover(dir, dead)
	if r == nil || err != nil {
		return nil, named(err)
	}
	return &Recovery{r.Dir, r.Finished, r.TakenBack, r.Removed}, nil
}

// Leftovers returns the names of hidden files and folders in a local folder, in which runs
// write before they rename their files into place. Those of runs that were killed stay.
func Leftovers(dir string) []string { return atomicfile.Leftovers(dir) }
