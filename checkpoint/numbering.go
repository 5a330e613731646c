// Numbers in the names of shards: model-00003-of-00072.safetensors.

package checkpoint

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// IsIndex reports whether a path is that of an index of safetensors files, by its name.
func IsIndex(name string) bool {
	_, ext, ok := cutIndex(path.Base(name))
	return ok && ext == weightsSuffix
}

// cutIndex returns the stem of an index's name, the extension of the shards that the name
// implies, and whether it is the name of an index. A variant stands before the end, as in
// model.safetensors.index.fp16.json; in the stem it stands as in the names of shards.
func cutIndex(base string) (stem, ext string, ok bool) {
	stem, rest, ok := cutLast(base, ".index.")
	variant, isJSON := strings.CutSuffix("."+rest, ".json")
	ext = path.Ext(stem)
	return strings.TrimSuffix(stem, ext) + variant, ext, ok && isJSON && ext != ""
}

// A numbering is what all names of one set of numbered files have in common.
// Any of these is published: five digits or six, of the number and of the total,
// each for itself; no zeros before; '_' for '-'; and a variant before the number
// or after the total, as in model-00001-of-00002.fp16.safetensors.
type numbering struct {
	prefix string // what is before the number, with the folder
	suffix string // what is after the total
	total  int
}

// A number is that of one file, and how many digits it was written with.
type number struct{ n, width int }

// numbered returns the numbering of a path and its number in that, and false if there
// are no numbers in it. The extension does not matter: paths are those of shards.
func numbered(path string) (numbering, number, bool) {
	before, after, ok := cutLast(path, "-of-")
	prefix := strings.TrimRight(before, "0123456789")
	suffix := strings.TrimLeft(after, "0123456789")
	if !ok || prefix == "" || !strings.ContainsRune("-_.", rune(prefix[len(prefix)-1])) || !strings.Contains(suffix, ".") {
		return numbering{}, number{}, false
	}
	const most = 9 // digits: so that each fits an int anywhere
	digits, total := before[len(prefix):], after[:len(after)-len(suffix)]
	if len(digits) == 0 || len(digits) > most || len(total) == 0 || len(total) > most {
		return numbering{}, number{}, false
	}
	n, _ := strconv.Atoi(digits)
	t, _ := strconv.Atoi(total)
	// The total is kept in the suffix as it was written.
	return numbering{prefix, "-of-" + after, t}, number{n, len(digits)}, true
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// path returns the path of the file of the given number.
func (f numbering) path(n number) string {
	return fmt.Sprintf("%s%0*d%s", f.prefix, n.width, n.n, f.suffix)
}

// A gap is a run of numbers that are not there.
type gap struct{ first, last number }

// gaps returns the numbers that are missing between and around those that are
// there, which are at least one.
//
// Sets count from 1 up to the total. Those that have a 0 count up to the total
// less 1, or up to the total itself: gpt-oss has 00000-of-00002, 00001-of-00002
// and 00002-of-00002.
func (f numbering) gaps(there []number) []gap {
	there = slices.SortedFunc(slices.Values(there), func(a, b number) int { return cmp.Compare(a.n, b.n) })
	lowest, highest := there[0], there[len(there)-1]
	next, last := 1, f.total
	if lowest.n == 0 {
		next, last = 0, f.total-1
		if highest.n == f.total {
			last = f.total
		}
	}
	width := lowest.width
	var gaps []gap
	for _, n := range append(there, number{n: last + 1}) {
		if n.n > next && next <= last {
			gaps = append(gaps, gap{number{next, width}, number{min(n.n-1, last), width}})
		}
		next = max(next, n.n+1)
	}
	return gaps
}

// compareShards orders paths as shards are to be read: numbered ones by their
// number, which is not always written with zeros before it.
func compareShards(a, b string) int {
	fa, na, _ := numbered(a)
	fb, nb, _ := numbered(b)
	return cmp.Or(
		cmp.Compare(cmp.Or(fa.prefix, a), cmp.Or(fb.prefix, b)),
		cmp.Compare(fa.suffix, fb.suffix),
		cmp.Compare(na.n, nb.n),
		cmp.Compare(a, b))
}
