// The encoding of Parquet's footer: the compact protocol of Thrift.

package columnar

import (
	"encoding/binary"
	"errors"
)

var errThrift = errors.New("the footer is not valid")

// Types of fields.
const (
	isTrue   = 1
	isFalse  = 2
	isByte   = 3
	isI16    = 4
	isI32    = 5
	isI64    = 6
	isDouble = 7
	isBinary = 8
	isList   = 9
	isSet    = 10
	isMap    = 11
	isStruct = 12
	isUUID   = 13
)

// A thrift is a cursor in a message.
type thrift struct {
	b     []byte
	at    int
	spend func(int64) bool
}

func (t *thrift) varint() (uint64, error) {
	v, n := binary.Uvarint(t.b[t.at:])
	if n <= 0 {
		return 0, errThrift
	}
	t.at += n
	return v, nil
}

func (t *thrift) byte() (byte, error) {
	if t.at >= len(t.b) {
		return 0, errThrift
	}
	t.at++
	return t.b[t.at-1], nil
}

// field reads the head of a field. The type is 0 at the end of a struct.
func (t *thrift) field(last int) (id int, kind byte, err error) {
	b, err := t.byte()
	if err != nil || b == 0 {
		return 0, 0, err
	}
	if delta := b >> 4; delta != 0 {
		return last + int(delta), b & 15, nil
	}
	v, err := t.varint() // zigzag
	return int(v>>1) ^ -int(v&1), b & 15, err
}

// binary reads a string.
func (t *thrift) binary() ([]byte, error) {
	n, err := t.varint()
	if err != nil || n > uint64(len(t.b)-t.at) {
		return nil, errThrift
	}
	t.at += int(n)
	return t.b[t.at-int(n) : t.at], nil
}

// list reads the head of a list.
func (t *thrift) list() (n uint64, kind byte, err error) {
	b, err := t.byte()
	if err != nil {
		return 0, 0, err
	}
	n = uint64(b >> 4)
	if n == 15 {
		n, err = t.varint()
	}
	if n > uint64(len(t.b)-t.at) {
		err = errThrift
	}
	return n, b & 15, err
}

// A pending is a struct whose fields, or a list or map whose elements, are to be skipped.
type pending struct {
	kind  byte // of the elements
	value byte // of a map
	left  uint64
	end   bool // whether it is a struct
}

// skip skips a value.
func (t *thrift) skip(kind byte) error {
	todo, err := t.one(nil, kind, false)
	for err == nil && len(todo) > 0 {
		const deepest = 1000
		top := &todo[len(todo)-1]
		if !t.spend(1) || len(todo) > deepest {
			return errThrift
		}
		switch {
		case top.end:
			var inner byte
			if _, inner, err = t.field(0); err != nil || inner == 0 {
				todo = todo[:len(todo)-1]
				continue
			}
			todo, err = t.one(todo, inner, false)
		case top.left == 0:
			todo = todo[:len(todo)-1]
		default:
			top.left--
			k := top.kind
			if top.value != 0 && top.left%2 == 0 {
				k = top.value
			}
			todo, err = t.one(todo, k, true)
		}
	}
	return err
}

// one skips a simple value, or adds the parts of another to the list.
func (t *thrift) one(todo []pending, kind byte, element bool) ([]pending, error) {
	var err error
	size := 0
	switch kind {
	case isTrue, isFalse:
		if element {
			size = 1
		}
	case isByte:
		size = 1
	case isI16, isI32, isI64:
		_, err = t.varint()
	case isDouble:
		size = 8
	case isUUID:
		size = 16
	case isBinary:
		_, err = t.binary()
	case isList, isSet:
		p := pending{}
		p.left, p.kind, err = t.list()
		todo = append(todo, p)
	case isMap:
		var n uint64
		if n, err = t.varint(); err == nil && n > 0 {
			var kinds byte
			kinds, err = t.byte()
			todo = append(todo, pending{kind: kinds >> 4, value: kinds & 15, left: 2 * n})
		}
		if n > uint64(len(t.b)) {
			err = errThrift
		}
	case isStruct:
		todo = append(todo, pending{end: true})
	default:
		err = errThrift
	}
	if size > len(t.b)-t.at {
		return nil, errThrift
	}
	t.at += size
	return todo, err
}
