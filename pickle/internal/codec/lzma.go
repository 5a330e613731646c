// LZMA, as liblzma detects it.

package codec

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/weightools/safetensors/pickle/internal/lzma"
)

// isLZMA detects a .lzma file with the default properties, by the rules of liblzma's auto decoder (alone_decoder.c): a
// dictionary size of 2^n or 2^n + 2^(n-1), with 0 among them, an uncompressed size below 256 GiB or unknown, and a
// first data byte of 0. joblib wants a 0 at the second byte, too; other programs do not.
func isLZMA(head []byte) bool {
	if len(head) < 14 || head[0] != 0x5d || head[13] != 0 {
		return false
	}
	dictionary := binary.LittleEndian.Uint32(head[1:])
	d := dictionary - 1
	for _, shift := range [...]int{2, 3, 4, 8, 16} {
		d |= d >> shift
	}
	const most = 1 << 38
	size := binary.LittleEndian.Uint64(head[5:])
	return (d+1 == dictionary || dictionary == 1<<32-1) && (size < most || size == 1<<64-1)
}

// openLZMA returns a reader of all concatenated .lzma files, which Python's module lzma reads as one.
func openLZMA(in *Source) (io.Reader, error) {
	r, err := lzma.NewReader(in)
	if err != nil {
		return nil, err
	}
	in.Files = 1
	return &lzmaFiles{in: in, data: r}, nil
}

// lzmaFiles reads concatenated .lzma files.
type lzmaFiles struct {
	in   *Source
	data io.Reader
}

// Read implements io.Reader.
func (l *lzmaFiles) Read(b []byte) (int, error) {
	n, err := l.data.Read(b)
	if n > 0 || !errors.Is(err, io.EOF) {
		return n, err
	}
	if head, _ := l.in.in.Peek(14); !isLZMA(head) {
		return 0, io.EOF
	}
	l.in.Files++
	l.data, err = lzma.NewReader(l.in)
	return 0, err
}
