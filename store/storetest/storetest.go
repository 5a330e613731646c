// The suite: what is tested, and with which objects.

// Package storetest tests implementations of store.Store.
//
//	func TestConformance(t *testing.T) {
//		storetest.Run(t, func(t *testing.T, files map[string][]byte) store.Store {
//			... // put files where a store of one's own finds them
//		})
//	}
//
// It assumes nothing of where the bytes are: a store may be a directory, or a
// client of a server that the test starts. If it is a store.Lister, its
// listings are tested too. Run it with the race detector on as well.
package storetest

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors/store"
)

// Run tests that the stores that newStore returns behave as package store says.
// Each holds files, by name, and nothing else; newStore is called once for each
// test. Files must not be changed. Where it cannot make such a store, newStore
// calls t.Skip or t.Fatal. What needs closing it closes by t.Cleanup.
func Run(t *testing.T, newStore func(t *testing.T, files map[string][]byte) store.Store) {
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t, c.files)
			if _, ok := s.(store.Lister); c.lists && !ok {
				t.Skipf("%T is no store.Lister", s)
			}
			if err := c.run(t.Context(), s, c.files); err != nil {
				t.Error(err)
			}
		})
	}
}

// A check is one law of package store. It returns what breaks it, so that the
// suite can itself be tested with stores that do.
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

// few are objects whose names are in another order when "/" is not compared as
// a byte like others: "a-b" < "a.txt" < "a/x" < "a0" < "ab".
var few = map[string][]byte{
	small:          pattern(23),
	empty:          {},
	"a-b":          pattern(1),
	"a.txt":        pattern(2),
	"a/x":          pattern(3),
	"a/y/z":        pattern(4),
	"a0":           pattern(5),
	"ab":           pattern(6),
	"b/c/d/e/deep": pattern(7),
}

const (
	small = "model.safetensors"
	empty = "empty"
	big   = "big.safetensors"
)

// large is one object that is longer than any block, chunk or window that a
// store is likely to read in, and no multiple of one.
var large = map[string][]byte{big: pattern(9<<20 + 12345)}

// uncommon returns objects whose names have characters that URLs, shells or
// file systems treat in ways of their own, and names that become equal to one
// another when they are escaped or unescaped once too often.
func uncommon() map[string][]byte {
	names := []string{
		"a b", "a+b", "a%20b", "a%2Bb", "a%2fb", "a%2Fc", "a/c",
		"100%", "100%25", "%2e%2e", "%", "#1", "a#b", "what?", "a?b=c&d=e",
		"a&b", "a=b", "a;b", "a,b", "a:b", "a@b", "a!b", "a$b", "a'b", `a"b`, "a*b", "a|b", "a~b",
		"(a)", "[a]", "{a}", "<a>", "^a", "`a`",
		"-dash", "_", ".hidden", ".folder/.hidden", "a..b", "..a", "...", "a.",
		"größe", "重み", "весы", "\U0001F9EE", "a\u00a0b",
		"folder with spaces/a b", "10 %/#/?/x", strings.Repeat("long", 50),
	}
	// In names of Windows some characters mean something else, and dots at the
	// end are dropped, so that no local server could hold these either.
	if runtime.GOOS == "windows" {
		names = slices.DeleteFunc(names, func(name string) bool {
			return strings.ContainsAny(name, `<>:"|?*`) || strings.HasSuffix(name, ".")
		})
	}
	files := make(map[string][]byte)
	for _, name := range names {
		files[name] = []byte("content of " + name) // tells one from another
	}
	return files
}

// pattern returns n bytes in which neighbours, and bytes a power of two apart,
// differ: 251 is prime.
func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i % 251)
	}
	return b
}

// names returns the names of files in ascending order.
func names(files map[string][]byte) []string { return slices.Sorted(maps.Keys(files)) }
