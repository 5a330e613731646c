package tree

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

// TestCountShared counts lists of ten references to the previous list. The number of steps must grow with the number of
// distinct values, and not with the number of paths to them.
func TestCountShared(t *testing.T) {
	for _, k := range []struct {
		levels int
		values int // 0 if the limit is exceeded
	}{{1, 10}, {2, 100}, {7, 10_000_000}, {39, 0}} {
		w := &Walker{
			IsTensor: func(pickle.Value) bool { return false },
			Exceed:   func(_ bool, format string, args ...any) error { return fmt.Errorf(format, args...) },
			Most:     40 * 10 * 4, // two steps for each reference, and twice for small lists
		}
		tally, err := w.Count(sharedLists(t, k.levels))
		switch {
		case k.values == 0:
			if err == nil || !strings.Contains(err.Error(), "more than 20,000,000 values") {
				t.Errorf("%d levels: %v", k.levels, err)
			}
		case err != nil || tally != (Tally{Values: k.values}):
			t.Errorf("%d levels: %+v, %v after %d steps", k.levels, tally, err, w.Parts)
		}
	}
}

// TestCountCycle counts containers that contain each other. What one contains depends on the enclosing ones, so it must
// not be remembered for other places.
func TestCountCycle(t *testing.T) {
	// a = [0, …, 19, b], b = [0, …, 19, a], and the result is (a, b).
	twenty := strings.Repeat("K\x00", 20)
	text := "]q\x00]q\x01(" + twenty + "h\x00e0h\x00(" + twenty + "h\x01e0h\x00h\x01\x86."
	w := &Walker{IsTensor: func(pickle.Value) bool { return false }, Most: MostValues}
	tally, err := w.Count(load(t, text))
	if err != nil || tally != (Tally{Values: 80}) {
		t.Errorf("%+v, %v; want 80 values", tally, err)
	}
}

// sharedLists returns a list of ten references to a list of ten references, and so on. The innermost list has ten ints.
func sharedLists(t *testing.T, levels int) pickle.Value {
	text := "](" + strings.Repeat("K\x00", 10) + "eq\x00"
	for i := range byte(levels - 1) {
		text += "](" + strings.Repeat("h"+string(rune(i)), 10) + "eq" + string(rune(i+1))
	}
	return load(t, text+".")
}

// load returns the result of a pickle.
func load(t *testing.T, text string) pickle.Value {
	t.Helper()
	g, err := pickle.Load(strings.NewReader(text), int64(len(text)), nil)
	if err != nil || !g.Report.Streams[0].Stopped {
		t.Fatalf("%v, %q", err, g.Report.Reason)
	}
	return g.Roots()[0]
}
