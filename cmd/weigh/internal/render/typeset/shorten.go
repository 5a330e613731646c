// Shortening text to a number of columns.

package typeset

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// ellipsis replaces what is left out.
const ellipsis = "…"

// Middle shortens s to at most most columns by leaving out its middle.
func Middle(s string, most int) string { return without(s, most, 1, 2) }

// Headed shortens s to at most most columns and keeps mainly its start, where the names of shards
// differ.
func Headed(s string, most int) string { return without(s, most, 3, 4) }

// without shortens s to at most most columns, of which num/den go to its start. It does not cut
// within numbers: half a number would be another number.
func without(s string, most, num, den int) string {
	if Width(s) <= most {
		return s
	}
	if most <= 1 {
		return ellipsis[:len(ellipsis)*max(most, 0)]
	}
	head := HeadOf(s, (most-1)*num/den)
	end := widths.TruncatePrefix(s, most-1-(most-1)*num/den, "")
	return s[:outside(s, len(head), -1)] + ellipsis + s[outside(s, len(s)-len(end), +1):]
}

// outside moves the offset i by steps until it is not inside a number.
func outside(s string, i, step int) int {
	for i > 0 && i < len(s) && IsDigit(s[i-1]) && IsDigit(s[i]) {
		i += step
	}
	return i
}

// IsDigit reports whether c is an ASCII digit.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// Dotted shortens the name of a tensor, as in "…layers.[0-11].mlp.weight". Names differ mainly at
// their end, so it drops whole words from the start. If only the last word would remain, it keeps
// as much of the word before as there is room for. Numbers and ranges are kept as long as part of
// the last word fits after them.
func Dotted(s string, most int) string {
	if Width(s) <= most {
		return s
	}
	words := strings.Split(s, ".")
	last := len(words) - 1
	// The result consists of the kept words, with a dot or an ellipsis between any two of them,
	// and an ellipsis in front if the first word is dropped.
	dropped, latest, width := make([]bool, len(words)), -1, Width(s)
	lone := true // the last word is the only one that is not a number
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
		// The last word has to be shortened, too.
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

// joined returns the kept words with ellipses for the dropped ones.
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

// isNumber reports whether a word is a number or a range such as "[0-11]".
func isNumber(word string) bool {
	return word != "" && strings.Trim(word, "[]-/0123456789") == ""
}

// Listed shortens a shape by dropping dimensions from its end.
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

// HeadOf returns the longest prefix of s that fits into most columns.
func HeadOf(s string, most int) string { return widths.Truncate(s, most, "") }

// MostName is the number of bytes of a tensor's name that reports keep. Published names have about
// 150 bytes.
const MostName = 300

// Shortened returns a name for reports. If it is longer than MostName bytes, its middle is
// replaced by an ellipsis, and its length is appended. A name may be as long as a header, and be
// part of a thousand findings, so a file of a megabyte could make a report of a gigabyte.
// Listings contain full names.
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
