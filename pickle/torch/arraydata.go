// The data of NumPy arrays in pickles.

package torch

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/torch/internal/tree"
)

// arrayBytes returns the data of an array. Protocols below 3 store it as a str: Python 2 as it is, Python 3 through a
// call that encodes it, or that returns no bytes.
func (b *builder) arrayBytes(v pickle.Value) (*storage, error) {
	if c, ok := v.Called(); ok {
		switch tree.CalledName(c) {
		case "_codecs.encode":
			if codec, _ := c.Args().Item(1).Str(); codec == "latin1" || codec == "latin-1" {
				return b.once(c.Args().Item(0), latin1)
			}
		case "builtins.bytes":
			if c.Args().Len() == 0 {
				return &storage{key: "of an array", r: strings.NewReader("")}, nil
			}
		}
	}
	data := v.Data()
	if data == nil {
		return nil, refuse("the data of an array is %s instead of bytes", tree.WhatIs(v))
	}
	return &storage{key: "of an array", r: data, size: data.Size()}, nil
}

// latin1 returns the bytes that the characters of a str encode.
func latin1(v pickle.Value) (*storage, error) {
	data := v.Data()
	if data == nil {
		return nil, refuse("the data of an array is %s instead of a str", tree.WhatIs(v))
	}
	t := &latin1Text{text: data}
	if err := t.measure(); err != nil {
		return nil, err
	}
	return &storage{key: "of an array", r: t, size: t.size}, nil
}

// A latin1Text provides the bytes for a UTF-8 text of characters up to U+00FF, which have one or two bytes in it.
type latin1Text struct {
	text  *io.SectionReader
	size  int64
	index []int64 // offsets in the text of the bytes 0, latin1Step, 2*latin1Step, …
}

const latin1Step = 16 << 10

// measure sets the size and the index.
func (t *latin1Text) measure() error {
	return t.from(0, func(_ byte, off int64) bool {
		if t.size%latin1Step == 0 {
			t.index = append(t.index, off)
		}
		t.size++
		return true
	})
}

// from calls yield with each byte, starting with the one at off in the text, and that offset, until it returns false.
func (t *latin1Text) from(off int64, yield func(b byte, off int64) bool) error {
	buf := make([]byte, 32<<10)
	for off < t.text.Size() {
		n, err := t.text.ReadAt(buf, off)
		if n == 0 {
			return err
		}
		i := 0
		for i < n {
			b, width := buf[i], 1
			if b >= 0x80 {
				if i+1 == n && off+int64(n) < t.text.Size() {
					break // the next block has the other half
				}
				if b&^1 != 0xc2 || i+1 == n || buf[i+1]&0xc0 != 0x80 {
					c, _ := utf8.DecodeRune(buf[i:n])
					return refuse("the data of an array contains the character %U, which is not a byte", c)
				}
				b, width = b<<6|buf[i+1]&0x3f, 2
			}
			if !yield(b, off+int64(i)) {
				return nil
			}
			i += width
		}
		off += int64(i)
	}
	return nil
}

// ReadAt implements io.ReaderAt.
func (t *latin1Text) ReadAt(b []byte, off int64) (n int, err error) {
	part, end := bytesio.Clip(b, off, t.size)
	if len(part) == 0 {
		return 0, end
	}
	skip := off % latin1Step
	err = t.from(t.index[off/latin1Step], func(c byte, _ int64) bool {
		if skip > 0 {
			skip--
			return true
		}
		part[n] = c
		n++
		return n < len(part)
	})
	switch {
	case err != nil:
		return n, err
	case n < len(part):
		return n, io.ErrUnexpectedEOF // the file was changed
	}
	return n, end
}
