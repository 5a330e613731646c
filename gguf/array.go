// Arrays in the metadata.

package gguf

import (
	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
)

// array reads an array without keeping its elements. Nested arrays are on a stack: files nest them hundreds deep.
func (p *parser) array(key string) (Value, error) {
	elem, n, err := p.arrayHead(key)
	if err != nil {
		return Value{}, err
	}
	v := Value{Kind: Array, Elem: elem, Len: int64(n), Span: safetensors.Span{Begin: p.at}}
	if elem == Array {
		p.found.Add(RuleNestedArray, "", span(p.at-4-int64(p.length), p.at), "the value of %s is an array of arrays",
			wording.Quote(key))
	}
	var open []uint64 // how many elements of each open array of arrays are left
	for {
		if elem == Array {
			if len(open) == mostNesting {
				p.found.Add(RuleNesting, "", span(p.at-4-int64(p.length), p.at),
					"the arrays of %s are nested more than %d deep",
					wording.Quote(key), mostNesting)
				return Value{}, errStop
			}
			open = append(open, n)
		} else if err := p.elements(key, elem, n); err != nil {
			return Value{}, err
		}
		for len(open) > 0 && open[len(open)-1] == 0 {
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			v.Span.End = p.at
			return v, nil
		}
		open[len(open)-1]--
		if p.nested++; p.nested > mostNested {
			p.found.Add(RuleNesting, "", span(p.at, p.at), "the arrays of %s have more than %d arrays in them",
				wording.Quote(key), mostNested)
			return Value{}, errStop
		}
		if elem, n, err = p.arrayHead(key); err != nil {
			return Value{}, err
		}
	}
}

// arrayHead reads the type and the number of the elements of an array.
func (p *parser) arrayHead(key string) (elem Kind, n uint64, err error) {
	begin := p.at
	kind, err := p.uint(4)
	if err != nil {
		return 0, 0, err
	}
	if n, err = p.uint(p.length); err != nil {
		return 0, 0, err
	}
	elem = Kind(kind)
	if !elem.known() {
		p.found.Add(RuleValueType, "", span(begin, begin+4),
			"the elements of %s have the type %d, which is not defined", wording.Quote(key), kind)
		return 0, 0, errStop
	}
	least := uint64(elem.size())
	switch elem {
	case String:
		least = uint64(p.length)
	case Array:
		least = 4 + uint64(p.length)
	}
	if n > uint64(p.left())/least {
		rule := RuleArrayLength
		if n < uint64(p.left()) && elem.size() == 0 {
			rule = RuleTruncated
		}
		p.found.Add(rule, "", span(begin+4, p.at),
			"an array of %s claims %d elements of type %v, and %d bytes follow in the file", wording.Quote(key), n,
			elem, p.left())
		return 0, 0, errStop
	}
	return elem, n, nil
}

// elements passes the elements of an array.
func (p *parser) elements(key string, elem Kind, n uint64) error {
	switch {
	case elem == String:
		for range n {
			size, err := p.uint(p.length)
			if err != nil {
				return err
			}
			if size > uint64(p.left()) {
				p.found.Add(RuleTruncated, "", span(p.at-int64(p.length), p.at),
					"a string in %s claims %d bytes, and %d follow in the file", wording.Quote(key), size, p.left())
				return errStop
			}
			p.at += int64(size)
		}
		return nil
	case elem == Bool && p.all:
		return p.bools(key, int64(n))
	}
	p.at += int64(n) * int64(elem.size())
	return nil
}

// bools passes an array of bools, and looks for others than 0 and 1.
func (p *parser) bools(key string, n int64) error {
	for end := p.at + n; p.at < end; {
		b, err := p.next(int(min(end-p.at, mostShort)))
		if err != nil {
			return err
		}
		for i, c := range b {
			if c > 1 {
				at := p.at - int64(len(b)-i)
				p.found.Add(RuleBool, "", span(at, at+1), "the array %s has the bool %d", wording.Quote(key), c)
				p.at = end
				return nil
			}
		}
	}
	return nil
}
