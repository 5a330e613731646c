// The data of NumPy arrays in pickles.

package torch

import (
	"bufio"
	"io"
	"strings"

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
	open := func() (io.Reader, error) {
		return &latin1Reader{bufio.NewReader(io.NewSectionReader(data, 0, data.Size()))}, nil
	}
	r, _ := open()
	size, err := io.Copy(io.Discard, r)
	if err != nil {
		return nil, err
	}
	bytes := sequential("an array", size, open)
	return &storage{key: "of an array", r: bytes, size: size, unpacked: true}, nil
}

// A latin1Reader converts UTF-8 text to Latin-1.
type latin1Reader struct{ text *bufio.Reader }

// Read implements io.Reader.
func (l *latin1Reader) Read(b []byte) (n int, err error) {
	for n < len(b) {
		c, _, err := l.text.ReadRune()
		if err != nil {
			return n, err
		}
		if c > 0xff {
			return n, refuse("the data of an array contains the character %U, which is not a byte", c)
		}
		b[n] = byte(c)
		n++
	}
	return n, nil
}
