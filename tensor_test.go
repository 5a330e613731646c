// The bytes of a tensor: io.ReaderAt to the letter, and no bytes that are not there.

package safetensors_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/weightools/safetensors"
)

// pattern returns n bytes, of which no two neighbours nor any two that are 256
// apart are equal, so that bytes out of place show.
func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i + i>>8*7 + 1)
	}
	return b
}

// threeTensors returns a file with the tensors a, of 4 bytes, b, of n, and c, of
// none; and the bytes of b.
func threeTensors(n int) (file, b []byte) {
	data := pattern(4 + n)
	header := fmt.Sprintf(`{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[%d],"data_offsets":[4,%d]},`+
		`"c":{"dtype":"F32","shape":[0],"data_offsets":[%d,%d]}}`, n, 4+n, 4+n, 4+n)
	return append(start(header, 0), data...), data[4:]
}

// tensorOf returns a tensor of the file behind r.
func tensorOf(t testing.TB, r io.ReaderAt, size int, name string) *safetensors.Tensor {
	t.Helper()
	f, err := safetensors.NewFile(r, int64(size))
	if err != nil {
		t.Fatal(err)
	}
	tensor, err := f.Tensor(name)
	if err != nil {
		t.Fatal(err)
	}
	return tensor
}

// TestTensorIsAReaderAt has what io.ReaderAt says of every offset and length.
func TestTensorIsAReaderAt(t *testing.T) {
	file, want := threeTensors(10)
	tensor := tensorOf(t, bytes.NewReader(file), len(file), "b")
	for off := int64(0); off < 13; off++ {
		for length := range 13 {
			got := bytes.Repeat([]byte{0xee}, length)
			n, err := tensor.ReadAt(got, off)
			full := min(int64(length), max(10-off, 0))
			if int64(n) != full || !bytes.Equal(got[:n], want[min(off, 10):][:n]) {
				t.Errorf("%d bytes at %d: read %d, %q", length, off, n, got)
			}
			if int64(length) > full && err != io.EOF {
				t.Errorf("%d bytes at %d: %v, want io.EOF itself", length, off, err)
			}
			if int64(length) == full && err != nil && (err != io.EOF || off+full != 10) {
				t.Errorf("%d bytes at %d: %v, want none", length, off, err)
			}
			if rest := got[n:]; len(bytes.Trim(rest, "\xee")) != 0 {
				t.Errorf("%d bytes at %d: wrote %q beyond what was read", length, off, rest)
			}
		}
	}
	for _, off := range []int64{math.MaxInt64, math.MaxInt64 - 1, 1 << 40} {
		if n, err := tensor.ReadAt(make([]byte, 1), off); n != 0 || err != io.EOF {
			t.Errorf("at %d: read %d, %v", off, n, err)
		}
	}
	for _, off := range []int64{-1, -5, math.MinInt64} {
		if n, err := tensor.ReadAt(make([]byte, 1), off); n != 0 || err == nil || err == io.EOF {
			t.Errorf("at %d: read %d, %v", off, n, err)
		}
	}
}

// TestTensorReads checks the three ways to read, and that Open gives a reader of
// its own each time.
func TestTensorReads(t *testing.T) {
	file, want := threeTensors(3<<20 + 17) // more than WriteTo reads at once
	tensor := tensorOf(t, bytes.NewReader(file), len(file), "b")
	if got, err := tensor.Bytes(); err != nil || !bytes.Equal(got, want) {
		t.Errorf("Bytes: %d bytes, %v", len(got), err)
	}
	var written bytes.Buffer
	if n, err := tensor.WriteTo(&written); err != nil || n != int64(len(want)) || !bytes.Equal(written.Bytes(), want) {
		t.Errorf("WriteTo: %d bytes, %v", n, err)
	}
	first, second := tensor.Open(), tensor.Open()
	if _, err := first.Seek(100, io.SeekStart); err != nil {
		t.Error(err)
	}
	if got, err := io.ReadAll(second); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the second reader: %d bytes, %v", len(got), err)
	}
	if got, err := io.ReadAll(first); err != nil || !bytes.Equal(got, want[100:]) {
		t.Errorf("the first reader: %d bytes, %v", len(got), err)
	}
	small, want := threeTensors(300)
	if err := iotest.TestReader(tensorOf(t, bytes.NewReader(small), len(small), "b").Open(), want); err != nil {
		t.Error(err)
	}
}

// TestEmptyTensor checks that a tensor without bytes is none without a tensor.
func TestEmptyTensor(t *testing.T) {
	file, _ := threeTensors(1)
	tensor := tensorOf(t, bytes.NewReader(file), len(file), "c")
	if b, err := tensor.Bytes(); err != nil || len(b) != 0 {
		t.Errorf("Bytes: %q, %v", b, err)
	}
	if n, err := tensor.WriteTo(io.Discard); err != nil || n != 0 {
		t.Errorf("WriteTo: %d, %v", n, err)
	}
	if n, err := tensor.ReadAt(make([]byte, 1), 0); n != 0 || err != io.EOF {
		t.Errorf("ReadAt: %d, %v", n, err)
	}
	if n, err := tensor.ReadAt(nil, 0); n != 0 || err != nil {
		t.Errorf("ReadAt of nothing: %d, %v", n, err)
	}
	if b, err := io.ReadAll(tensor.Open()); err != nil || len(b) != 0 {
		t.Errorf("Open: %q, %v", b, err)
	}
}

// TestFileThatShrinks checks that a tensor whose file has become shorter gives
// an error that says so, and neither io.EOF nor zeros.
func TestFileThatShrinks(t *testing.T) {
	file, want := threeTensors(100)
	disk := &shrinking{b: file}
	tensor := tensorOf(t, disk, len(file), "b")
	disk.b = file[:len(file)-40] // 60 bytes of b are left

	if b, err := tensor.Bytes(); b != nil || !shortBy(err, "read 60 of the 100 bytes") {
		t.Errorf("Bytes: %q, %v", b, err)
	}
	got := bytes.Repeat([]byte{0xee}, 50)
	n, err := tensor.ReadAt(got, 30)
	if n != 30 || !shortBy(err, "read 60 of the 100 bytes") || !bytes.Equal(got[:30], want[30:60]) || len(bytes.Trim(got[30:], "\xee")) != 0 {
		t.Errorf("ReadAt: %d bytes %x, %v", n, got, err)
	}
	if n, err := tensor.ReadAt(got, 60); n != 0 || !shortBy(err, "read 60 of") {
		t.Errorf("ReadAt the new end: %d, %v", n, err)
	}
	if n, err := tensor.ReadAt(got[:1], 99); n != 0 || !shortBy(err, "of the 100 bytes") {
		t.Errorf("ReadAt the last byte: %d, %v", n, err)
	}
	if n, err := tensor.ReadAt(got[:1], 100); n != 0 || err != io.EOF {
		t.Errorf("ReadAt the tensor's own end: %d, %v", n, err)
	}
	if n, err := tensor.WriteTo(io.Discard); n > 60 || !shortBy(err, "of the 100 bytes") {
		t.Errorf("WriteTo: %d, %v", n, err)
	}
	if b, err := io.ReadAll(tensor.Open()); len(b) > 60 || !shortBy(err, "of the 100 bytes") {
		t.Errorf("Open: %d bytes, %v", len(b), err)
	}
}

// A shrinking is a file that can become shorter.
type shrinking struct{ b []byte }

func (s *shrinking) ReadAt(b []byte, off int64) (int, error) {
	return bytes.NewReader(s.b).ReadAt(b, off)
}

// shortBy says whether err is that of a tensor b that is cut off, with the given
// words in it.
func shortBy(err error, words string) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) && strings.Contains(err.Error(), words) && strings.Contains(err.Error(), `"b"`)
}

// TestTensorPassesOnErrors checks that the error of the reader comes through,
// from every door, and names the tensor.
func TestTensorPassesOnErrors(t *testing.T) {
	boom := errors.New("the network is down")
	file, _ := threeTensors(100)
	disk := &failingAfter{b: file, from: len(file) - 40, err: boom}
	tensor := tensorOf(t, disk, len(file), "b")
	_, bytesErr := tensor.Bytes()
	_, readErr := tensor.ReadAt(make([]byte, 100), 0)
	_, writeErr := tensor.WriteTo(io.Discard)
	_, openErr := io.ReadAll(tensor.Open())
	for door, err := range map[string]error{"Bytes": bytesErr, "ReadAt": readErr, "WriteTo": writeErr, "Open": openErr} {
		var v *safetensors.Violation
		if !errors.Is(err, boom) || !strings.Contains(err.Error(), `"b"`) || errors.As(err, &v) || errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %v", door, err)
		}
	}
}

// A failingAfter cannot be read from an offset on.
type failingAfter struct {
	b    []byte
	from int
	err  error
}

func (r *failingAfter) ReadAt(b []byte, off int64) (int, error) {
	if off+int64(len(b)) <= int64(r.from) {
		return copy(b, r.b[off:]), nil
	}
	return copy(b, r.b[min(int(off), r.from):r.from]), r.err
}

// TestWriteToAWriterThatFails has writers that take less than they are given.
func TestWriteToAWriterThatFails(t *testing.T) {
	boom := errors.New("no space is left")
	file, want := threeTensors(3 << 20)
	tensor := tensorOf(t, bytes.NewReader(file), len(file), "b")
	for _, room := range []int{0, 1, 1 << 20, 2<<20 + 5} {
		for _, err := range []error{boom, nil} {
			w := &fullWriter{room: room, err: err}
			n, got := tensor.WriteTo(w)
			if n != int64(room) || !bytes.Equal(w.got.Bytes(), want[:room]) {
				t.Errorf("room for %d: %d bytes were written, and %d said", room, w.got.Len(), n)
			}
			if err == nil {
				err = io.ErrShortWrite
			}
			if !errors.Is(got, err) {
				t.Errorf("room for %d: %v, want %v", room, got, err)
			}
		}
	}
}

// A fullWriter takes room bytes, and then returns err, which may be none.
type fullWriter struct {
	got  bytes.Buffer
	room int
	err  error
}

func (w *fullWriter) Write(b []byte) (int, error) {
	if n := min(len(b), w.room-w.got.Len()); n < len(b) {
		w.got.Write(b[:n])
		return n, w.err
	}
	return w.got.Write(b)
}

func TestRename(t *testing.T) {
	file, want := threeTensors(10)
	tensor := tensorOf(t, bytes.NewReader(file), len(file), "b")
	renamed := tensor.Rename("model.b")
	if renamed.Name != "model.b" || tensor.Name != "b" || renamed.Dtype != tensor.Dtype || renamed.Offsets != tensor.Offsets {
		t.Errorf("%+v became %+v", tensor.TensorInfo, renamed.TensorInfo)
	}
	if got, err := renamed.Bytes(); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
}

// TestTensorMadeByHand checks that any io.ReaderAt will do, and that it is held
// to the size that the tensor says.
func TestTensorMadeByHand(t *testing.T) {
	info := safetensors.TensorInfo{Name: "b", Dtype: safetensors.U8, Shape: []int64{10}, Offsets: safetensors.Span{Begin: 0, End: 10}}
	long := &safetensors.Tensor{TensorInfo: info, ReaderAt: strings.NewReader("0123456789abc")}
	if b, err := long.Bytes(); err != nil || string(b) != "0123456789" {
		t.Errorf("%q, %v", b, err)
	}
	if b, err := io.ReadAll(long.Open()); err != nil || string(b) != "0123456789" {
		t.Errorf("%q, %v", b, err)
	}
	short := &safetensors.Tensor{TensorInfo: info, ReaderAt: strings.NewReader("012345")}
	if b, err := short.Bytes(); b != nil || !shortBy(err, "ends at byte 6") {
		t.Errorf("%q, %v", b, err)
	}
	if n, err := short.WriteTo(io.Discard); n > 6 || !shortBy(err, "ends at byte 6") {
		t.Errorf("%d, %v", n, err)
	}
}

// TestMemoryOfReading checks that bytes are held once where they are asked for,
// and not at all where they only pass through.
func TestMemoryOfReading(t *testing.T) {
	const size = 32 << 20
	file, _ := threeTensors(size)
	tensor := tensorOf(t, bytes.NewReader(file), len(file), "b")
	before := allocated()
	if _, err := tensor.WriteTo(io.Discard); err != nil {
		t.Fatal(err)
	}
	if grown := allocated() - before; grown > 2<<20 {
		t.Errorf("WriteTo took %d bytes for a tensor of %d", grown, size)
	}
	before = allocated()
	if _, err := tensor.Bytes(); err != nil {
		t.Fatal(err)
	}
	if grown := allocated() - before; grown > size+1<<20 {
		t.Errorf("Bytes took %d bytes for a tensor of %d", grown, size)
	}
}
