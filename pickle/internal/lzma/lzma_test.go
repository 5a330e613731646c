// What Python packed unpacks to what it was, and damaged data to an error.

package lzma

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

// texts returns what testdata/make.py packs, by name.
func texts() map[string][]byte {
	var lines, noise []byte
	for i := range 300 {
		lines = fmt.Appendf(lines, "line %d of some text\n", i)
	}
	x := uint32(1)
	for range 400 {
		x = (x*1103515245 + 12345) & 0x7fffffff
		noise = append(noise, byte(x>>16))
	}
	mixed := bytes.Join([][]byte{lines[:500], noise, lines[:500], make([]byte, 5000)}, nil)
	return map[string][]byte{"lines": lines, "noise": noise, "mixed": mixed, "empty": nil}
}

// unpack unpacks by what a name ends in.
func unpack(name string, packed io.Reader) ([]byte, error) {
	open := NewReader
	if filepath.Ext(name) == ".xz" {
		open = NewXZReader
	}
	r, err := open(packed)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

func TestAgainstPython(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.[lx]z*")
	if len(files) < 10 {
		t.Fatalf("there are %d files", len(files))
	}
	for _, file := range files {
		packed, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(filepath.Base(file), ".")
		want := texts()[name]
		switch {
		case strings.HasSuffix(file, ".twice.xz"):
			want = append(want, want...)
		case strings.HasSuffix(file, ".filter.xz"):
			if _, err := unpack(file, bytes.NewReader(packed)); err == nil || !strings.Contains(err.Error(), "filters") {
				t.Errorf("%s: %v, want that the filter is not read", file, err)
			}
			continue
		}
		for _, r := range []io.Reader{bytes.NewReader(packed), iotest.OneByteReader(bytes.NewReader(packed))} {
			got, err := unpack(file, r)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %d bytes, %v, want %d", file, len(got), err, len(want))
			}
		}
		damaged(t, file, packed, want)
	}
}

// damaged checks that what is cut off is an error, and that what is unpacked before
// is right.
func damaged(t *testing.T, file string, packed, want []byte) {
	end := len(packed)
	if strings.HasSuffix(file, ".xz") {
		end -= 12 // without which the data is still all there
	}
	for n := 0; n < end; n += 1 + n/7 {
		got, err := unpack(file, bytes.NewReader(packed[:n]))
		whole := err == nil && strings.HasSuffix(file, ".twice.xz") && len(got) == len(want)/2
		if err == nil && !whole || !bytes.HasPrefix(want, got) {
			t.Errorf("%s, cut off after %d of %d bytes: %d bytes, %v", file, n, len(packed), len(got), err)
		}
	}
}

// A member of a zip archive has no size in its head, and a version instead.
func TestZipReader(t *testing.T) {
	packed, err := os.ReadFile("testdata/mixed.lzma")
	if err != nil {
		t.Fatal(err)
	}
	member := append([]byte{9, 20, 5, 0}, packed[:5]...)
	member = append(member, packed[13:]...)
	want := texts()["mixed"]
	r, err := NewZipReader(bytes.NewReader(member), int64(len(want)))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// Chunks of LZMA2 that are not packed, by the specification of xz 5.3: a byte of 1,
// which also forgets what was before, or 2; the size less one in two; the bytes.
func TestChunksThatAreNotPacked(t *testing.T) {
	r := newLZMA2(bytes.NewReader([]byte("\x01\x00\x02abc\x02\x00\x00d\x00")))
	if got, err := io.ReadAll(r); err != nil || string(got) != "abcd" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestDamaged(t *testing.T) {
	size := binary.LittleEndian.AppendUint64(nil, 1<<40)
	for name, packed := range map[string]string{
		"properties that cannot be.lzma":     "\xff\x00\x00\x01\x00" + string(size) + "\x00\x00\x00\x00\x00",
		"a first byte that is not zero.lzma": "\x5d\x00\x00\x01\x00" + string(size) + "\x01\x00\x00\x00\x00",
		"a match with nothing before.lzma":   "\x5d\x00\x00\x01\x00" + string(size) + "\x00\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00",
		"no magic.xz":                        "PK\x03\x04 and more bytes",
		"a check that there is not.xz":       Magic + "\x00\x10    ",
	} {
		if got, err := unpack(name, strings.NewReader(packed)); err == nil {
			t.Errorf("%s: %d bytes, and no error", name, len(got))
		}
	}
	if _, err := io.ReadAll(newLZMA2(strings.NewReader("\x80\x00\x00\x00\x00\x00"))); !errors.Is(err, errData) {
		t.Errorf("a first chunk without properties: %v", err)
	}
}

// What is unpacked is not kept: a hundred megabytes of zeros take a few. And the size
// that is claimed for the dictionary, 4 GiB, is not believed.
func TestMemory(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no Python to pack it")
	}
	packed, err := exec.Command(python, "-c", `import lzma,sys
f=[{"id":lzma.FILTER_LZMA2,"preset":0,"dict_size":1<<20}]
sys.stdout.buffer.write(lzma.compress(bytes(100<<20),filters=f))`).Output()
	if err != nil {
		t.Skip("Python cannot pack it: ", err)
	}
	r, err := NewXZReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, r)
	if err != nil || n != 100<<20 {
		t.Errorf("%d bytes, %v", n, err)
	}
	if z := r.(*xz); z.block != nil && cap(z.block.buf) > 2*(mostHistory+8<<20) {
		t.Errorf("%d bytes are kept", cap(z.block.buf))
	}
}

func FuzzUnpack(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.[lx]z*")
	for _, file := range files {
		packed, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(filepath.Ext(file) == ".xz", packed)
	}
	f.Fuzz(func(t *testing.T, isXZ bool, packed []byte) {
		open := NewReader
		if isXZ {
			open = NewXZReader
		}
		r, err := open(bytes.NewReader(packed))
		if err != nil {
			return
		}
		const most = 1 << 20
		if n, _ := io.Copy(io.Discard, io.LimitReader(r, most)); n > most {
			t.Errorf("%d bytes", n)
		}
	})
}
