// Subsets: every range of one, against the file that the Encoder writes.

package shards

import (
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/weightools/safetensors"
)

// A memory is a file in memory.
type memory struct{ *bytes.Reader }

func (m *memory) ReaderAt(context.Context) io.ReaderAt { return m.Reader }

func TestEveryRangeOfASubset(t *testing.T) {
	var tensors []*safetensors.Tensor
	source := []byte("0123456789abcdefghijklmnopqrstuvwxyz")
	spans := []safetensors.Span{{Begin: 0, End: 3}, {Begin: 3, End: 7}, {Begin: 9, End: 10}, {Begin: 10, End: 10}, {Begin: 2, End: 4}, {Begin: 30, End: 36}}
	for i, s := range spans {
		one, err := safetensors.NewTensor(string(rune('a'+i)), source[s.Begin:s.End], s.Len())
		if err != nil {
			t.Fatal(err)
		}
		tensors = append(tensors, one)
	}
	var want bytes.Buffer
	if err := safetensors.Encode(&want, tensors...); err != nil {
		t.Fatal(err)
	}
	h, err := new(safetensors.Encoder).Plan(tensors...)
	if err != nil {
		t.Fatal(err)
	}
	head, err := h.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	f := &SubsetFile{head: head, size: int64(len(head))}
	first, second := &memory{bytes.NewReader(source)}, &memory{bytes.NewReader(source)}
	for i := range h.Tensors {
		from := first
		if i == 1 {
			from = second // so that it is not added to the part before
		}
		f.add(from, spans[i].Begin, spans[i].Len())
	}
	checkRanges(t, f, want.Bytes())
	if len(f.parts) != 5 {
		t.Errorf("there are %d parts, want 5", len(f.parts))
	}
}

// checkRanges reads every range of a file, and some beyond its end.
func checkRanges(t *testing.T, f *SubsetFile, want []byte) {
	t.Helper()
	if f.Size() != int64(len(want)) {
		t.Fatalf("%d bytes, want %d", f.Size(), len(want))
	}
	r := f.ReaderAt(t.Context())
	for off := range len(want) + 2 {
		for n := range len(want) + 2 - off {
			got := make([]byte, n)
			due := want[min(off, len(want)):min(off+n, len(want))]
			m, err := r.ReadAt(got, int64(off))
			if !bytes.Equal(got[:m], due) || m < n && err != io.EOF || m == n && err != nil {
				t.Fatalf("%d bytes at %d: %q, %v, want %q", n, off, got[:m], err, due)
			}
		}
	}
	if _, err := r.ReadAt(make([]byte, 1), -1); err == nil {
		t.Error("a read at a negative offset succeeds")
	}
}
