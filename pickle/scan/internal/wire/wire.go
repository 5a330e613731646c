// The encoding of protocol buffers, read field by field.

// Package wire reads protocol buffers without their descriptions: fields with their numbers, types
// and places. It reads from a file, keeps only a few kilobytes in memory and skips what the caller
// does not ask for, so the size of a message does not matter.
package wire

import (
	"errors"
	"io"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
)

// The types of fields.
const (
	Varint  = 0
	Fixed64 = 1
	Bytes   = 2 // a string, a message, or packed numbers
	Begin   = 3 // the start of a group, an obsolete form of a message
	End     = 4
	Fixed32 = 5
)

// ErrInvalid says that the data is not a protocol buffer.
var ErrInvalid = errors.New("the data is not a protocol buffer")

// A File is a file with messages. It must not be used concurrently.
type File struct {
	Size int64
	// Spend takes work from a budget and reports whether some is left. A field costs at least four units.
	Spend func(int64) bool

	window *bytesio.Window
	last   int64 // offset of the field that was read last
}

// NewFile returns a File of the given size.
func NewFile(r io.ReaderAt, size int64, spend func(int64) bool) *File {
	return &File{Size: size, Spend: spend, window: bytesio.NewWindow(r, size)}
}

// A Field is a field of a message.
type Field struct {
	Num   int    // its number, at least 1
	Type  int    // one of the constants
	Value uint64 // of a number, or the length of Bytes
	At    int64  // offset of its tag
	Span         // of the value; of a group, without its end
}

// A Span is a range of a file that contains a message or a value.
type Span = evidence.Span

// All returns the span of the whole file.
func (f *File) All() Span { return Span{End: f.Size} }

// Next returns the field at s.Pos and moves s behind it. At the end of the span the error is
// io.EOF. Other errors are ErrInvalid, evidence.ErrBudget and read errors.
func (f *File) Next(s *Span) (Field, error) {
	if s.Pos >= s.End {
		return Field{}, io.EOF
	}
	field, err := f.field(s)
	if err == nil && field.Type == End {
		err = ErrInvalid
	}
	if err != nil || field.Type != Begin {
		return field, err
	}
	field.Pos = s.Pos
	for open := []int{field.Num}; len(open) > 0; {
		const deepest = 100 // as for parsers of protocol buffers
		inner, err := f.field(s)
		switch {
		case err != nil:
			return field, err
		case inner.Type == Begin && len(open) == deepest:
			return field, ErrInvalid
		case inner.Type == Begin:
			open = append(open, inner.Num)
		case inner.Type == End && inner.Num != open[len(open)-1]:
			return field, ErrInvalid
		case inner.Type == End:
			open = open[:len(open)-1]
			field.End = inner.At
		}
	}
	return field, nil
}

// field reads a field. It does not look into groups.
func (f *File) field(s *Span) (Field, error) {
	if !f.pay(s.Pos) {
		return Field{}, evidence.ErrBudget
	}
	field := Field{At: s.Pos}
	tag, err := f.varint(s)
	if err != nil {
		return field, err
	}
	const most = 1<<29 - 1 // the largest number of a field
	if tag>>3 == 0 || tag>>3 > most {
		return field, ErrInvalid
	}
	field.Num, field.Type = int(tag>>3), int(tag&7)
	size := int64(0)
	switch field.Type {
	case Varint, Bytes:
		if field.Type == Varint {
			field.Pos = s.Pos
		}
		if field.Value, err = f.varint(s); err != nil {
			return field, err
		}
		if field.Type == Varint {
			field.Span.End = s.Pos
			return field, nil
		}
		if field.Value > uint64(s.End-s.Pos) {
			return field, ErrInvalid
		}
		size = int64(field.Value)
	case Fixed64:
		size = 8
	case Fixed32:
		size = 4
	case Begin, End:
	default:
		return field, ErrInvalid
	}
	if size > s.End-s.Pos {
		return field, ErrInvalid
	}
	field.Span = Span{Pos: s.Pos, End: s.Pos + size}
	s.Pos += size
	return field, nil
}

// pay takes the cost of reading at an offset from the budget. Reading elsewhere than before costs
// more.
func (f *File) pay(at int64) bool {
	cost := int64(4)
	if at < f.last || at > f.last+bytesio.WindowSize {
		cost = 60
	}
	f.last = at
	return f.Spend(cost)
}

// varint reads a number of up to ten bytes.
func (f *File) varint(s *Span) (uint64, error) {
	const longest = 10
	b, err := f.window.At(s.Pos, int(min(longest, s.End-s.Pos)))
	if err != nil {
		return 0, err
	}
	v := uint64(0)
	for i, c := range b {
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			s.Pos += int64(i) + 1
			return v, nil
		}
	}
	return 0, ErrInvalid
}

// Read returns the first n bytes of a span, or all of a shorter one, as a copy.
func (f *File) Read(s Span, n int) ([]byte, error) {
	n = int(min(int64(n), s.Len()))
	if !f.Spend(int64(n) / 8) {
		return nil, evidence.ErrBudget
	}
	b, err := f.window.At(s.Pos, n)
	return append([]byte(nil), b...), err
}

// Valid reports whether the whole file is a sequence of fields, without looking into them.
func (f *File) Valid() (bool, error) {
	s := f.All()
	for {
		switch _, err := f.Next(&s); {
		case err == io.EOF:
			return f.Size > 0, nil
		case err == ErrInvalid:
			return false, nil
		case err != nil:
			return false, err
		}
	}
}
