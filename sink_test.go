// The data of files that are written: read once, in pieces, and never short.

package safetensors_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
)

// A watched source notes how it is read.
type watched struct {
	b       []byte
	next    int64 // where the next read has to begin
	largest int
	fault   string
}

func (w *watched) ReadAt(b []byte, off int64) (int, error) {
	if off != w.next {
		w.fault = fmt.Sprintf("a read at %d, where %d was next", off, w.next)
	}
	w.largest = max(w.largest, len(b))
	n := copy(b, w.b[off:])
	w.next += int64(n)
	if w.next == int64(len(w.b)) {
		return n, io.EOF // as io.ReaderAt allows
	}
	return n, nil
}

// TestEncodeReadsOnce has tensors around the size of the buffer, and of several
// of it, each of which must be read from front to back in pieces.
func TestEncodeReadsOnce(t *testing.T) {
	const buffer = 512 << 10
	sizes := []int{0, 1, 5, 4096, buffer - 300, buffer - 1, buffer, buffer + 1, 3*buffer + 7}
	var tensors []*safetensors.Tensor
	var sources []*watched
	var data []byte
	for i, size := range sizes {
		source := &watched{b: pattern(size)}
		tensor := handMade(fmt.Sprint(i), safetensors.U8, source.b, int64(size))
		tensor.ReaderAt = source
		tensors, sources, data = append(tensors, tensor), append(sources, source), append(data, source.b...)
	}
	w := new(pieces)
	if err := safetensors.Encode(w, tensors...); err != nil {
		t.Fatal(err)
	}
	if !bytes.HasSuffix(w.Bytes(), data) || len(w.Bytes())%8 != len(data)%8 {
		t.Error("the data is not that of the tensors")
	}
	for i, s := range sources {
		if s.fault != "" || s.next != int64(len(s.b)) || s.largest > buffer {
			t.Errorf("tensor %d: read %d of %d bytes, at most %d at once; %s", i, s.next, len(s.b), s.largest, s.fault)
		}
	}
	if most := len(w.Bytes())/buffer + 8; w.writes > most || w.largest > buffer {
		t.Errorf("%d writes, of up to %d bytes", w.writes, w.largest)
	}
}

// A pieces counts writes.
type pieces struct {
	bytes.Buffer
	writes, largest int
}

func (p *pieces) Write(b []byte) (int, error) {
	p.writes++
	p.largest = max(p.largest, len(b))
	return p.Buffer.Write(b)
}

// TestEncodeManySmallTensors checks that few bytes are not many writes.
func TestEncodeManySmallTensors(t *testing.T) {
	var tensors []*safetensors.Tensor
	for i := range 10_000 {
		tensors = append(tensors, handMade(fmt.Sprintf("%05d", i), safetensors.U16, []byte{byte(i), byte(i >> 8)}, 1))
	}
	w := new(pieces)
	if err := safetensors.Encode(w, tensors...); err != nil {
		t.Fatal(err)
	}
	if w.writes > 2 {
		t.Errorf("%d writes for %d bytes", w.writes, w.Len())
	}
	got, _ := tensorsOf(t, w.Bytes())
	for i, tensor := range got {
		if b, err := tensor.Bytes(); err != nil || !bytes.Equal(b, []byte{byte(i), byte(i >> 8)}) {
			t.Fatalf("tensor %d is %x, %v", i, b, err)
		}
	}
}

// TestEncodeShortSources has sources that end, or fail, before their tensor
// does. The error says which tensor, and where.
func TestEncodeShortSources(t *testing.T) {
	boom := errors.New("the network is down")
	whole := handMade("a", safetensors.U8, pattern(100), 100)
	for _, size := range []int{2, 10, 2<<20 + 5} {
		for _, from := range []int{0, 1, size / 2, size - 1} {
			for _, err := range []error{boom, io.EOF, nil} {
				tensor := handMade("b", safetensors.U8, pattern(size), int64(size))
				source := &failingAfter{b: pattern(size), from: from, err: err}
				tensor.ReaderAt = source
				got := safetensors.Encode(io.Discard, whole, tensor)
				if err != boom {
					err = io.ErrUnexpectedEOF
				}
				words := fmt.Sprintf("read %d of the %d bytes of tensor \"b\"", from, size)
				var v *safetensors.Violation
				if !errors.Is(got, err) || errors.Is(got, io.EOF) || errors.As(got, &v) || !strings.Contains(got.Error(), words) {
					t.Errorf("%d of %d bytes: %v, want %s and %v", from, size, got, words, err)
				}
			}
		}
	}
}

// TestEncodeCutsSources has a source that would have more.
func TestEncodeCutsSources(t *testing.T) {
	tensor := handMade("a", safetensors.U8, pattern(3), 3)
	tensor.ReaderAt = zeros{}
	file := encoded(t, safetensors.Encoder{}, tensor)
	if got, _ := tensorsOf(t, file); len(got) != 1 || got[0].Size() != 3 {
		t.Errorf("%d tensors", len(got))
	}
}

// TestEncodeToAWriterThatFails has a disk that is full at each byte of a file.
func TestEncodeToAWriterThatFails(t *testing.T) {
	boom := errors.New("no space is left")
	tensors := []*safetensors.Tensor{
		handMade("a", safetensors.F32, pattern(8), 2), handMade("b", safetensors.U8, pattern(5), 5),
		handMade("c", safetensors.U8, pattern(3<<20), 3<<20),
	}
	want := encoded(t, safetensors.Encoder{}, tensors...)
	for _, room := range []int{0, 1, 8, 200, 1<<20 - 1, 1 << 20, 2<<20 + 5, len(want) - 1} {
		for _, err := range []error{boom, nil} {
			w := &fullWriter{room: room, err: err}
			got := safetensors.Encode(w, tensors...)
			if err == nil {
				err = io.ErrShortWrite
			}
			if !errors.Is(got, err) || !bytes.Equal(w.got.Bytes(), want[:room]) {
				t.Errorf("room for %d: wrote %d, %v; want %v", room, w.got.Len(), got, err)
			}
		}
	}
}
