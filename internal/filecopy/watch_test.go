// Writers that end with their context.

package filecopy

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestWatch(t *testing.T) {
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	var b bytes.Buffer
	var told int64
	w := Watch(ctx, &b, func(n int64) {
		if told += n; told >= 8<<20 {
			cancel(enough)
		}
	})
	if n, err := w.Write(make([]byte, 100)); n != 100 || err != nil {
		t.Errorf("Write: %d, %v", n, err)
	}
	// Of a large slice no more is written than the part that is being written.
	n, err := w.Write(make([]byte, 40<<20))
	if n >= 16<<20 || !errors.Is(err, enough) || told != int64(n)+100 || b.Len() != n+100 {
		t.Errorf("Write: %d, %v; %d bytes were told, %d written", n, err, told, b.Len())
	}
	if n, err := w.(Target).CopyFile(nil, 0, 100); n != 0 || !errors.Is(err, enough) {
		t.Errorf("CopyFile: %d, %v", n, err)
	}
	if n, err := Watch(t.Context(), &b, nil).(Target).CopyFile(nil, 0, 100); n != 0 || err != nil {
		t.Errorf("CopyFile to what is no file: %d, %v", n, err)
	}
}

func TestWatchedFilesAreCopiedTo(t *testing.T) {
	want := counted(1000)
	src := opened(t, source(t, want))
	dst, err := os.Create(filepath.Join(t.TempDir(), "copy"))
	if err != nil {
		t.Fatal(err)
	}
	defer dst.Close()
	var told int64
	w := Watch(t.Context(), dst, func(n int64) { told += n })
	if n, err := To(w).CopyFile(src, 0, 1000); n != 1000 || err != nil || told != 1000 {
		t.Errorf("CopyFile: %d, %v; %d bytes were told", n, err, told)
	}
	if got, err := os.ReadFile(dst.Name()); !bytes.Equal(got, want) {
		t.Errorf("the copy has %d bytes, %v", len(got), err)
	}
}
