// What happens to a mapping when its file changes under it. On Windows a mapped
// file cannot be cut short, so these are tests for Unix.

//go:build unix

package mmap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// TestTruncated cuts a mapped file to every kind of length, and reads across
// the cut. The process must survive, and each read must give exactly the bytes
// that are still there.
func TestTruncated(t *testing.T) {
	page := os.Getpagesize()
	size := 4 * page
	content := pattern(size)
	for _, keep := range []int{0, 1, page - 1, page, page + 1, 3*page + 7, size - 1} {
		t.Run(fmt.Sprint("to ", keep), func(t *testing.T) {
			f := write(t, content)
			m := mapped(t, f, int64(size))
			if err := f.Truncate(int64(keep)); err != nil {
				t.Fatal(err)
			}
			for _, off := range []int{0, keep / 2, keep, keep + 1, size - 1} {
				checkTruncatedRead(t, m, content, off, keep)
			}
			if _, err := m.Bytes(0, int64(size)); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("Bytes past the cut: %v; want io.ErrUnexpectedEOF", err)
			}
			if b, err := m.Bytes(0, int64(keep)); err != nil || !bytes.Equal(b, content[:keep]) {
				t.Errorf("Bytes before the cut = %d bytes, %v; want %d", len(b), err, keep)
			}
		})
	}
}

// checkTruncatedRead reads from off to the end of a mapping whose file has been
// cut to keep bytes, and then only what is left.
func checkTruncatedRead(t *testing.T, m *Mapping, content []byte, off, keep int) {
	t.Helper()
	left := content[min(off, keep):keep]
	got := make([]byte, len(content)-off)
	n, err := m.ReadAt(got, int64(off))
	if len(got) == 0 {
		return
	}
	if n != len(left) || !bytes.Equal(got[:n], left) {
		t.Errorf("ReadAt(%d bytes, %d) = %d bytes; want the %d that are left", len(got), off, n, len(left))
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("ReadAt(%d bytes, %d): %v; want io.ErrUnexpectedEOF", len(got), off, err)
	} else if want := fmt.Sprintf("ends at byte %d,", keep); !strings.Contains(err.Error(), want) {
		t.Errorf("ReadAt(%d bytes, %d): %q; want the byte: %q", len(got), off, err, want)
	}
	got = got[:len(left)]
	if n, err := m.ReadAt(got, int64(off)); n != len(left) || err != nil || !bytes.Equal(got, left) {
		t.Errorf("ReadAt(%d bytes, %d) = %d, %v; want all, since they are left", len(got), off, n, err)
	}
}

// TestFaultOfWholeFile has a fault though the file's size is as it was, as when
// storage fails, or when a file is cut short and written anew. Here the size is
// asked of another file.
func TestFaultOfWholeFile(t *testing.T) {
	page := os.Getpagesize()
	content := pattern(3 * page)
	f := write(t, content)
	m := mapped(t, f, int64(len(content)))
	m.file = write(t, content)
	if err := f.Truncate(int64(page)); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(content))
	n, err := m.ReadAt(got, 10)
	if n != page-10 || !bytes.Equal(got[:n], content[10:page]) {
		t.Errorf("ReadAt = %d bytes; want the %d before the fault", n, page-10)
	}
	if !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), fmt.Sprintf("byte %d ", page)) {
		t.Errorf("ReadAt: %v; want EIO at byte %d", err, page)
	}
	if n, err := m.ReadAt(got[:page], 0); n != page || err != nil {
		t.Errorf("ReadAt after the fault = %d, %v; want %d bytes", n, err, page)
	}
}

// TestFaultOfDestination gives ReadAt a buffer that faults. That is the
// caller's error, and must not be taken for one of the file.
func TestFaultOfDestination(t *testing.T) {
	m := mapped(t, write(t, pattern(10)), 10)
	bad, err := syscall.Mmap(-1, 0, os.Getpagesize(), syscall.PROT_READ, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		t.Skip(err)
	}
	defer syscall.Munmap(bad)
	defer func() {
		fault, ok := recover().(interface{ Addr() uintptr })
		if !ok {
			t.Fatal("ReadAt into read-only memory did not panic with its fault")
		}
		if base := uintptr(unsafe.Pointer(&bad[0])); fault.Addr()-base >= uintptr(len(bad)) {
			t.Errorf("the fault is at %#x; want it in the buffer at %#x", fault.Addr(), base)
		}
	}()
	m.ReadAt(bad[:10], 0)
}

// TestPanicOnFaultRestored: the setting belongs to the caller's goroutine.
func TestPanicOnFaultRestored(t *testing.T) {
	f := write(t, pattern(10))
	m := mapped(t, f, 10)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(false))
	for _, setting := range []bool{false, true} {
		debug.SetPanicOnFault(setting)
		m.ReadAt(make([]byte, 10), 0)
		if got := debug.SetPanicOnFault(setting); got != setting {
			t.Errorf("after a read the setting is %v; want %v", got, setting)
		}
	}
	if err := f.Truncate(0); err != nil {
		t.Fatal(err)
	}
	debug.SetPanicOnFault(false)
	m.ReadAt(make([]byte, 10), 0)
	if debug.SetPanicOnFault(false) {
		t.Error("after a fault the setting is true; want false")
	}
}

// TestPastTwoGiB reads at 3 GiB of a file that is a hole but for a few bytes.
func TestPastTwoGiB(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("3 GiB do not fit an int")
	}
	const off = 3 << 30
	tail := []byte("past two gibibytes")
	f := write(t, nil)
	if _, err := f.WriteAt(tail, off); err != nil {
		t.Skip("no sparse file: ", err)
	}
	m := mapped(t, f, off+int64(len(tail)))
	got := make([]byte, len(tail)+1)
	if n, err := m.ReadAt(got, off); n != len(tail) || err != io.EOF || !bytes.Equal(got[:n], tail) {
		t.Errorf("ReadAt = %d, %v: %q; want %q", n, err, got[:n], tail)
	}
	b, err := m.Bytes(off-1, int64(len(tail))+1)
	if err != nil || b[0] != 0 || !bytes.Equal(b[1:], tail) {
		t.Errorf("Bytes = %q, %v; want a zero and %q", b, err, tail)
	}
}
