// Files that are read now and replaced later.

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"time"
)

// tick is longer than a tick of the clock by which systems date files: 10 ms on Linux at
// 100 Hz. Two writes within a tick may leave the same date.
const tick = 20 * time.Millisecond

// SameDate reports whether the date of a file is still the same. Systems remember a date with nanoseconds until the
// file system, which may be on a server, has rounded it down: to 100 ns (NTFS), 1 us, 10 ms (exFAT), 1 s or 2 s (FAT).
func SameDate(was, is time.Time) bool {
	if was.Equal(is) {
		return true
	}
	for _, grain := range []time.Duration{100, time.Microsecond, 10 * time.Millisecond, time.Second, 2 * time.Second} {
		if is.Equal(was.Truncate(grain)) {
			return true
		}
	}
	return false
}

// A Claim detects whether files have changed between reading and replacing them:
// minutes later, a training run or another program may have written a new file under
// the name, which would be lost. The zero Claim has no files. It is not for
// concurrent use.
type Claim struct{ files []original }

// An original is a name and the file it referred to.
type original struct {
	name string
	info fs.FileInfo
}

// Add adds the named file before it is read. It follows symbolic links. As long as the file
// was written within the last tick of the clock, Add waits for the next: a later write would
// leave the same date. It is an error if the file is written without a pause.
func (f *Claim) Add(name string) error {
	const attempts = 100
	for range attempts {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		age := time.Since(info.ModTime())
		if age < 0 || age >= tick {
			f.files = append(f.files, original{name, info})
			return nil
		}
		time.Sleep(tick - age)
	}
	return &fs.PathError{Op: "replace", Path: name, Err: errors.New("another process is writing it")}
}

// Check returns an error if a file was replaced, or if its size or date changed. Errors
// are of type *[fs.PathError].
func (f *Claim) Check() error {
	for _, s := range f.files {
		info, err := os.Stat(s.name)
		if err != nil {
			return err
		}
		if !os.SameFile(s.info, info) || info.Size() != s.info.Size() || !SameDate(s.info.ModTime(), info.ModTime()) {
			return &fs.PathError{Op: "replace", Path: s.name, Err: errors.New("it has changed since it was " +
				"read: another process is writing it")}
		}
	}
	return nil
}

// Hold locks the files against other holders, and then checks them: of two programs
// that read a file and want to replace it, the second finds the lock or a changed
// file. The locks last until release is called, which is never nil.
func (f *Claim) Hold() (release func(), err error) {
	var open []*os.File
	release = func() {
		for _, file := range open {
			file.Close()
		}
		open = nil
	}
	for _, s := range f.files {
		if runtime.GOOS == "windows" {
			break // an open file cannot be replaced
		}
		file, err := os.Open(s.name)
		if err != nil {
			continue // Check reports a missing file; there may be too many open files
		}
		open = append(open, file)
		if !Lock(file) {
			return release, &fs.PathError{Op: "replace", Path: s.name, Err: ErrLocked}
		}
	}
	return release, f.Check()
}
