// Texts in a pickle that may be pickles themselves.

// Package embedded finds the texts of a pickle that may be pickles or archives, also in encoded form.
package embedded

import (
	"bytes"
	"io"

	"github.com/weightools/safetensors/pickle/internal/guise"
	"github.com/weightools/safetensors/pickle/internal/heap"
)

// maxDecoded is the maximum number of bytes of a text that are decoded.
const maxDecoded = 1 << 20

// A Text is the contents of a str, bytes or bytearray that may be a pickle.
type Text struct {
	Offset  int64 // in the file, or of the instruction that creates it
	Data    io.ReaderAt
	Size    int64
	Archive bool
	Decoded bool // Data is not stored literally in the file
}

// Stored returns the text of a size at an offset of a file, which begins with head. ok is false if it is no pickle.
func Stored(file io.ReaderAt, head []byte, off, size int64) (t Text, ok bool) {
	t = Text{Offset: off, Size: size}
	whole := int64(len(head)) == size
	switch form := guise.Of(head); {
	case form == guise.Nothing:
		return t, false
	case form == guise.Encoded && !whole:
		text := make([]byte, min(size, maxDecoded))
		n, _ := file.ReadAt(text, off)
		return Converted(guise.Decode(text[:n]), off)
	case form == guise.Encoded:
		return Converted(guise.Decode(head), off)
	case whole:
		t.Data, t.Archive = bytes.NewReader(bytes.Clone(head)), form == guise.Archive
	default:
		t.Data, t.Archive = io.NewSectionReader(file, off, size), form == guise.Archive
	}
	return t, true
}

// Written returns a text that the instruction at an offset writes with escapes. ok is false if it is no pickle.
func Written(b []byte, off int64) (t Text, ok bool) {
	switch guise.Of(b) {
	case guise.Nothing:
		return t, false
	case guise.Encoded:
		return Converted(guise.Decode(b), off)
	}
	return Converted(bytes.Clone(b), off)
}

// Converted returns a text that is no longer encoded, and keeps b. ok is false if it is no pickle.
func Converted(b []byte, off int64) (t Text, ok bool) {
	form := guise.Of(b)
	t = Text{Offset: off, Data: bytes.NewReader(b), Size: int64(len(b)), Decoded: true, Archive: form == guise.Archive}
	return t, form == guise.Raw || form == guise.Archive
}

// Loaded returns the contents of bytes that the instruction at an offset passes to a loader of pickles.
func Loaded(v heap.Value, off int64) Text {
	if c, ok := v.Called(); ok { // which encodes a str
		s, _ := c.Args().Item(0).Str()
		t, _ := Converted(guise.Latin1(s), off)
		t.Archive = false
		return t
	}
	data := v.Data()
	return Text{Offset: off, Data: data, Size: data.Size(), Decoded: true}
}
