// Numbers in the names of shards: model-00003-of-00072.safetensors.

package naming

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Numbering is what all names of one set of numbered files have in common. All of these
// are published: five or six digits, in the number and in the total independently; no
// leading zeros; '_' for '-'; and a variant before the number or after the total, as in
// model-00001-of-00002.fp16.safetensors.
type Numbering struct {
	Prefix string // what is before the number, with the folder
	Suffix string // what is after the number, with the total as it is written
	Total  int
}

// A Number is the number of one file, and how many digits it is written with.
type Number struct{ N, Width int }

// Numbered returns the numbering of a path and its number in that, and false if it has no
// numbers. Any extension will do.
func Numbered(path string) (Numbering, Number, bool) {
	before, after, ok := CutLast(path, "-of-")
	prefix := strings.TrimRight(before, "0123456789")
	suffix := strings.TrimLeft(after, "0123456789")
	if !ok || prefix == "" || !strings.ContainsRune("-_.", rune(prefix[len(prefix)-1])) || !strings.Contains(suffix, ".") {
		return Numbering{}, Number{}, false
	}
	const most = 9 // digits: every such number fits an int
	digits, total := before[len(prefix):], after[:len(after)-len(suffix)]
	if len(digits) == 0 || len(digits) > most || len(total) == 0 || len(total) > most {
		return Numbering{}, Number{}, false
	}
	n, _ := strconv.Atoi(digits)
	t, _ := strconv.Atoi(total)
	return Numbering{prefix, "-of-" + after, t}, Number{n, len(digits)}, true
}

// CutTotal returns the digits of the total, and what follows them.
func (f Numbering) CutTotal() (digits, suffix string) {
	after := strings.TrimPrefix(f.Suffix, "-of-")
	suffix = strings.TrimLeft(after, "0123456789")
	return strings.TrimSuffix(after, suffix), suffix
}

// Path returns the path of the file of a number.
func (f Numbering) Path(n Number) string {
	return fmt.Sprintf("%s%0*d%s", f.Prefix, n.Width, n.N, f.Suffix)
}

// A Gap is a run of missing numbers.
type Gap struct{ First, Last Number }

// Gaps returns the missing numbers. At least one number exists.
//
// Sets count from 1 to the total. Sets with a number 0 count to the total less 1, or to the total:
// gpt-oss has 00000-of-00002, 00001-of-00002 and 00002-of-00002.
func (f Numbering) Gaps(existing []Number) []Gap {
	existing = slices.SortedFunc(slices.Values(existing), func(a, b Number) int { return cmp.Compare(a.N, b.N) })
	lowest, highest := existing[0], existing[len(existing)-1]
	next, last := 1, f.Total
	if lowest.N == 0 {
		next, last = 0, f.Total-1
		if highest.N == f.Total {
			last = f.Total
		}
	}
	width := lowest.Width
	var gaps []Gap
	for _, n := range append(existing, Number{N: last + 1}) {
		if n.N > next && next <= last {
			gaps = append(gaps, Gap{Number{next, width}, Number{min(n.N-1, last), width}})
		}
		next = max(next, n.N+1)
	}
	return gaps
}

// CompareShards orders paths as shards are read: numbered ones by their number, which may
// lack leading zeros.
func CompareShards(a, b string) int {
	fa, na, _ := Numbered(a)
	fb, nb, _ := Numbered(b)
	return cmp.Or(
		cmp.Compare(cmp.Or(fa.Prefix, a), cmp.Or(fb.Prefix, b)),
		cmp.Compare(fa.Suffix, fb.Suffix),
		cmp.Compare(na.N, nb.N),
		cmp.Compare(a, b))
}
