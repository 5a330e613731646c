// What readers are told will be read.

package zipwalk

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/weightools/safetensors/pickle/internal/extent"
)

// A told reader takes note of what it is told, and of what is read of the rest.
type told struct {
	*bytes.Reader
	mu    sync.Mutex
	spans []extent.Span
	other int // reads
}

func (r *told) Prefetch(off, n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spans = append(r.spans, extent.Span{Begin: off, End: off + n})
}

func (r *told) ReadAt(b []byte, off int64) (int, error) {
	if !slices.ContainsFunc(r.spans, func(s extent.Span) bool { return s.Begin <= off && off+int64(len(b)) <= s.End }) {
		r.other++
	}
	return r.Reader.ReadAt(b, off)
}

// TestForesee: of 200 members, the headers come by few requests where they are near each
// other, and by one each where they are not.
func TestForesee(t *testing.T) {
	for _, tt := range []struct {
		size int // of each member, in bytes
		runs int
	}{
		{100, 4}, // one for each batch of 64
		{60_000, 4},
		{70_000, 200},
	} {
		var files []file
		for i := range 200 {
			files = append(files, file{fmt.Sprintf("archive/data/%d", i), strings.Repeat("x", tt.size)})
		}
		b := stored(t, files...)
		r := &told{Reader: bytes.NewReader(b)}
		a, err := Walk(r, int64(len(b)), &Options{Head: 64})
		if err != nil || len(a.Members) != 200 || len(a.Faults) > 0 {
			t.Fatalf("%d members, %v, %v", len(a.Members), a.Faults, err)
		}
		// The end record and the directory are not foreseen: they take five reads.
		if len(r.spans) != tt.runs || r.other != 5 {
			t.Errorf("members of %d bytes: %d runs, and %d reads of what is in none; want %d runs", tt.size, len(r.spans),
				r.other, tt.runs)
		}
		if plain := walked(t, b, &Options{Head: 64}); fmt.Sprint(plain.Members) != fmt.Sprint(a.Members) {
			t.Errorf("members of %d bytes are others when they are foreseen", tt.size)
		}
	}
}
