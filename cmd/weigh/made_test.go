// Made files: every range of one, against the file that the Encoder writes.

package main

import (
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/weightools/safetensors"
)

func TestEveryRangeOfAMadeFile(t *testing.T) {
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
	var e safetensors.Encoder
	made, h, err := newMade(&e, tensors)
	if err != nil {
		t.Fatal(err)
	}
	first, second := &unbound{bytes.NewReader(source)}, &unbound{bytes.NewReader(source)}
	for i := range h.Tensors {
		from := first
		if i == 1 {
			from = second // so that what continues the one before is no part of it
		}
		made.add(from, spans[i].Begin, spans[i].Len())
	}
	var file bytes.Buffer
	if err := e.Encode(&file, tensors...); err != nil {
		t.Fatal(err)
	}
	want := file.Bytes()
	if made.Size() != int64(len(want)) || len(made.parts) != 5 {
		t.Fatalf("%d bytes in %d parts, want %d in 5", made.Size(), len(made.parts), len(want))
	}
	r := made.ReaderAt(context.Background())
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
		t.Error("a read at a negative offset is none")
	}
}

// An unbound reader is read on behalf of whoever opened it.
type unbound struct{ r io.ReaderAt }

func (u *unbound) ReaderAt(context.Context) io.ReaderAt { return u.r }
