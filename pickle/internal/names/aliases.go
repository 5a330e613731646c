// Aliases: names by which modules of Python's standard library expose other modules and functions.

package names

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// aliases.py writes the table from several versions of Python, which go generate must not require.
//
//go:embed aliases.txt
var aliasText string

// aliases maps a dotted name to the names that it resolves to. Versions of Python differ, so there can be several.
var aliases = sync.OnceValue(func() map[string][]string {
	table := map[string][]string{}
	for line := range strings.Lines(aliasText) {
		words := strings.Fields(line)
		switch words[0] {
		case "#":
		case "same":
			for _, scope := range words[2:] {
				name := scope + "." + words[1]
				table[name] = append(table[name], words[1])
			}
		case "in":
			for _, word := range words[2:] {
				alias, target, _ := strings.Cut(word, "=")
				name := strings.TrimPrefix(words[1]+"."+alias, "-.")
				table[name] = append(table[name], target)
			}
		default:
			panic(fmt.Sprintf("names: aliases.txt: %q", line))
		}
	}
	return table
})

// maxTargets limits the number of names that a name may resolve to.
const maxTargets = 16

// targets returns the names that a dotted name resolves to if it leads through aliases: argparse._os.path.join is
// posixpath.join and ntpath.join. It returns nil if there are no aliases in the name.
func targets(name string) []string {
	table, followed := aliases(), false
	var at []string
	for part := range strings.SplitSeq(name, ".") {
		var next []string
		if at == nil {
			at = []string{""}
		}
		for _, scope := range at {
			inner := strings.TrimPrefix(scope+"."+part, ".")
			to := table[inner]
			followed = followed || len(to) > 0
			if len(to) == 0 {
				to = []string{inner}
			}
			for _, target := range to {
				if len(next) < maxTargets && !slices.Contains(next, target) {
					next = append(next, target)
				}
			}
		}
		at = next
	}
	if !followed {
		return nil
	}
	return at
}
