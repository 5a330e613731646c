// Reads in chunks: how they are divided, and how they end.

package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"
)

// A script is a reader that answers as it is told, and notes what it is asked.
type script struct {
	asked  []int64 // offset and length in turn
	answer func(call int, p []byte) (int, error)
}

func (s *script) ReadAt(p []byte, off int64) (int, error) {
	call := len(s.asked) / 2
	s.asked = append(s.asked, off, int64(len(p)))
	return s.answer(call, p)
}

// scripted returns an object of the given size that reads from s.
func scripted(t *testing.T, s *script, size int64) *object {
	t.Helper()
	f, err := fstest.MapFS{"a": {}}.Open("a")
	if err != nil {
		t.Fatal(err)
	}
	return &object{path: "folder/a", file: f, reader: s, size: size}
}

func full(_ int, p []byte) (int, error) { return len(p), nil }

func TestReadInChunks(t *testing.T) {
	const c = chunkSize
	for _, test := range []struct {
		off, len, size int64
		asked          []int64
		n              int
		err            error
	}{
		{0, 1, 1, []int64{0, 1}, 1, nil},
		{0, c, c, []int64{0, c}, c, nil},
		{0, c + 1, c + 1, []int64{0, c, c, 1}, c + 1, nil},
		{5, 2*c + 1, 3 * c, []int64{5, c, c + 5, c, 2*c + 5, 1}, 2*c + 1, nil},
		{5, c, 15, []int64{5, 10}, 10, io.EOF},
		{15, c, 15, nil, 0, io.EOF},
	} {
		s := &script{answer: full}
		n, err := scripted(t, s, test.size).ReaderAt(t.Context()).ReadAt(make([]byte, test.len), test.off)
		if n != test.n || err != test.err || !slices.Equal(s.asked, test.asked) {
			t.Errorf("ReadAt(%d bytes, %d) of %d = %d, %v, by reads at %v; want %d, %v, %v",
				test.len, test.off, test.size, n, err, s.asked, test.n, test.err, test.asked)
		}
	}
}

// TestCancelledBetweenChunks: what was read is told, and no more is read.
func TestCancelledBetweenChunks(t *testing.T) {
	reason := errors.New("the reason for the cancellation")
	ctx, cancel := context.WithCancelCause(t.Context())
	s := &script{answer: func(call int, p []byte) (int, error) {
		if call == 1 {
			cancel(reason)
		}
		return len(p), nil
	}}
	r := scripted(t, s, 10*chunkSize).ReaderAt(ctx)
	n, err := r.ReadAt(make([]byte, 5*chunkSize), 0)
	if n != 2*chunkSize || !errors.Is(err, reason) || len(s.asked) != 4 {
		t.Errorf("ReadAt = %d, %v after %d reads; want %d and the cause, after 2", n, err, len(s.asked)/2, 2*chunkSize)
	}
}

func TestClosedBetweenChunks(t *testing.T) {
	var o *object
	s := &script{answer: func(call int, p []byte) (int, error) {
		o.Close()
		return len(p), nil
	}}
	o = scripted(t, s, 10*chunkSize)
	n, err := o.ReaderAt(t.Context()).ReadAt(make([]byte, 5*chunkSize), 0)
	if n != chunkSize || !errors.Is(err, fs.ErrClosed) {
		t.Errorf("ReadAt = %d, %v; want %d, fs.ErrClosed", n, err, chunkSize)
	}
}

// TestErrorsOfReader: what the file answers before the object's end.
func TestErrorsOfReader(t *testing.T) {
	bad := errors.New("bad sector")
	for _, test := range []struct {
		name string
		n    int
		err  error
		want error
	}{
		{"all, at the end", 10, io.EOF, nil},
		{"all, and an error besides", 10, bad, nil}, // of what follows these bytes
		{"some, at the end", 4, io.EOF, io.ErrUnexpectedEOF},
		{"none, at the end", 0, io.EOF, io.ErrUnexpectedEOF},
		{"some, and no error", 4, nil, io.ErrUnexpectedEOF}, // against io.ReaderAt's rules
		{"some, and an error", 4, bad, bad},
	} {
		s := &script{answer: func(_ int, p []byte) (int, error) { return test.n, test.err }}
		n, err := scripted(t, s, 10).ReaderAt(t.Context()).ReadAt(make([]byte, 10), 0)
		if n != test.n || !errors.Is(err, test.want) {
			t.Errorf("%s: ReadAt = %d, %v; want %d, %v", test.name, n, err, test.n, test.want)
		}
	}
}

// TestReaderIsShared: an objectReader has no state, so that taking one is free.
func TestReaderIsShared(t *testing.T) {
	fsys := fstest.MapFS{"a": {Data: []byte("0123456789")}}
	o, err := FS(fsys).Open(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	a, b := o.ReaderAt(t.Context()), o.ReaderAt(t.Context())
	var got [2]byte
	a.ReadAt(got[:1], 7)
	b.ReadAt(got[1:], 2)
	if !bytes.Equal(got[:], []byte("72")) {
		t.Errorf("two readers gave %q; want 72", got)
	}
}
