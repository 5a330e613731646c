// Names of files that are written: a stem, numbers, and an index.

package shards

import (
	"fmt"
	"strings"

	"github.com/weightools/safetensors/checkpoint/internal/naming"
)

const (
	weightsSuffix = ".safetensors" // the extension of safetensors files
	indexSuffix   = ".index.json"  // of indexes, after the name that a file without an index would have
)

// A Name is the name of a numbered shard: "model-00001-of-00003.safetensors", or
// "model-00001-of-00003.fp16.safetensors" with a variant.
type Name struct {
	Prefix, Suffix string // "model-" and ".safetensors"
	Number, Total  int
	digits         [2]int // how many digits the numbers are written with
}

// ParseName takes the name of a numbered shard apart. It returns false for any other.
func ParseName(name string) (Name, bool) {
	f, n, ok := naming.Numbered(name)
	if !ok || !strings.HasSuffix(name, weightsSuffix) {
		return Name{}, false
	}
	total, suffix := f.CutTotal()
	return Name{f.Prefix, suffix, n.N, f.Total, [2]int{n.Width, len(total)}}, true
}

// String returns the name, with as many digits as it was parsed from.
func (n Name) String() string {
	return fmt.Sprintf("%s%0*d-of-%0*d%s", n.Prefix, n.digits[0], n.Number, n.digits[1], n.Total, n.Suffix)
}

// IndexOf returns the path of the index by which libraries find some shards, or "" if these are not files of one
// numbering: "model.safetensors.index.json" for model-00001-of-00002.safetensors and the second.
func IndexOf(paths []string) string {
	stem, total := "", -1
	for _, p := range paths {
		n, ok := ParseName(p)
		prefix, isUsual := strings.CutSuffix(n.Prefix, "-")
		if !ok || !isUsual || n.Suffix != weightsSuffix || total >= 0 && (prefix != stem || n.Total != total) {
			return ""
		}
		stem, total = prefix, n.Total
	}
	if total < 0 {
		return ""
	}
	return indexOf(stem)
}

// StemOf returns the stem of the safetensors files that hold the tensors of files of another format with the given
// stem. The libraries of Hugging Face call one model "pytorch_model.bin" and "model.safetensors", but use other names,
// such as "pytorch_lora_weights", for both formats.
func StemOf(stem string) string {
	if strings.HasPrefix(stem, "pytorch_model") {
		return strings.TrimPrefix(stem, "pytorch_")
	}
	return stem
}

// stemFault returns what keeps a stem from beginning the names of files, or "".
// Readers of folders ignore names that begin with a dot.
func stemFault(stem string) string {
	switch {
	case strings.Contains(stem, "/"):
		return "has a slash"
	case strings.HasPrefix(stem, "."):
		return "begins with a dot"
	}
	return naming.Fault(strings.ToValidUTF8(stem, "_")+weightsSuffix, weightsSuffix)
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
func indexOf(stem string) string { return stem + weightsSuffix + indexSuffix }

// isShardOf reports whether a name belongs to a shard of the stem, among any number of
// shards. model-00001-of-00002.fp16.safetensors belongs to another model.
func isShardOf(stem, name string) bool {
	n, ok := ParseName(name)
	return name == stem+weightsSuffix || ok && n.Prefix == stem+"-" && n.Suffix == weightsSuffix
}
