// Detection: the order in which a file is tried for the kinds.

package filetype

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

// HeadSize is how many bytes from the start of a file [DetectHead] needs. The farthest
// that any format reaches is the magic number of HDF5 after a user block of 512 bytes.
const HeadSize = 1024

// Detect returns the type of the file of the given size behind r. It reads the first
// [HeadSize] bytes and, for a zip archive, the directory at its end. Errors come from r.
func Detect(r io.ReaderAt, size int64) (Type, error) {
	head := make([]byte, min(max(size, 0), HeadSize))
	if n, err := r.ReadAt(head, 0); n < len(head) {
		if err == nil || err == io.EOF {
			err = fmt.Errorf("filetype: the file has %d bytes, not %d: %w", n, size, io.ErrUnexpectedEOF)
		}
		return Type{}, err
	}
	t := detect(head, size)
	if t.Kind != Zip {
		return t, nil
	}
	names, total, err := directory(r, size)
	if err != nil || len(names) == 0 {
		return t, err
	}
	return zipType(names, total), nil
}

// DetectHead returns the type of a file that begins with head: its first [HeadSize]
// bytes, or all of it if it is shorter.
func DetectHead(head []byte) Type { return detect(head, -1) }

// detect tries the kinds, strong evidence first. The size is -1 if it is unknown.
func detect(head []byte, size int64) Type {
	if len(head) == 0 {
		return Type{Kind: Empty}
	}
	if isSafetensors(head) {
		return Type{Kind: Safetensors}
	}
	for i := range magics {
		if m := &magics[i]; m.matches(head) {
			return refine(head, m.kind)
		}
	}
	for _, try := range [...]func([]byte, int64) Type{pickle, zeros, text, protobuf, weak} {
		if t := try(head, size); t.Kind != "" {
			return t
		}
	}
	return Type{Kind: Unknown}
}

// refine looks into archives for what they are archives of.
func refine(head []byte, kind Kind) Type {
	switch kind {
	case Zip:
		return zipHead(head)
	case Tar:
		return tarHead(head)
	}
	return Type{Kind: kind}
}

// isSafetensors reports whether head begins with a length that a header can have and a brace.
// It is tried first, because a length may contain the magic number of another format.
func isSafetensors(head []byte) bool {
	const lengthSize, largest = 8, 100_000_000
	return len(head) > lengthSize && head[lengthSize] == '{' && binary.LittleEndian.Uint64(head) <= largest
}

// pickle recognizes the protocols 2 to 5, which begin with PROTO.
func pickle(head []byte, _ int64) Type {
	if len(head) > 2 && head[0] == 0x80 && head[1] >= 2 && head[1] <= 5 {
		return Type{Pickle, fmt.Sprintf(" (protocol %d)", head[1])}
	}
	return Type{}
}

// zeros recognizes a file that begins with zero bytes only.
func zeros(head []byte, _ int64) Type {
	if len(head) > 8 && len(bytes.Trim(head, "\x00")) == 0 {
		return Type{Kind: Zeros}
	}
	return Type{}
}
