// Progress, as people read it.

package cli

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

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

// At 8 MiB in each of 20 seconds, with 100 MiB that were there before.
func TestProgressLine(t *testing.T) {
	p, speed, now := new(Progress), new(pace), time.Unix(0, 0)
	p.Bytes.Store(1 << 30)
	p.Skip(100 << 20)
	speed.line(p, 80, now)
	for range 20 {
		p.Add(8 << 20)
		now = now.Add(time.Second)
		speed.line(p, 80, now)
	}
	for width, want := range map[int]string{
		200: "[=======                       ] 25%, 260.00 MiB of 1.00 GiB, 8.00 MiB/s, 1m36s left",
		80:  "[======                    ] 25%, 260.00 MiB of 1.00 GiB, 8.00 MiB/s, 1m36s left",
		60:  "25%, 260.00 MiB of 1.00 GiB, 8.00 MiB/s, 1m36s left",
		40:  "[==        ] 25%, 8.00 MiB/s, 1m36s left",
		28:  "25%, 8.00 MiB/s, 1m36s left",
		23:  "25%, 8.00 MiB/s, 1m36s",
		12:  "25%, 1m36s",
		4:   "25%",
		2:   "25",
		0:   "",
		-1:  "",
	} {
		if got := speed.line(p, width, now); got != want {
			t.Errorf("in %d columns: %q, want %q", width, got, want)
		}
	}
	for width := range 200 {
		if n := utf8.RuneCountInString(speed.line(p, width, now)); n > width {
			t.Errorf("in %d columns there are %d", width, n)
		}
	}
	p.Add(1 << 30) // more than there should be
	if got := speed.line(p, 80, now.Add(time.Second)); strings.Contains(got, "left") {
		t.Errorf("%q", got)
	}
}

// Files without a known size, and bytes without a known total.
func TestProgressOfFiles(t *testing.T) {
	p, speed, now := &Progress{Unit: "file", Tensors: 40}, new(pace), time.Unix(0, 0)
	if got, want := speed.line(p, 80, now), "0%, 0 of 40 files"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for range 10 {
		p.Count(0)
	}
	if got, want := speed.line(p, 40, now), "[====              ] 25%, 10 of 40 files"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	unknown := new(Progress)
	unknown.Add(3 << 20)
	if got, want := speed.line(unknown, 40, now), "3.00 MiB"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The rate is that of the last ten seconds.
func TestProgressRate(t *testing.T) {
	speed, now, done := new(pace), time.Unix(0, 0), int64(0)
	var rate float64
	for i := range 30 {
		now = now.Add(time.Second)
		if done += 100; i >= 10 {
			done += 900
		}
		rate = speed.rate(done, now)
	}
	if rate != 1000 {
		t.Errorf("%v bytes per second, want 1000", rate)
	}
}
