// Headers of one block.

package tarwalk

import (
	"bytes"
	"strings"
)

// A header is a parsed header block.
type header struct {
	name, link string
	kind       byte
	size       int64
	odd        string // why readers may disagree about it, "" if they do not
}

// parse parses a header as Python does; ok is false if the checksum is wrong. The checksum is the sum of all bytes,
// with its own bytes counted as spaces. Old writers summed signed bytes. Python requires no magic.
func parse(b []byte) (*header, bool) {
	const sumBegin, sumEnd = 148, 156
	var unsigned, signed int64
	for i, c := range b {
		if i >= sumBegin && i < sumEnd {
			c = ' '
		}
		unsigned += int64(c)
		signed += int64(int8(c))
	}
	sum := b[sumBegin:sumEnd]
	want, ok := number(sum)
	if other := strict(sum); (!ok || want != unsigned && want != signed) && other != unsigned && other != signed {
		return nil, false
	}
	h := &header{name: text(b[:100]), kind: b[156], link: text(b[157:257])}
	h.size, ok = number(b[124:136])
	if !ok || h.size < 0 || h.size != strict(b[124:136]) {
		h.odd = "has a size that readers read differently or not at all"
	}
	if h.kind == 0 && strings.HasSuffix(h.name, "/") {
		h.kind = '5' // as before POSIX
	}
	prefix := text(b[345:500])
	switch {
	case prefix == "" || h.kind == 'L' || h.kind == 'K' || h.kind == 'S':
	case string(b[257:263]) == "ustar ": // GNU's, which has other fields at this place
		h.odd = "has a name that readers read differently"
	default:
		h.name = prefix + "/" + h.name
	}
	return h, true
}

// text returns a field up to its first NUL.
func text(b []byte) string {
	b, _, _ = bytes.Cut(b, []byte{0})
	return string(b)
}
