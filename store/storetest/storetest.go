// The list of checks.

// Package storetest tests implementations of store.Store.
//
//	func TestConformance(t *testing.T) {
//		storetest.Run(t, func(t *testing.T, files map[string][]byte) store.Store {
//			... // return a store that holds files
//		})
//	}
//
// The store may be a directory, or a client of a server that the test starts. If it is a
// store.Lister, its listings are tested, too. Run the tests with the race detector as well.
package storetest

import (
	"context"
	"testing"

	"github.com/weightools/safetensors/store"
)

// Run tests that stores implement the interfaces of package store. For each check it calls
// newStore, which returns a store that holds exactly the given files, by name, and must not
// change them. If it cannot create the store, newStore calls t.Skip or t.Fatal. It uses
// t.Cleanup to release resources.
func Run(t *testing.T, newStore func(t *testing.T, files map[string][]byte) store.Store) {
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t, c.files)
			if _, ok := s.(store.Lister); c.lists && !ok {
				t.Skipf("%T does not implement store.Lister", s)
			}
			if err := c.run(t.Context(), s, c.files); err != nil {
				t.Error(err)
			}
		})
	}
}

// A check tests one property of a store. It returns an error instead of failing the test, so
// that the suite can be tested with faulty stores.
type check struct {
	name  string
	files map[string][]byte
	lists bool // the store must be a store.Lister
	run   func(ctx context.Context, s store.Store, files map[string][]byte) error
}

var checks = []check{
	{name: "Size", files: few, run: sizes},
	{name: "ReadAt/EveryRange", files: few, run: everyRange},
	{name: "ReadAt/LargeObject", files: large, run: largeObject},
	{name: "ReadAt/EmptyObject", files: few, run: emptyObject},
	{name: "ReadAt/PastEnd", files: few, run: pastEnd},
	{name: "ReadAt/NegativeOffset", files: few, run: negativeOffset},
	{name: "ReadAt/Nothing", files: few, run: readNothing},
	{name: "ReadAt/Concurrently", files: large, run: concurrentReads},
	{name: "ReadAt/Cancelled", files: few, run: cancelledReads},
	{name: "Open/Cancelled", files: few, run: cancelledOpen},
	{name: "Open/ContextIsOfCallAlone", files: few, run: contextOfOpen},
	{name: "Open/Concurrently", files: few, run: concurrentOpens},
	{name: "Open/Absent", files: few, run: absent},
	{name: "Open/InvalidName", files: few, run: invalidNames},
	{name: "Open/UncommonNames", files: uncommon(), run: everyObject},
	{name: "Open/Folder", files: few, lists: true, run: folders},
	{name: "Close/Twice", files: few, run: closeTwice},
	{name: "Close/EndsReads", files: few, run: closeEndsReads},
	{name: "List/Everything", files: few, lists: true, run: listsEverything},
	{name: "List/UncommonNames", files: uncommon(), lists: true, run: listsEverything},
	{name: "List/Folder", files: few, lists: true, run: listsFolders},
	{name: "List/NoObjects", files: map[string][]byte{}, lists: true, run: listsEverything},
	{name: "List/Stopped", files: few, lists: true, run: listStopped},
	{name: "List/Cancelled", files: few, lists: true, run: listCancelled},
	{name: "List/CancelledMidway", files: few, lists: true, run: listCancelledMidway},
}
