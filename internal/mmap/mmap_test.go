// Mapping behaves as io.ReaderAt says, and outlives its own closing.

package mmap

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

// write returns a new file that holds content, open for reading and writing.
func write(t *testing.T, content []byte) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if _, err := f.Write(content); err != nil {
		t.Fatal(err)
	}
	return f
}

// mapped returns a mapping of all of f, which has size bytes.
func mapped(t *testing.T, f *os.File, size int64) *Mapping {
	t.Helper()
	m, err := Map(f, size)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	// Before the file is closed: Windows does not delete what is mapped.
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// pattern returns n bytes, of which no two neighbouring pages are alike: 251 is
// prime, so the bytes at the same place of two pages differ.
func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i % 251)
	}
	return b
}

// TestReadAtAgreesWithReader compares with another implementation of the
// interface, at every boundary of the pieces that a copy is made of.
func TestReadAtAgreesWithReader(t *testing.T) {
	content := pattern(3*pieceSize + 100)
	m := mapped(t, write(t, content), int64(len(content)))
	want := bytes.NewReader(content)

	edges := []int{0, 1, pieceSize - 1, pieceSize, pieceSize + 1, 2 * pieceSize, len(content) - 1, len(content), len(content) + 1}
	for _, off := range edges {
		for _, n := range edges[1:] { // bytes.Reader has its own mind on reading nothing
			got, expected := make([]byte, n), make([]byte, n)
			gotN, gotErr := m.ReadAt(got, int64(off))
			wantN, wantErr := want.ReadAt(expected, int64(off))
			if gotN != wantN || gotErr != wantErr || !bytes.Equal(got, expected) {
				t.Errorf("ReadAt(%d bytes, %d) = %d, %v; bytes.Reader says %d, %v", n, off, gotN, gotErr, wantN, wantErr)
			}
		}
	}
}

func TestReadAtOutsideOfFile(t *testing.T) {
	m := mapped(t, write(t, pattern(10)), 10)
	for _, test := range []struct {
		off  int64
		len  int
		want error
	}{
		{-1, 1, fs.ErrInvalid},
		{math.MinInt64, 1, fs.ErrInvalid},
		{-1, 0, fs.ErrInvalid},
		{10, 1, io.EOF},
		{10, 0, nil},
		{math.MaxInt64, 1, io.EOF},
	} {
		n, err := m.ReadAt(make([]byte, test.len), test.off)
		if n != 0 || !errors.Is(err, test.want) {
			t.Errorf("ReadAt(%d bytes, %d) = %d, %v; want 0, %v", test.len, test.off, n, err, test.want)
		}
	}
}

func TestEmptyFile(t *testing.T) {
	m, err := Map(write(t, nil), 0) // on every system, since nothing is mapped
	if err != nil {
		t.Fatal(err)
	}
	if n, err := m.ReadAt(make([]byte, 1), 0); n != 0 || err != io.EOF {
		t.Errorf("ReadAt = %d, %v; want 0, EOF", n, err)
	}
	if b, err := m.Bytes(0, 0); len(b) != 0 || err != nil {
		t.Errorf("Bytes = %v, %v; want none", b, err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if _, err := m.ReadAt(make([]byte, 1), 0); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("ReadAt after Close: %v; want fs.ErrClosed", err)
	}
}

func TestMapPartOfFile(t *testing.T) {
	content := pattern(2 * pieceSize)
	m := mapped(t, write(t, content), 100)
	got := make([]byte, 101)
	if n, err := m.ReadAt(got, 0); n != 100 || err != io.EOF || !bytes.Equal(got[:n], content[:100]) {
		t.Errorf("ReadAt = %d, %v; want the first 100 bytes and EOF", n, err)
	}
	if m.Size() != 100 {
		t.Errorf("Size = %d; want 100", m.Size())
	}
}

func TestMapRefuses(t *testing.T) {
	f := write(t, pattern(10))
	if _, err := Map(f, -1); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("negative size: %v; want fs.ErrInvalid", err)
	}
	if _, err := Map(f, 11); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("more than the file holds: %v; want io.ErrUnexpectedEOF", err)
	}
	if strconv.IntSize == 32 {
		if _, err := Map(f, 1<<31); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("2 GiB in 32 bits: %v; want errors.ErrUnsupported", err)
		}
	}
	f.Close()
	if _, err := Map(f, 10); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("closed file: %v; want fs.ErrClosed", err)
	}
}

func TestBytes(t *testing.T) {
	content := pattern(pieceSize + 10)
	size := int64(len(content))
	m := mapped(t, write(t, content), size)
	for _, test := range []struct {
		off, n int64
		ok     bool
	}{
		{0, size, true},
		{pieceSize - 1, 2, true},
		{size, 0, true},
		{0, size + 1, false},
		{size, 1, false},
		{size + 1, 0, false},
		{-1, 1, false},
		{0, -1, false},
		{1, math.MaxInt64, false}, // off+n is negative
		{math.MaxInt64, 1, false},
	} {
		b, err := m.Bytes(test.off, test.n)
		if !test.ok {
			if b != nil || !errors.Is(err, fs.ErrInvalid) {
				t.Errorf("Bytes(%d, %d) = %d bytes, %v; want fs.ErrInvalid", test.off, test.n, len(b), err)
			}
			continue
		}
		if err != nil || !bytes.Equal(b, content[test.off:test.off+test.n]) {
			t.Errorf("Bytes(%d, %d) = %d bytes, %v; want those of the file", test.off, test.n, len(b), err)
		}
		// An append must move to other memory: the page is read-only.
		if cap(b) != len(b) {
			t.Errorf("Bytes(%d, %d) has capacity %d; want %d", test.off, test.n, cap(b), len(b))
		}
	}
}

func TestCloseTwice(t *testing.T) {
	m := mapped(t, write(t, pattern(10)), 10)
	for range 2 {
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := m.ReadAt(make([]byte, 1), 0); n != 0 || !errors.Is(err, fs.ErrClosed) {
		t.Errorf("ReadAt after Close = %d, %v; want fs.ErrClosed", n, err)
	}
	if _, err := m.Bytes(0, 1); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Bytes after Close: %v; want fs.ErrClosed", err)
	}
}

// TestCloseWhileReading would crash, or be reported by the race detector, if a
// copy could run into memory that was unmapped under it.
func TestCloseWhileReading(t *testing.T) {
	content := pattern(64 * pieceSize)
	f := write(t, content)
	for range 20 {
		m := mapped(t, f, int64(len(content)))
		var readers sync.WaitGroup
		reading := make(chan struct{}, 4)
		for range cap(reading) {
			readers.Go(func() {
				if err := readUntilClosed(m, content, reading); err != nil {
					t.Error(err)
				}
			})
		}
		for range cap(reading) {
			<-reading // every reader has read at least once
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		readers.Wait()
	}
}

// readUntilClosed reads all of m over and over, and says so after the first
// time. It returns an error unless every read gives content or fs.ErrClosed.
func readUntilClosed(m *Mapping, content []byte, reading chan<- struct{}) error {
	got := make([]byte, len(content))
	for i := 0; ; i++ {
		n, err := m.ReadAt(got, 0)
		if i == 0 {
			reading <- struct{}{}
		}
		if errors.Is(err, fs.ErrClosed) && n == 0 {
			return nil
		}
		if err != nil || !bytes.Equal(got, content) {
			return fmt.Errorf("ReadAt = %d, %v; want the file", n, err)
		}
	}
}
