package sstable

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// block returns a block of entries without shared prefixes, and its trailer.
func block(entries ...[2]string) []byte {
	var b []byte
	for _, e := range entries {
		b = append(b, 0, byte(len(e[0])), byte(len(e[1])))
		b = append(append(b, e[0]...), e[1]...)
	}
	b = append(b, 0, 0, 0, 0, 1, 0, 0, 0) // one restart, at 0
	return append(b, 0, 1, 2, 3, 4)
}

func handles(values ...int) []byte {
	var b []byte
	for _, v := range values {
		b = binary.AppendUvarint(b, uint64(v))
	}
	return b
}

// table returns a table with the given blocks.
func build(blocks ...[]byte) []byte {
	var b []byte
	var list [][2]string
	for _, one := range blocks {
		list = append(list, [2]string{"k", string(handles(len(b), len(one)-trailer))})
		b = append(b, one...)
	}
	meta, index := block(), block(list...)
	footer := append(handles(len(b), len(meta)-trailer), handles(len(b)+len(meta), len(index)-trailer)...)
	b = append(append(b, meta...), index...)
	footer = append(footer, make([]byte, footerSize-len(magic)-len(footer))...)
	return append(append(b, footer...), magic...)
}

func TestValid(t *testing.T) {
	valid := func(b []byte) bool {
		ok, err := Valid(bytes.NewReader(b), int64(len(b)), func(int64) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	whole := build(block([2]string{"", "\x08\x01"}, [2]string{"weight", "\x08\x01\x12\x02"}), block([2]string{"x", "y"}))
	if !valid(whole) {
		t.Fatal("a table is not valid")
	}
	for what, b := range map[string][]byte{
		"the magic alone": append(bytes.Repeat([]byte("x"), 100), magic...), "a byte before it": append([]byte{0}, whole...),
		"a byte after it": append(bytes.Clone(whole), 0), "nothing": nil, "no blocks": append(bytes.Repeat([]byte("x"), 40), build()...),
		"other bytes as a block": build([]byte("\xa7\x0d\x0d\x0a\x00\x00\x00\x00and code of Python, which is no block......")),
	} {
		if valid(b) {
			t.Errorf("%s is valid", what)
		}
	}
	for i := range whole { // no panic, whatever is changed
		b := bytes.Clone(whole)
		b[i] ^= 0x80
		valid(b)
		valid(b[:i])
	}
}
