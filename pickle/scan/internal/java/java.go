// Serialized Java objects: the classes that loading them makes.

// Package java finds the classes of which a stream of serialized Java objects makes objects,
// and says what is known of them.
package java

import (
	"bytes"
	"encoding/binary"
)

// The bytes of the Java Object Serialization Specification, 6.4.2, that matter here.
const (
	magic       = "\xac\xed\x00"
	tcClassDesc = 0x72 // and a name, eight bytes of a version, flags, and fields
	tcProxyDesc = 0x7d // and how many interfaces in four bytes, and their names
	tcEndBlock  = 0x78
	tcNull      = 0x70
	fieldsMin   = 8 + 1 + 2
)

// Version is the only version of a stream, which stands in its third and fourth byte.
const Version = 5

// Is goes by the magic, and by a version that is not far from the only one.
func Is(head []byte) bool {
	return len(head) > 4 && string(head[:3]) == magic && head[3] < 16
}

// A Search is a search for the classes of which a stream makes objects. Every description
// of a class is found by what it begins with, in the stream's structure or out of it: a
// stream that is damaged, or made so, still makes the objects before the damage.
type Search struct {
	Size  int64                       // of the stream
	Class func(name string, at int64) // told of each class, once
	Bare  func(name string)           // told of a description that ends the stream
	seen  map[string]bool
}

// In looks for descriptions of classes in bytes that begin at off of the stream. What
// reaches into another block has to be in both.
func (s *Search) In(b []byte, off int64) {
	for i := 0; i < len(b); i++ {
		at := off + int64(i)
		switch b[i] {
		case tcClassDesc:
			name, rest, ok := nameIn(b[i+1:])
			if !ok || len(rest) < fieldsMin {
				continue
			}
			s.class(name, at)
			// Without fields, the description ends with the end of its annotations and
			// of what it inherits, and the object's data is due.
			if fields := rest[fieldsMin-2:]; bytes.Equal(fields, []byte{0, 0, tcEndBlock, tcNull}) && at+int64(len(b)-i) == s.Size {
				s.Bare(name)
			}
		case tcProxyDesc:
			s.proxy(b[i+1:], at)
		}
	}
}

// proxy takes the description of a proxy: names of the interfaces that it has.
func (s *Search) proxy(b []byte, at int64) {
	const most = 64
	if len(b) < 4 {
		return
	}
	n := binary.BigEndian.Uint32(b)
	if n == 0 || n > most {
		return
	}
	var names []string
	for b = b[4:]; n > 0; n-- {
		name, rest, ok := nameIn(b)
		if !ok {
			return
		}
		names, b = append(names, name), rest
	}
	s.class("java.lang.reflect.Proxy", at)
	for _, name := range names {
		s.class(name, at)
	}
}

// class tells of a class, once.
func (s *Search) class(name string, at int64) {
	if s.seen[name] {
		return
	}
	if s.seen == nil {
		s.seen = make(map[string]bool)
	}
	s.seen[name] = true
	s.Class(name, at)
}

// nameIn reads the name of a class: its length in two bytes, and it. What is not a
// name in the form of a class is none.
func nameIn(b []byte) (name string, rest []byte, ok bool) {
	const most = 255
	if len(b) < 2 {
		return "", nil, false
	}
	n := int(binary.BigEndian.Uint16(b))
	if n < 2 || n > most || len(b) < 2+n {
		return "", nil, false
	}
	name = string(b[2 : 2+n])
	dotted := false
	for i, c := range name {
		switch {
		case c == '.' || c == '[' || c == ';':
			dotted = true
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '_', c == '$', c > 0x7f, '0' <= c && c <= '9' && i > 0:
		default:
			return "", nil, false
		}
	}
	// A class without a package is rare, and chance has short names.
	return name, b[2+n:], dotted || n > 6
}
