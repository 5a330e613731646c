// The map of names.

package origin

import (
	"strings"
	"sync"

	"github.com/weightools/safetensors/model/names"
)

// A source is where the values of a tensor are from.
type source struct {
	name string // in the checkpoint, with # for the layer and * for the expert; "-" if it is not in there
	how  string // the transform; "" if the values are the same
}

// A table is the map of an architecture: for each name in GGUF files, with # for the layer, the possible sources.
type table map[string][]source

// tables parses the map.
var tables = sync.OnceValue(func() map[string]table {
	all := make(map[string]table)
	var t table
	for line := range strings.Lines(names.MapsOfGGUF()) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '=':
			arch, _, _ := strings.Cut(line[2:], " ")
			t = make(table)
			all[arch] = t
		default:
			name, rest, _ := strings.Cut(line, " = ")
			from, how, _ := strings.Cut(rest, " ")
			t[name] = append(t[name], source{from, how})
		}
	}
	return all
})

// pattern replaces the first element of a name that is a number, which is the layer. It returns the number, too, "" if
// there is none.
func pattern(name string) (pattern, layer string) {
	for begin := 0; begin < len(name); {
		end := begin
		for end < len(name) && name[end] != '.' {
			end++
		}
		if word := name[begin:end]; word != "" && strings.Trim(word, "0123456789") == "" {
			return name[:begin] + "#" + name[end:], word
		}
		begin = end + 1
	}
	return name, ""
}

// plain returns a name without the part that multimodal models have in the names of their language model.
func plain(name string) string { return strings.Replace(name, "language_model.", "", 1) }
