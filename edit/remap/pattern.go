// Patterns of names.

package remap

import (
	"slices"
	"strings"
)

// A pattern is the name of a tensor, with placeholders.
type pattern struct {
	text   string
	pieces []piece
	star   bool // {*} occurs, before nothing but text
}

// A piece is text, or a placeholder.
type piece struct {
	text  string
	place byte // 0 for text
}

// anyText is the placeholder of any text.
const anyText = '*'

// suffixPlace is bound to what the name of a part of a packed weight has instead of ".weight".
const suffixPlace = '.'

// parsePattern parses a pattern. Braces around anything but one letter or a star are text.
func parsePattern(text string) pattern {
	p := pattern{text: text}
	for rest := text; rest != ""; {
		i := strings.IndexByte(rest, '{')
		for i >= 0 && !isPlace(rest[i:]) {
			next := strings.IndexByte(rest[i+1:], '{')
			if next < 0 {
				i = -1
				break
			}
			i += 1 + next
		}
		if i < 0 {
			p.pieces = append(p.pieces, piece{text: rest})
			break
		}
		if i > 0 {
			p.pieces = append(p.pieces, piece{text: rest[:i]})
		}
		p.pieces = append(p.pieces, piece{place: rest[i+1]})
		p.star = p.star || rest[i+1] == anyText
		rest = rest[i+3:]
	}
	return p
}

// isPlace reports whether text begins with a placeholder.
func isPlace(text string) bool {
	return len(text) > 2 && text[2] == '}' && (text[1] == anyText || 'a' <= text[1] && text[1] <= 'z')
}

// has reports whether the pattern has a placeholder.
func (p *pattern) has(place byte) bool {
	for _, one := range p.pieces {
		if one.place == place && place != 0 {
			return true
		}
	}
	return false
}

// repeats reports whether a placeholder is in two places.
func (p *pattern) repeats() bool {
	list := p.places()
	for i, place := range list {
		if slices.Contains(list[:i], place) {
			return true
		}
	}
	return false
}

// places returns the placeholders.
func (p *pattern) places() (list []byte) {
	for _, one := range p.pieces {
		if one.place != 0 {
			list = append(list, one.place)
		}
	}
	return list
}

// A binding is what placeholders stand for. There are few, so it is a list.
type binding []boundPlace

// A boundPlace is a placeholder and what it stands for.
type boundPlace struct {
	place byte
	text  string
}

// of returns what a placeholder stands for, and whether it is bound.
func (b binding) of(place byte) (string, bool) {
	for _, one := range b {
		if one.place == place {
			return one.text, true
		}
	}
	return "", false
}

// match returns what the placeholders stand for in a name, appended to b, and whether the name matches.
func (p *pattern) match(name string, b binding) (binding, bool) {
	for i, one := range p.pieces {
		n := 0
		switch one.place {
		case 0:
			var ok bool
			if name, ok = strings.CutPrefix(name, one.text); !ok {
				return b, false
			}
			continue
		case anyText:
			n = len(name)
			if i+1 < len(p.pieces) {
				n -= len(p.pieces[i+1].text)
			}
		default:
			for n < len(name) && isDigit(name[n]) {
				n++
			}
		}
		if n <= 0 {
			return b, false
		}
		if was, ok := b.of(one.place); !ok {
			b = append(b, boundPlace{one.place, name[:n]})
		} else if was != name[:n] {
			return b, false
		}
		name = name[n:]
	}
	return b, name == ""
}

// expand returns the name with what placeholders stand for.
func (p *pattern) expand(b binding) string {
	suffix, part := b.of(suffixPlace)
	if len(p.pieces) == 1 && p.pieces[0].place == 0 && !part {
		return p.text
	}
	var s strings.Builder
	for _, one := range p.pieces {
		s.WriteString(one.text)
		if one.place != 0 {
			text, ok := b.of(one.place)
			if !ok {
				text = "{" + string(one.place) + "}"
			}
			s.WriteString(text)
		}
	}
	if part {
		return strings.TrimSuffix(s.String(), ".weight") + suffix
	}
	return s.String()
}

// key returns the pattern with # for each number and placeholder, and for each # the number, or "" if it is a
// placeholder. A name has the key of each pattern without {*} that matches it.
func (p *pattern) key() (key string, numbers []string) {
	var b []byte
	for _, one := range p.pieces {
		if one.place != 0 {
			b, numbers = append(b, '#'), append(numbers, "")
		} else {
			b, numbers = appendKey(b, numbers, one.text)
		}
	}
	return string(b), numbers
}

// appendKey appends the key of a name: the name with # for each number. It also appends the numbers.
func appendKey(b []byte, numbers []string, name string) ([]byte, []string) {
	for i := 0; i < len(name); i++ {
		n := i
		for n < len(name) && isDigit(name[n]) {
			n++
		}
		if n == i {
			c := name[i]
			if c == '#' {
				c = 0xff // which UTF-8 does not have
			}
			b = append(b, c)
			continue
		}
		b, numbers = append(b, '#'), append(numbers, name[i:n])
		i = n - 1
	}
	return b, numbers
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
