// Parsing what precedes the data.

package gguf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/wording"
)

const (
	magic      = "GGUF"
	prefixSize = 24      // bytes of magic, version and counts
	mostString = 1 << 30 // bytes; the limit of gguf.cpp
	mostName   = 65535   // bytes of a key; of a tensor, which has a lower limit, for messages
	mostRank   = 4

	// Models have some 50 keys and a few thousand tensors.
	mostKeys    = 1 << 16
	mostTensors = 1 << 20
	mostText    = 16 << 20 // bytes of names and short strings that are kept
	mostNesting = 16
	mostNested  = 1 << 16 // arrays in arrays
)

// errStop ends parsing after a violation that makes the rest unreadable.
var errStop = errors.New("stop")

// A parser reads a header and collects violations.
type parser struct {
	*cursor
	Header
	found    checkpoint.Findings
	complete bool  // the header was read to its end
	all      bool  // look for violations that readers of the tensors may ignore
	padding  bool  // read what is between the tensors
	room     int64 // bytes of names and short strings that may still be kept
	nested   int   // arrays in arrays
}

// parse reads the header of a file. The error is one of reading.
func parse(r io.ReaderAt, size int64, all bool) (*parser, error) {
	p := &parser{cursor: newCursor(r, size), all: all, found: findings(), complete: true, room: mostText}
	p.keys = make(map[string]int)
	err := p.header()
	switch {
	case errors.Is(err, errEnd):
		p.found.Add(RuleTruncated, "", span(p.at, size),
			"the file ends at byte %d, before the end of its header", size)
		p.complete = false
	case errors.Is(err, errStop):
		p.complete = false
	case err != nil:
		return p, err
	}
	return p, nil
}

func (p *parser) header() error {
	keys, tensors, err := p.prefix()
	if err != nil {
		return err
	}
	for range keys {
		if err := p.key(); err != nil {
			return err
		}
	}
	p.setAlignment(tensors)
	for range tensors {
		if err := p.tensor(); err != nil {
			return err
		}
	}
	return nil
}

// prefix reads the magic, the version and the numbers of keys and tensors.
func (p *parser) prefix() (keys, tensors uint64, err error) {
	b, err := p.next(int(min(p.size, 4)))
	if err != nil {
		return 0, 0, err
	}
	if string(b) != magic {
		p.found.Add(RuleMagic, "", span(0, int64(len(b))), "the file begins with %q, expected %q", b, magic)
		return 0, 0, errStop
	}
	if b, err = p.next(4); err != nil {
		return 0, 0, err
	}
	version := binary.LittleEndian.Uint32(b)
	if version&0xffff == 0 && version != 0 { // no version is that large, so the number is reversed
		p.BigEndian, p.order = true, binary.BigEndian
		version = binary.BigEndian.Uint32(b)
	}
	p.Version = int(version)
	if version != 2 && version != 3 {
		p.found.Add(RuleVersion, "", span(4, 8), "the version is %d", version)
		if p.length = 4; version != 1 {
			return 0, 0, errStop
		}
	}
	if tensors, err = p.uint(p.length); err != nil {
		return 0, 0, err
	}
	if keys, err = p.uint(p.length); err != nil {
		return 0, 0, err
	}
	switch {
	case keys > mostKeys:
		p.found.Add(RuleCounts, "", span(p.at-int64(p.length), p.at),
			"the file claims %d keys in %d bytes; the limit is %d keys",
			keys, p.left(), mostKeys)
		return 0, 0, errStop
	case tensors > mostTensors:
		p.found.Add(RuleCounts, "", span(8, 8+int64(p.length)),
			"the file claims %d tensors in %d bytes; the limit is %d tensors",
			tensors, p.left(), mostTensors)
		tensors = 0
		p.complete = false
	}
	return keys, tensors, nil
}

// stringLength reads the length of a string. The string itself is next.
func (p *parser) stringLength(what string) (int64, error) {
	begin := p.at
	n, err := p.uint(p.length)
	if err != nil {
		return 0, err
	}
	if n > uint64(p.left()) || n > mostString {
		p.found.Add(RuleStringLength, "", span(begin, p.at),
			"%s claims %d bytes, and %d follow in the file", what, n, p.left())
		return 0, errStop
	}
	return int64(n), nil
}

// name reads the name of a key or a tensor.
func (p *parser) name(what string) (string, error) {
	n, err := p.stringLength(what)
	if err != nil {
		return "", err
	}
	if p.room -= min(n, mostName); p.room < 0 {
		p.found.Add(RuleCounts, "", span(p.at-int64(p.length), p.at),
			"the names of keys and tensors take more than %d bytes",
			mostText)
		return "", errStop
	}
	b, err := p.next(int(min(n, mostName)))
	if err != nil {
		return "", err
	}
	name := string(b)
	p.at += n - int64(len(b))
	if int64(len(b)) < n {
		name += "…"
	}
	return name, nil
}

// key reads a key and its value.
func (p *parser) key() error {
	begin := p.at
	name, err := p.name(fmt.Sprintf("the name of key %d", len(p.Keys)))
	if err != nil {
		return err
	}
	at := span(begin, p.at)
	switch {
	case !utf8.ValidString(name):
		p.found.Add(RuleKeyText, "", at, "the key %s is not UTF-8", wording.Quote(name))
	case !keyName(name):
		p.found.Add(RuleKeyName, "", at, "the key %s is not segments of a-z, 0-9 and _ with dots between them",
			wording.Quote(name))
	}
	kind, err := p.uint(4)
	if err != nil {
		return err
	}
	v, err := p.value(Kind(kind), name)
	if err != nil {
		return err
	}
	if _, ok := p.keys[name]; ok {
		p.found.Add(RuleDuplicateKey, "", at, "the key %s occurs more than once", wording.Quote(name))
	} else {
		p.keys[name] = len(p.Keys)
	}
	p.Keys = append(p.Keys, Key{name, v, span(begin, p.at)})
	return nil
}

// keyName reports whether a name is a key by the specification.
func keyName(name string) bool {
	segment := false // whether the current one has a character
	for _, c := range []byte(name) {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '_', c == '-': // "-" is in names of architectures
			segment = true
		case c == '.' && segment:
			segment = false
		default:
			return false
		}
	}
	return segment && len(name) <= mostName
}

// value reads the value of a key.
func (p *parser) value(kind Kind, key string) (Value, error) {
	at := span(p.at-4, p.at)
	switch {
	case !kind.known():
		p.found.Add(RuleValueType, "", at, "the key %s has a value of the type %d, which is not defined",
			wording.Quote(key), uint32(kind))
		return Value{}, errStop
	case kind == String:
		return p.text(key)
	case kind == Array:
		return p.array(key)
	}
	bits, err := p.uint(kind.size())
	if err != nil {
		return Value{}, err
	}
	if kind == Bool && bits > 1 {
		p.found.Add(RuleBool, "", span(p.at-1, p.at), "the key %s is the bool %d", wording.Quote(key), bits)
	}
	return number(kind, bits), nil
}

// text reads a string, and keeps it if it is short.
func (p *parser) text(key string) (Value, error) {
	n, err := p.stringLength("the value of " + wording.Quote(key))
	if err != nil {
		return Value{}, err
	}
	v := Value{Kind: String, Len: n, Span: span(p.at, p.at+n)}
	if v.kept = n <= mostShort && n <= p.room; !v.kept {
		return v, p.longText(key, v.Span)
	}
	p.room -= n
	b, err := p.next(int(n))
	if err != nil {
		return Value{}, err
	}
	if v.text = string(b); !utf8.Valid(b) {
		p.found.Add(RuleUTF8, "", v.Span, "the value of %s is not UTF-8", wording.Quote(key))
	}
	return v, nil
}

// longText skips a string, and checks that it is UTF-8 if all violations are wanted.
func (p *parser) longText(key string, at safetensors.Span) error {
	for valid := p.all; valid && p.at < at.End; {
		n := int(min(at.End-p.at, mostShort))
		b, err := p.next(n)
		if err != nil {
			return err
		}
		for len(b) > 0 {
			r, size := utf8.DecodeRune(b)
			if r == utf8.RuneError && size == 1 {
				if !utf8.FullRune(b) && p.at < at.End {
					p.at -= int64(len(b)) // the rest is in the next part
				} else {
					p.found.Add(RuleUTF8, "", at, "the value of %s is not UTF-8", wording.Quote(key))
					valid = false
				}
				break
			}
			b = b[size:]
		}
	}
	p.at = at.End
	return nil
}

// setAlignment finds the alignment, which holds for the start of the data and for each tensor.
func (p *parser) setAlignment(tensors uint64) {
	const key, usual = "general.alignment", 32
	p.Alignment = usual
	i, ok := p.keys[key]
	if !ok {
		return
	}
	v, at := p.Keys[i].Value, p.Keys[i].Span
	n, _ := v.Uint()
	switch {
	case v.Kind != Uint32:
		p.found.Add(RuleAlignment, "", at, "%s is a %v instead of a u32", key, v.Kind)
	case n == 0 || n&(n-1) != 0:
		p.found.Add(RuleAlignment, "", at, "%s is %d, which is not a power of two", key, n)
	case tensors > 0 && int64(n) > p.size:
		p.found.Add(RuleAlignment, "", at, "%s is %d, and the file has %d bytes", key, n, p.size)
	case n%8 != 0 || int64(n) > p.size:
		p.found.Add(RuleOddAlignment, "", at, "%s is %d", key, n)
		p.Alignment = int64(n)
	default:
		p.Alignment = int64(n)
	}
}
