// Messages in messages.

package wire

import (
	"errors"
	"io"
)

// A Kind is a type of message, as the caller numbers them. 0 is none.
type Kind uint8

// A Schema says which fields of a message are messages or texts that matter, by kind.
type Schema []map[int]Kind

// of returns the fields of a kind of message that matter, nil if it is not to be entered.
func (s Schema) of(k Kind) map[int]Kind {
	if int(k) < len(s) {
		return s[k]
	}
	return nil
}

// An open message is read by Walk.
type open[C any] struct {
	Span
	kind Kind
	in   C
}

// Walk visits the messages of a file whose outermost message has the kind root. For each message it
// calls see with what see returned for the outer one, or with in. It enters the message if see
// returns true. The rest of a message that cannot be parsed is skipped, as programs differ in how
// they read it.
func Walk[C any](file *File, schema Schema, root Kind, in C,
	see func(k Kind, f Field, in C) (inner C, enter bool, err error),
) error {
	for stack := []open[C]{{file.All(), root, in}}; len(stack) > 0; {
		top := &stack[len(stack)-1]
		f, err := file.Next(&top.Span)
		if err == io.EOF || errors.Is(err, ErrInvalid) {
			stack = stack[:len(stack)-1]
			continue
		}
		if err != nil {
			return err
		}
		k := schema.of(top.kind)[f.Num]
		if k == 0 || f.Type != Bytes {
			continue
		}
		inner, enter, err := see(k, f, top.in)
		if err != nil {
			return err
		}
		const deepest = 1000 // parsers of protocol buffers stop at 100
		if enter && schema.of(k) != nil && len(stack) < deepest {
			stack = append(stack, open[C]{f.Span, k, inner})
		}
	}
	return nil
}

// Each calls see for the fields of a message.
func (f *File) Each(span Span, see func(Field) error) error {
	for {
		field, err := f.Next(&span)
		if err == io.EOF || errors.Is(err, ErrInvalid) {
			return nil
		}
		if err == nil {
			err = see(field)
		}
		if err != nil {
			return err
		}
	}
}

// EachOf calls see for the fields of a message that have the given number and are bytes: strings and
// messages.
func (f *File) EachOf(span Span, num int, see func(Field) error) error {
	return f.Each(span, func(field Field) error {
		if field.Num != num || field.Type != Bytes {
			return nil
		}
		return see(field)
	})
}

// MostText is the number of bytes of a name that are read.
const MostText = 4 << 10

// Text returns the last field of a message that has the given number and is bytes. Of long texts
// it returns the beginning.
func (f *File) Text(span Span, num int) (s string, err error) {
	err = f.EachOf(span, num, func(field Field) error {
		b, err := f.Read(field.Span, MostText)
		s = string(b)
		return err
	})
	return s, err
}
