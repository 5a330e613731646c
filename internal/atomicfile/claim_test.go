// Claims: what is found of files that have become others.

package atomicfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/weightools/safetensors/internal/atomicfile"
)

// file writes a file of an hour ago, so that whatever is written now has another date.
func file(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	hourAgo := time.Now().Add(-time.Hour)
	if err := os.Chtimes(name, hourAgo, hourAgo); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestHoldFindsWhatChanged(t *testing.T) {
	for change, make := range map[string]func(name string) error{
		"rewritten": func(name string) error { return os.WriteFile(name, []byte("b"), 0o666) },
		"longer":    func(name string) error { return os.WriteFile(name, []byte("aa"), 0o666) },
		"removed":   os.Remove,
		"replaced":  func(name string) error { return os.Rename(file(t, name+".new", "a"), name) },
	} {
		t.Run(change, func(t *testing.T) {
			name := file(t, filepath.Join(t.TempDir(), "x"), "a")
			var files atomicfile.Claim
			if err := files.Add(name); err != nil {
				t.Fatal(err)
			}
			release, err := files.Hold()
			release()
			if err != nil {
				t.Fatalf("nothing has changed: %v", err)
			}
			if err := make(name); err != nil {
				t.Fatal(err)
			}
			release, err = files.Hold()
			defer release()
			if e := new(fs.PathError); !errors.As(err, &e) || e.Path != name {
				t.Errorf("error %v, want one of %q", err, name)
			}
		})
	}
}

// A file is dated in ticks of a clock. Add returns when a write would change the date: until
// then a write of the same size could not be noticed.
func TestWriteInTheSameTick(t *testing.T) {
	name := file(t, filepath.Join(t.TempDir(), "x"), "a")
	var files atomicfile.Claim
	if err := files.Add(name); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if age := time.Since(info.ModTime()); age < 10*time.Millisecond {
		t.Errorf("the file was added %v after it was written, within a tick of a clock of 100 Hz", age)
	}
}

// The file is written again while Add waits for the clock, so Add has to wait for longer.
func TestWriteWhileAddWaits(t *testing.T) {
	name := file(t, filepath.Join(t.TempDir(), "x"), "a")
	for range 5 {
		var files atomicfile.Claim
		written := make(chan error)
		go func() {
			time.Sleep(15 * time.Millisecond)
			written <- os.WriteFile(name, []byte("b"), 0o666)
		}()
		if err := errors.Join(os.WriteFile(name, []byte("a"), 0o666), files.Add(name), <-written); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		// Otherwise Add was done before the second write, which Check then notices.
		if age := time.Since(info.ModTime()); age < 10*time.Millisecond && files.Check() == nil {
			t.Errorf("the file was added %v after it was written", age)
		}
	}
}

// Two who have read one file do not both replace it.
func TestHoldOfWhatIsHeld(t *testing.T) {
	name := file(t, filepath.Join(t.TempDir(), "x"), "a")
	var one, other atomicfile.Claim
	for _, files := range []*atomicfile.Claim{&one, &other} {
		if err := files.Add(name); err != nil {
			t.Fatal(err)
		}
	}
	release, err := one.Hold()
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	releaseOther, err := other.Hold()
	defer releaseOther()
	if err == nil {
		t.Skip("this system has no locks")
	}
	if !errors.Is(err, atomicfile.ErrLocked) {
		t.Errorf("error %v, want %v", err, atomicfile.ErrLocked)
	}
	release()
	releaseOther, err = other.Hold()
	defer releaseOther()
	if err != nil {
		t.Errorf("held when it was let go of: %v", err)
	}
}

func TestNothingIsHeld(t *testing.T) {
	var files atomicfile.Claim
	release, err := files.Hold()
	release()
	if err != nil {
		t.Error(err)
	}
	if err := files.Add(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want that there is none", err)
	}
}

// TestSameDate: a date that was rounded down is the same, and any other is not.
func TestSameDate(t *testing.T) {
	was := time.Date(2026, 5, 3, 12, 30, 45, 123456789, time.UTC)
	at := func(s, ns int) time.Time { return time.Date(2026, 5, 3, 12, 30, s, ns, time.UTC) }
	for is, same := range map[time.Time]bool{
		was: true, at(45, 123456700): true, at(45, 123456000): true, at(45, 120000000): true, at(45, 0): true, at(44, 0): true,
		at(45, 123456788): false, at(45, 123456790): false, at(45, 123000000): false, at(46, 0): false, at(43, 0): false,
	} {
		if atomicfile.SameDate(was, is) != same {
			t.Errorf("%v and %v: %v, want %v", was, is, !same, same)
		}
	}
}
