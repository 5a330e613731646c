// Detection: the order in which a file is tried for the kinds.

package filetype

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

// HeadSize is how many bytes from the start of a file [DetectHead] needs. The farthest
// that any format reaches is the magic number of HDF5 after a user block of 512 bytes.
const HeadSize = 1024

// A Type is what a file is.
type Type struct {
	Kind   Kind
	Detail string // more about this file, such as the first line of a text, or "" if there is nothing more
}

// String returns the name of the kind with its detail, as in "a zip archive of 3 files".
func (t Type) String() string { return t.Kind.Name() + t.Detail }

// Advice returns what to do with the file, as [Kind.Advice] does.
func (t Type) Advice() string { return t.Kind.Advice() }

// For returns advice with FILE replaced by a file's path, quoted for a shell where needed.
func For(advice, file string) string {
	return strings.ReplaceAll(advice, "FILE", shellQuote(file))
}

// shellQuote quotes a path for a POSIX shell. A path that begins with "-" is made one that does not.
func shellQuote(s string) string {
	if strings.HasPrefix(s, "-") {
		s = "./" + s
	}
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%,=", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !safe(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Detect returns the type of the file of the given size behind r. It reads the first
// [HeadSize] bytes, and of a zip archive the directory at its end. The error is that of r.
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
// It comes first, because any two bytes can be those of a length.
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

// zeros recognizes a file of which nothing but zero bytes is known.
func zeros(head []byte, _ int64) Type {
	if len(head) > 8 && len(bytes.Trim(head, "\x00")) == 0 {
		return Type{Kind: Zeros}
	}
	return Type{}
}
