// Names of files that are written: a stem, numbers, and an index.

package checkpoint

import (
	"fmt"
	"strings"
)

// stemFault returns what keeps a stem from beginning the names of files, or "".
// Readers of folders ignore names that begin with a dot.
func stemFault(stem string) string {
	switch {
	case strings.Contains(stem, "/"):
		return "has a slash"
	case strings.HasPrefix(stem, "."):
		return "begins with a dot"
	}
	return pathFault(stem+weightsSuffix, []string{weightsSuffix})
}

// shardName returns the name of shard number n, counted from 1. Numbers have
// five digits, and more only where they do not fit, as in huggingface_hub: the
// first of 100,000 is model-00001-of-100000.safetensors.
func shardName(stem string, n, of int) string {
	if of == 1 {
		return stem + weightsSuffix
	}
	return fmt.Sprintf("%s-%05d-of-%05d%s", stem, n, of, weightsSuffix)
}

// indexOf returns the name of the index of a stem.
func indexOf(stem string) string { return stem + weightsSuffix + ".index.json" }

// isShardOf reports whether a name is that of a shard of the stem, of any number of
// shards. model-00001-of-00002.fp16.safetensors belongs to another model.
func isShardOf(stem, name string) bool {
	f, _, ok := numbered(name)
	return name == stem+weightsSuffix ||
		ok && f.prefix == stem+"-" && strings.Count(f.suffix, ".") == 1 && strings.HasSuffix(name, weightsSuffix)
}
