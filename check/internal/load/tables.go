// Tables: what programs know of architectures and classes, as data.

package load

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

//go:embed llamacpp.txt
var llamaCPPText string

//go:embed mlx.txt
var mlxText string

//go:embed ollama.txt
var ollamaText string

//go:embed diffusers.txt
var diffusersText string

// The tables, by the name at the beginning of each line. The heads of the files say what the words mean.
var (
	llamaCPPClasses  = sync.OnceValue(func() map[string]words { return parseTable(llamaCPPText) })
	mlxTypes         = sync.OnceValue(func() map[string]words { return parseTable(mlxText) })
	ollamaClasses    = sync.OnceValue(func() map[string]words { return parseTable(ollamaText) })
	diffusersClasses = sync.OnceValue(func() map[string]words { return parseTable(diffusersText) })
)

// Words are what a table says about a name.
type words []string

// parseTable parses a table: a name and words on each line. A line that begins with a blank continues the one
// before it, and one that begins with "#" is a remark.
func parseTable(text string) map[string]words {
	table := make(map[string]words)
	last := ""
	for line := range strings.Lines(text) {
		list := strings.Fields(line)
		if len(list) == 0 || list[0][0] == '#' {
			continue
		}
		if line[0] != ' ' {
			last, list = list[0], list[1:]
		}
		table[last] = append(table[last], list...)
	}
	return table
}

// has reports whether a flag is among the words.
func (w words) has(flag string) bool {
	for _, word := range w {
		if word == "needs" {
			return false
		}
		if word == flag {
			return true
		}
	}
	return false
}

// needs returns the words after "needs".
func (w words) needs() []string {
	for i, word := range w {
		if word == "needs" {
			return w[i+1:]
		}
	}
	return nil
}

// theta returns the number of "theta=N".
func (w words) theta() (n float64, ok bool) {
	for _, word := range w {
		if text, found := strings.CutPrefix(word, "theta="); found {
			n, err := strconv.ParseFloat(text, 64)
			return n, err == nil
		}
	}
	return 0, false
}

// mlxType returns what mlx-lm knows of a model type.
func mlxType(kind string) (words, bool) {
	w, ok := mlxTypes()[kind]
	if len(w) == 2 && w[0] == "=" {
		w, ok = mlxTypes()[w[1]]
	}
	return w, ok
}
