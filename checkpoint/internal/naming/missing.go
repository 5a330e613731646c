// Missing files of numbered sets, in words.

package naming

import (
	"fmt"

	"github.com/weightools/safetensors/internal/wording"
)

// Missing returns, in words, which files the numbers of some paths imply that are neither among
// them nor in their folder, whose numbers are given, too.
func Missing(paths []string, inFolder map[Numbering][]Number) (words []string) {
	there := make(map[Numbering][]Number)
	var order []Numbering
	for _, path := range paths {
		n, number, ok := Numbered(path)
		if !ok {
			continue
		}
		if there[n] == nil {
			order = append(order, n)
		}
		there[n] = append(there[n], number)
	}
	for _, n := range order {
		for _, g := range n.Gaps(append(there[n], inFolder[n]...)) {
			words = append(words, n.describe(g))
		}
	}
	return words
}

// describe says which shards are missing.
func (f Numbering) describe(g Gap) string {
	first, last := wording.Quote(f.Path(g.First)), wording.Quote(f.Path(g.Last))
	if g.First == g.Last {
		return fmt.Sprintf("shard %s is missing: the numbers of the others imply it", first)
	}
	return fmt.Sprintf("shards %s to %s, %d in number, are missing: the numbers of the others imply them", first, last,
		g.Last.N-g.First.N+1)
}
