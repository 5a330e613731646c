// The verb edit within this process: how far it is, as it says.

package change

import "testing"

// What several goroutines tell comes in any order, and bytes are never fewer than they
// were.
func TestTransfer(t *testing.T) {
	var got transfer
	for _, done := range []int64{1 << 20, 3 << 20, 2 << 20} {
		got.at(done, 4<<20)
	}
	if want := "3.00 MiB of 4.00 MiB written and read again"; got.String() != want {
		t.Errorf("%q, want %q", got.String(), want)
	}
}
