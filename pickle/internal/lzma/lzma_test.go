// Files written by Python's lzma module, and hostile ones.

package lzma

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

// texts returns the texts that testdata/make.py compresses, by name.
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

// unpack decompresses data in the format that the name's extension says.
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
		t.Fatalf("found only %d files", len(files))
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
			if _, err := unpack(file, bytes.NewReader(packed)); err == nil ||
				!strings.Contains(err.Error(), "unsupported filter") {
				t.Errorf("%s: %v, want an unsupported filter", file, err)
			}
			continue
		}
		for _, r := range []io.Reader{bytes.NewReader(packed), iotest.OneByteReader(bytes.NewReader(packed))} {
			got, err := unpack(file, r)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %d bytes, %v, want %d", file, len(got), err, len(want))
			}
		}
		truncated(t, file, packed, want)
	}
}

// truncated checks that truncated data is an error, and that the output before it is correct.
func truncated(t *testing.T, file string, packed, want []byte) {
	t.Helper()
	end := len(packed)
	if strings.HasSuffix(file, ".xz") {
		end -= 12 // the data is complete without the footer
	}
	for n := 0; n < end; n += 1 + n/7 {
		got, err := unpack(file, bytes.NewReader(packed[:n]))
		whole := err == nil && strings.HasSuffix(file, ".twice.xz") && len(got) == len(want)/2
		if err == nil && !whole || !bytes.HasPrefix(want, got) {
			t.Errorf("%s, truncated to %d of %d bytes: %d bytes, %v", file, n, len(packed), len(got), err)
		}
	}
}

// A loader runs a pickle that precedes the damage, and a scanner must see it: Python returns the bytes of a chunk up
// to the damage. A decoder that returns only whole chunks, or a whole dictionary, would hide up to 8 MiB.
func TestOutputBeforeDamage(t *testing.T) {
	for _, file := range []string{"lines.xz", "lines.lzma", "mixed.xz", "mixed.lzma"} {
		packed, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(file, ".")
		want := texts()[name][:100]
		half := len(packed) / 2
		damaged := bytes.Clone(packed)
		for i := range damaged[half:] {
			damaged[half+i] = 0xff
		}
		for how, b := range map[string][]byte{"truncated": packed[:half], "damaged": damaged} {
			got, err := unpack(file, bytes.NewReader(b))
			if err == nil || !bytes.HasPrefix(got, want) {
				t.Errorf("%s, %s after %d bytes: %d bytes, %v; want those before it, and an error", file, how, half, len(got), err)
			}
		}
	}
}

// The dictionary size in a header is a claim: 4 GiB in a file of a few hundred bytes allocates nothing.
func TestClaimedDictionary(t *testing.T) {
	xz, err := os.ReadFile("testdata/lines.xz")
	if err != nil {
		t.Fatal(err)
	}
	const block = 12 // the block header follows the stream header: size, flags, filter, one property, padding, CRC
	xz[block+4] = 40
	binary.LittleEndian.PutUint32(xz[block+8:], crc32.ChecksumIEEE(xz[block:block+8]))
	alone, err := os.ReadFile("testdata/lines.lzma")
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint32(alone[1:], 1<<32-1)
	for name, packed := range map[string][]byte{"claim.xz": xz, "claim.lzma": alone} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := unpack(name, bytes.NewReader(packed))
		runtime.ReadMemStats(&after)
		if err != nil || !bytes.Equal(got, texts()["lines"]) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
			t.Errorf("%s: %d bytes allocated", name, n)
		}
	}
}

// Zip members have no size in their header, and a version instead.
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

// Uncompressed LZMA2 chunks (xz specification 5.3): control byte 1, which resets the dictionary, or 2; the size minus
// one in two bytes; the data.
func TestUncompressedChunks(t *testing.T) {
	r := newLZMA2(bytes.NewReader([]byte("\x01\x00\x02abc\x02\x00\x00d\x00")))
	if got, err := io.ReadAll(r); err != nil || string(got) != "abcd" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestInvalid(t *testing.T) {
	size := binary.LittleEndian.AppendUint64(nil, 1<<40)
	for name, packed := range map[string]string{
		"properties out of range.lzma":       "\xff\x00\x00\x01\x00" + string(size) + "\x00\x00\x00\x00\x00",
		"lc + lp above four.lzma":            "\x08\x00\x00\x01\x00" + string(size) + "\x00\x00\x00\x00\x00",
		"a first byte that is not zero.lzma": "\x5d\x00\x00\x01\x00" + string(size) + "\x01\x00\x00\x00\x00",
		"a match without previous bytes.lzma": "\x5d\x00\x00\x01\x00" + string(size) +
			"\x00\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00",
		"no magic.xz":         "PK\x03\x04 and more bytes",
		"an unknown check.xz": Magic + "\x00\x10    ",
	} {
		if got, err := unpack(name, strings.NewReader(packed)); err == nil {
			t.Errorf("%s: %d bytes, and no error", name, len(got))
		}
	}
	for name, chunks := range map[string]string{
		"a first chunk without properties": "\x80\x00\x00\x00\x00\x00",
		"properties that cost megabytes":   "\xe0\x00\x00\x00\x05\x08\x00\x00\x00\x00\x00\x00",
	} {
		if _, err := io.ReadAll(newLZMA2(strings.NewReader(chunks))); !errors.Is(err, errData) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Output is not kept: a hundred megabytes of zeros take a few megabytes of memory.
func TestRatio(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	packed, err := exec.Command(python, "-c", `import lzma,sys
f=[{"id":lzma.FILTER_LZMA2,"preset":0,"dict_size":1<<20}]
sys.stdout.buffer.write(lzma.compress(bytes(40<<20),filters=f))`).Output()
	if err != nil {
		t.Skip("Python cannot compress: ", err)
	}
	r, err := NewXZReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, r)
	if err != nil || n != 40<<20 {
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
