// Runs of letters count as one name.

package guise

import (
	"strings"
	"testing"
)

func TestAfterName(t *testing.T) {
	if got := afterName([]byte("cccc\n"), 1); got != 4 {
		t.Errorf("the run ends at %d, want 4", got)
	}
	long := []byte(strings.Repeat("c", 1000))
	if got := afterName(long, 1); got != 1000-mostIdent {
		t.Errorf("of a long run, the next is at %d, want %d", got, 1000-mostIdent)
	}
}
