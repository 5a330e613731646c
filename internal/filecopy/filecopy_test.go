// Parts of files copied to files: which bytes, to where, and when not at all.

package filecopy

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// counted returns n bytes of which no two neighbours are alike.
func counted(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i + i>>8)
	}
	return b
}

// source returns an open file of these bytes.
func source(t *testing.T, b []byte) *os.File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "source")
	if err := os.WriteFile(name, b, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// opened is Open, where the system copies.
func opened(t *testing.T, f *os.File) *Source {
	t.Helper()
	s := Open(f)
	if s == nil {
		if bySystem {
			t.Fatal("the file cannot be opened once more")
		}
		t.Skip("this system does not copy")
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestCopyFileAppendsAPart(t *testing.T) {
	b := counted(3 << 20)
	f := source(t, b)
	src := opened(t, f)
	dst, err := os.Create(filepath.Join(t.TempDir(), "copy"))
	if err != nil {
		t.Fatal(err)
	}
	defer dst.Close()
	var want []byte
	for _, part := range []struct{ off, n, copied int64 }{
		{0, 10, 10}, {1 << 20, 2 << 20, 2 << 20}, {5, 0, 0}, {1, 1<<20 + 1, 1<<20 + 1},
		{3<<20 - 7, 100, 7}, {4 << 20, 100, 0}, // past the end there is nothing, which is no error
	} {
		n, err := To(dst).CopyFile(src, part.off, part.n)
		if n != part.copied || err != nil {
			t.Errorf("%d bytes at %d: %d, %v", part.n, part.off, n, err)
		}
		if part.off < int64(len(b)) {
			want = append(want, b[part.off:part.off+part.copied]...)
		}
		// What is written by hand goes on where the system has ended.
		io.WriteString(dst, "|")
		want = append(want, '|')
	}
	if got, err := os.ReadFile(dst.Name()); !bytes.Equal(got, want) || err != nil {
		t.Errorf("the copy has %d bytes, not these %d, %v", len(got), len(want), err)
	}
	if at, err := f.Seek(0, io.SeekCurrent); at != 0 || err != nil {
		t.Errorf("the position of the file is %d, %v: it was moved", at, err)
	}
}

func TestSuits(t *testing.T) {
	here, away := &Source{away: false}, &Source{away: true}
	for _, tt := range []struct {
		from, to int64
		here     bool
	}{{0, 0, true}, {320, 320, true}, {320, 4096 + 320, true}, {8192 + 5, 5, true}, {320, 288, false}, {288, 320, false}, {1, 0, false}, {0, 4095, false}} {
		if here.Suits(tt.from, tt.to) != tt.here || !away.Suits(tt.from, tt.to) {
			t.Errorf("from %d to %d: %t here, %t elsewhere", tt.from, tt.to, here.Suits(tt.from, tt.to), away.Suits(tt.from, tt.to))
		}
	}
}

func TestErrorsOfWritingAreTold(t *testing.T) {
	src := opened(t, source(t, counted(100)))
	dst, err := os.Create(filepath.Join(t.TempDir(), "copy"))
	if err != nil {
		t.Fatal(err)
	}
	dst.Close()
	if n, err := To(dst).CopyFile(src, 0, 100); n != 0 || !errors.Is(err, os.ErrClosed) {
		t.Errorf("to a file that is closed: %d, %v", n, err)
	}
}

func TestWhatIsNoFileIsNoTarget(t *testing.T) {
	// By embedding, a writer that changes what is written has all methods of a file.
	type shouting struct{ *os.File }
	for _, w := range []io.Writer{io.Discard, new(bytes.Buffer), shouting{os.Stdout}} {
		if To(w) != nil {
			t.Errorf("%T is a target", w)
		}
	}
}

// TestNameOfAnother: what has the name by now need not be the file that is open.
func TestNameOfAnother(t *testing.T) {
	for what, change := range map[string]func(name string) error{
		"removed":          os.Remove,
		"another file":     func(name string) error { return replace(name, counted(100)) },
		"a link elsewhere": func(name string) error { return errors.Join(os.Remove(name), os.Symlink(os.DevNull, name)) },
	} {
		f := source(t, counted(100))
		if err := change(f.Name()); err != nil {
			t.Skip(err) // a system that does not let go of open files
		}
		if s := Open(f); s != nil {
			t.Errorf("%s: the name was opened", what)
			s.Close()
		}
	}
	f := source(t, nil)
	f.Close()
	if s := Open(f); s != nil {
		t.Error("a file that is closed was opened")
	}
}

// replace puts another file in the place of one.
func replace(name string, b []byte) error {
	return errors.Join(os.WriteFile(name+".new", b, 0o666), os.Rename(name+".new", name))
}
