// The index of a map: which rules may have a name, without a look at the others.

package remap

import (
	"slices"
	"strings"
)

// An index has the patterns of the names before a map is applied.
type index struct {
	keyed map[string][]bucket // those without {*}, by their key
	heads map[string][]bucket // the others, by the key of what is before {*}
	sizes []int               // of the keys of heads
}

// A bucket is patterns of one key that have placeholders in the same places, by the numbers in the other places and by
// what is after {*}.
type bucket struct {
	numbers []string // of the first of them
	byText  map[string][]entry
	tails   []int // sizes of what is after {*}
}

// text returns numbers of a name that has the key, without those in the places of placeholders.
func (b *bucket) text(to []byte, numbers []string) []byte {
	for i, place := range b.numbers {
		if place != "" {
			to = append(append(to, numbers[i]...), '.')
		}
	}
	return to
}

func newIndex(size int) index {
	return index{keyed: make(map[string][]bucket, size), heads: make(map[string][]bucket)}
}

// put adds a pattern of the rules. Of equal patterns the first counts; those that differ only in which placeholders they
// have are equal, too, unless one is in two places.
func (x *index) put(p *pattern, e entry, rules []rule) {
	buckets, tail := x.keyed, ""
	key, numbers := p.key()
	if p.star {
		buckets = x.heads
		key, numbers, tail = p.ends()
	}
	list := buckets[key]
	i := slices.IndexFunc(list, func(b bucket) bool {
		return slices.EqualFunc(b.numbers, numbers, func(x, y string) bool { return (x == "") == (y == "") })
	})
	if i < 0 {
		i, list = len(list), append(list, bucket{numbers: numbers, byText: make(map[string][]entry)})
		buckets[key] = list
	}
	b := &list[i]
	if p.star && !slices.Contains(b.tails, len(tail)) {
		b.tails = append(b.tails, len(tail))
	}
	text := string(b.text(nil, numbers)) + tail
	same := b.byText[text]
	if n := len(same); n == 0 || p.star || rules[same[n-1].rule].from[same[n-1].from].repeats() {
		b.byText[text] = append(same, e)
	}
}

// finish is called after the last put.
func (x *index) finish() {
	for key := range x.heads {
		if !slices.Contains(x.sizes, len(key)) {
			x.sizes = append(x.sizes, len(key))
		}
	}
	slices.Sort(x.sizes)
}

// ends returns the key of what is before {*}, its numbers, and the text after {*}. A number at the end of what is before
// does not count, because {*} can begin with a digit.
func (p *pattern) ends() (key string, numbers []string, tail string) {
	var b []byte
	for _, one := range p.pieces {
		switch {
		case one.place == anyText:
			key = strings.TrimSuffix(string(b), "#")
			tail = p.pieces[len(p.pieces)-1].text
			return key, numbers[:strings.Count(key, "#")], tail
		case one.place != 0:
			b, numbers = append(b, '#'), append(numbers, "")
		default:
			b, numbers = appendKey(b, numbers, one.text)
		}
	}
	return string(b), numbers, ""
}

// A finder finds the rules of names. It has memory to work in.
type finder struct {
	*Map
	key, text []byte
	numbers   []string
	room      binding
}

// find returns the first rule that has a name, and what its placeholders are.
func (f *finder) find(name string) (best entry, bound binding, found bool) {
	try := func(e entry) {
		if found && e.rule >= best.rule {
			return
		}
		if b, ok := f.rules[e.rule].from[e.from].match(name, f.room[:0]); ok {
			best, bound, found = e, slices.Clone(b), true
		}
	}
	f.key, f.numbers = appendKey(f.key[:0], f.numbers[:0], name)
	for i := range f.keyed[string(f.key)] {
		b := &f.keyed[string(f.key)][i]
		f.text = b.text(f.text[:0], f.numbers)
		for _, e := range b.byText[string(f.text)] {
			try(e)
		}
	}
	for _, n := range f.sizes {
		if n > len(f.key) {
			break
		}
		for i := range f.heads[string(f.key[:n])] {
			b := &f.heads[string(f.key[:n])][i]
			f.text = b.text(f.text[:0], f.numbers)
			for numbers, i := len(f.text), 0; i < len(b.tails); i++ {
				if n := b.tails[i]; n < len(name) {
					f.text = append(f.text[:numbers], name[len(name)-n:]...)
					for _, e := range b.byText[string(f.text)] {
						try(e)
					}
				}
			}
		}
	}
	if !found && f.Companions {
		return f.companion(name)
	}
	return best, bound, found
}
