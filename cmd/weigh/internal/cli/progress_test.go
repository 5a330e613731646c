// Progress, as people read it.

package cli

import "testing"

func TestProgressOfTensors(t *testing.T) {
	p := &Progress{Tensors: 290}
	p.Bytes.Store(3 << 30)
	p.Count(1 << 30)
	if got, want := p.String(), "1 of 290 tensors, 1.00 GiB of 3.00 GiB"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Several goroutines report in any order, and bytes never become fewer.
func TestProgressOfBytes(t *testing.T) {
	p := &Progress{Done: " written and read again"}
	for _, done := range []int64{1 << 20, 3 << 20, 2 << 20} {
		p.At(done, 4<<20)
	}
	if got, want := p.String(), "3.00 MiB of 4.00 MiB written and read again"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
