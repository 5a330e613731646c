// Class descriptions in streams of serialized Java objects.

// Package java finds the classes in a stream of serialized Java objects and says what is known
// about them.
package java

import (
	"bytes"
	"encoding/binary"
)

// Constants of the Java Object Serialization Specification, section 6.4.2.
const (
	magic       = "\xac\xed\x00"
	tcClassDesc = 0x72 // followed by a name, a version of eight bytes, flags and fields
	tcProxyDesc = 0x7d // followed by a count of four bytes and the names of the interfaces
	tcEndBlock  = 0x78
	tcNull      = 0x70
	fieldsMin   = 8 + 1 + 2
)

// Version is the only version of streams, in bytes 2 and 3.
const Version = 5

// Is reports whether head begins with the magic number and a plausible version.
func Is(head []byte) bool {
	return len(head) > 4 && string(head[:3]) == magic && head[3] < 16
}

// A Search finds the classes in a stream. It searches for the beginnings of class
// descriptions rather than parse the stream: a damaged stream still creates the objects
// before the damage.
type Search struct {
	Size  int64                       // of the stream
	Class func(name string, at int64) // called once for each class
	Bare  func(name string)           // called for a description at the end of the stream
	seen  map[string]bool
}

// In searches bytes at off of the stream. Blocks must overlap by the length of a
// description.
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
			// Without fields, the description ends after its annotations and its super
			// class, and the object's data must follow.
			if fields := rest[fieldsMin-2:]; bytes.Equal(fields, []byte{0, 0, tcEndBlock, tcNull}) &&
				at+int64(len(b)-i) == s.Size {
				s.Bare(name)
			}
		case tcProxyDesc:
			s.proxy(b[i+1:], at)
		}
	}
}

// proxy reports the interfaces of a proxy description.
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

// class reports a class once.
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

// nameIn reads the name of a class after its length of two bytes. It returns "" unless the
// name is valid for a class.
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
	// Classes without a package are rare, and short names occur by chance.
	return name, b[2+n:], dotted || n > 6
}
