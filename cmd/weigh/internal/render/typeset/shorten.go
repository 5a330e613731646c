// Texts in less room than they need, with what tells them apart left in.

package typeset

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// ellipsis stands for what was left out.
const ellipsis = "…"

// Middle returns s in at most most columns, by leaving out what is in the
// middle.
func Middle(s string, most int) string { return without(s, most, 1, 2) }

// Headed returns s in at most most columns, most of them for its start: what
// tells the names of shards apart is there.
func Headed(s string, most int) string { return without(s, most, 3, 4) }

// without returns s in at most most columns. The start of s gets num of den
// parts of them. Neither part ends within a number: half of one is another.
func without(s string, most, num, den int) string {
	if Width(s) <= most {
		return s
	}
	if most <= 1 {
		return ellipsis[:len(ellipsis)*max(most, 0)]
	}
	head := HeadOf(s, (most-1)*num/den)
	end := tailOf(s, most-1-(most-1)*num/den)
	return s[:before(s, len(head))] + ellipsis + s[after(s, len(s)-len(end)):]
}

// before returns the last offset up to i that is not within a number of s.
func before(s string, i int) int {
	for i > 0 && i < len(s) && IsDigit(s[i-1]) && IsDigit(s[i]) {
		i--
	}
	return i
}

// after returns the first offset from i on that is not within a number of s.
func after(s string, i int) int {
	for i > 0 && i < len(s) && IsDigit(s[i-1]) && IsDigit(s[i]) {
		i++
	}
	return i
}

// IsDigit reports whether c is an ASCII digit.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// Dotted returns the name of a tensor in at most most columns, as in
// "…layers.[0-11].mlp.weight". Names are words between dots, and what tells them
// apart is at their end, so it leaves out whole words from the start. If that is
// all but the last, which is "weight" as a rule, it takes as much of the one
// before as there is room for. Numbers, and the
// ranges of them that stand for folded layers, stay whole as long as there is
// room for anything of the last word beside them.
func Dotted(s string, most int) string {
	if Width(s) <= most {
		return s
	}
	words := strings.Split(s, ".")
	last := len(words) - 1
	// A line is the words that are kept, with a dot or an ellipsis between any
	// two of them, and an ellipsis before the first if it is not that of s.
	dropped, latest, width := make([]bool, len(words)), -1, Width(s)
	lone := true // whether the last word is the only one that is no number
	for i, word := range words[:last] {
		if isNumber(word) {
			continue
		}
		if width <= most {
			lone = false
			break
		}
		dropped[i], latest = true, i
		if width -= Width(word) + len("."); i == 0 {
			width += Width(ellipsis)
		}
	}
	const least = 4 // columns, of a word that means something: "we…t"
	room := most - width
	switch {
	case room < 0:
		// Even so the last word has to give.
		if room += Width(words[last]); room < least {
			return Middle(s, most)
		}
		words[last] = Middle(words[last], room)
	case !lone:
	case latest == 0 && room >= least:
		words[0], dropped[0] = Middle(words[0], room), false
	case latest > 0 && room > least:
		words[latest], dropped[latest] = Middle(words[latest], room-len(".")), false
	}
	return joined(words, dropped)
}

// joined returns the words that were not dropped, with ellipses for the rest.
func joined(words []string, dropped []bool) string {
	var b strings.Builder
	for i, word := range words {
		switch {
		case dropped[i]:
			if i == 0 || !dropped[i-1] {
				b.WriteString(ellipsis)
			}
			continue
		case i > 0 && !dropped[i-1]:
			b.WriteByte('.')
		}
		b.WriteString(word)
	}
	return b.String()
}

// isNumber says whether a word of a name is a number, or a range such as
// "[0-11]".
func isNumber(word string) bool {
	return word != "" && strings.Trim(word, "[]-/0123456789") == ""
}

// Listed returns a shape in at most most columns, by leaving out whole dimensions
// from its end.
func Listed(s string, most int) string {
	if Width(s) <= most {
		return s
	}
	const rest = ", …]"
	room := most - utf8.RuneCountInString(rest)
	if room > 0 {
		if comma := strings.LastIndexByte(s[:min(room+1, len(s))], ','); comma > 0 {
			return s[:comma] + rest
		}
	}
	return HeadOf("[…]", most)
}

// HeadOf returns the longest start of s that takes at most most columns.
func HeadOf(s string, most int) string {
	columns := 0
	for i, r := range s {
		if columns += widths.RuneWidth(r); columns > most {
			return s[:i]
		}
	}
	return s
}

// tailOf returns the longest end of s that takes at most most columns.
func tailOf(s string, most int) string {
	columns := 0
	for i := len(s); i > 0; {
		r, n := utf8.DecodeLastRuneInString(s[:i])
		if columns += widths.RuneWidth(r); columns > most {
			return s[i:]
		}
		i -= n
	}
	return s
}

// MostName is how many bytes of a tensor's name a finding has in the machine
// forms, but for what stands for the rest. Published names have about 150.
const MostName = 300

// Shortened returns a name as the machine forms of findings have it: one of more
// than MostName bytes is its start and its end, with an ellipsis between them and
// its length after them. A name may be as long as a header, and be at fault a
// thousand times: in full, a file of a megabyte would become a report of a
// gigabyte. The list of tensors has it in full.
func Shortened(name string) string {
	if len(name) <= MostName {
		return name
	}
	head, tail := MostName/2, len(name)-MostName/2
	for i := 1; i < utf8.UTFMax && !utf8.RuneStart(name[head]); i++ {
		head--
	}
	for i := 1; i < utf8.UTFMax && !utf8.RuneStart(name[tail]); i++ {
		tail++
	}
	return fmt.Sprintf("%s…%s (%d bytes)", name[:head], name[tail:], len(name))
}
