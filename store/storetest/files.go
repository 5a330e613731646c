// The objects that the checks use.

package storetest

import (
	"maps"
	"runtime"
	"slices"
	"strings"
)

// few are objects whose names would sort differently if "/" were not compared as a byte:
// "a-b" < "a.txt" < "a/x" < "a0" < "ab".
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

// large is an object that is longer than the blocks that stores read, and not a multiple of
// their size.
var large = map[string][]byte{big: pattern(9<<20 + 12345)}

// uncommon returns objects whose names contain special characters of URLs, shells and file
// systems, and names that become equal when they are escaped or unescaped once too often.
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
	// Windows does not support these characters in file names, and removes dots at their end,
	// so a local server could not have such files either.
	if runtime.GOOS == "windows" {
		names = slices.DeleteFunc(names, func(name string) bool {
			return strings.ContainsAny(name, `<>:"|?*`) || strings.HasSuffix(name, ".")
		})
	}
	files := make(map[string][]byte)
	for _, name := range names {
		files[name] = []byte("content of " + name) // differs between objects
	}
	return files
}

// pattern returns n bytes. Because 251 is prime, bytes at a distance of a power of two differ.
func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i % 251)
	}
	return b
}

// names returns the names of files in ascending order.
func names(files map[string][]byte) []string { return slices.Sorted(maps.Keys(files)) }
