// The header: what a file says of its tensors, and the same as bytes again.

package safetensors

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/weightools/safetensors/internal/header"
)

// MaxHeaderSize is the largest header, in bytes, that readers accept. It is the
// reference implementation's limit.
const MaxHeaderSize = 100_000_000

const (
	lengthSize   = header.LengthSize
	metadataName = header.MetadataName
)

// A Header is all that a file says of its tensors. It is for any number of
// goroutines at once, as long as none changes it.
type Header struct {
	// Metadata is the free-form "__metadata__", nil if there is none.
	Metadata map[string]string

	// Tensors has an entry for each tensor, in the header's order.
	Tensors []TensorInfo

	// Size is N: the length in bytes of the JSON text, with its padding.
	Size int64

	// byName has the indices of Tensors in the order of their names. It is nil
	// where that is their own order, or where a Header was not read.
	byName []uint32
	// indexed says that byName may be relied on.
	indexed bool
}

// A TensorInfo is one entry of a Header.
type TensorInfo struct {
	Name  string
	Dtype Dtype

	// Shape has the dimensions, in elements, outermost first. It is empty for a
	// scalar. It must not be written to: tensors of a header may share it. A
	// dimension above 2^63-1, which the format allows in a tensor
	// without elements, stands here as the int64 of the same 64 bits.
	Shape []int64

	// Offsets are the "data_offsets": the tensor's bytes, counted from the
	// start of the data; or from 0, if the tensor is not one of a file.
	Offsets Span

	// Entry is where the header says all this, from the quote before the name
	// to the brace at the end, counted from the start of the file. It is zero
	// if the tensor is not one of a file.
	Entry Span
}

// NumElems returns the number of elements: the product of the dimensions,
// which is 1 for a scalar. It is 0 if the product does not fit an int64, which
// it does for every tensor of a file that is valid.
func (ti *TensorInfo) NumElems() int64 {
	n, fits := header.Product(ti.Shape)
	if !fits || n > 1<<63-1 {
		return 0
	}
	return int64(n)
}

// Size returns the number of bytes.
func (ti *TensorInfo) Size() int64 { return ti.Offsets.Len() }

// ShapeString returns the shape as in "[4096, 11008]".
func (ti *TensorInfo) ShapeString() string { return header.ShapeString(ti.Shape) }

// DataStart returns where in the file the data begins: 8 + h.Size.
func (h *Header) DataStart() int64 { return header.Add(lengthSize, h.Size) }

// FileSpan returns the bytes of ti, one of h's tensors, counted from the start
// of the file.
func (h *Header) FileSpan(ti *TensorInfo) Span { return ti.Offsets.shift(h.DataStart()) }

// Lookup returns the entry of the named tensor, or nil. It is a binary search
// in a header that was read, and a linear one in any other.
func (h *Header) Lookup(name string) *TensorInfo {
	if !h.indexed || h.byName != nil && len(h.byName) != len(h.Tensors) {
		for i := range h.Tensors {
			if h.Tensors[i].Name == name {
				return &h.Tensors[i]
			}
		}
		return nil
	}
	lo, hi := 0, len(h.Tensors)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		i := mid
		if h.byName != nil {
			i = int(h.byName[mid])
		}
		switch strings.Compare(h.Tensors[i].Name, name) {
		case 0:
			return &h.Tensors[i]
		case -1:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return nil
}

// ReadHeader reads a header from r, and not one byte more. It cannot tell
// whether the data is as the header says; see Validate.
//
// The error is a *Violation if the header breaks a rule, and otherwise that of
// r. Memory is taken as bytes arrive, not as N promises.
func ReadHeader(r io.Reader) (*Header, error) { return plainOpener.ReadHeader(r) }

// AppendBinary appends the start of a file, N and the JSON text, to b, in the
// order of h.Tensors. The text is what the reference implementation would
// write, with metadata keys sorted. It is padded with spaces to h.Size bytes,
// or to a multiple of 8 if h.Size is 0. It implements encoding.BinaryAppender.
//
// It is an error if the text is longer than h.Size, or h.Size is above
// MaxHeaderSize, if a string is not UTF-8, if two tensors have one name, or one
// has that of the metadata.
func (h *Header) AppendBinary(b []byte) ([]byte, error) {
	start := len(b)
	b = append(b, make([]byte, lengthSize)...)
	b, err := h.appendText(b)
	if err != nil {
		return b[:start], err
	}
	size, text := h.Size, int64(len(b)-start-lengthSize)
	if size == 0 {
		size = (text + 7) &^ 7
	}
	if size > MaxHeaderSize {
		return b[:start], headerTooLarge(size, MaxHeaderSize)
	}
	if text > size {
		return b[:start], fmt.Errorf("safetensors: the header's text takes %d bytes, and Size has room for %d", text, size)
	}
	b = appendSpaces(b, len(b)+int(size-text))
	binary.LittleEndian.PutUint64(b[start:], uint64(size))
	return b, nil
}

func headerTooLarge(n, limit int64) *Violation {
	return violation(RuleHeaderSize, "", Span{0, lengthSize}, "the header takes %d bytes, more than the limit of %d", n, limit)
}

// appendText appends the JSON text.
func (h *Header) appendText(b []byte) ([]byte, error) {
	b, err := h.appendMetadata(b)
	if err != nil {
		return b, err
	}
	return h.appendEntries(b)
}

// appendMetadata appends the start of the JSON text, up to the end of the metadata.
func (h *Header) appendMetadata(b []byte) ([]byte, error) {
	b = append(b, '{')
	if h.Metadata == nil {
		return b, nil
	}
	b = append(b, `"__metadata__":{`...)
	keys := make([]string, 0, len(h.Metadata))
	for k := range h.Metadata {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for i, k := range keys {
		if !utf8.ValidString(k) || !utf8.ValidString(h.Metadata[k]) {
			return b, violation(RuleUTF8, "", Span{}, "__metadata__ has a key %s that is not UTF-8, or has such a value", quote(k))
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(append(appendString(b, k), ':'), h.Metadata[k])
	}
	return append(b, '}'), nil
}

// appendEntries appends the rest of the JSON text.
func (h *Header) appendEntries(b []byte) ([]byte, error) {
	seen := make(map[string]bool, len(h.Tensors))
	for i := range h.Tensors {
		ti := &h.Tensors[i]
		if err := ti.fault(seen); err != nil {
			return b, err
		}
		if i > 0 || h.Metadata != nil {
			b = append(b, ',')
		}
		b = ti.appendEntry(b)
	}
	return append(b, '}'), nil
}

// fault returns why ti cannot be written after the tensors of the names seen, to
// which it adds.
func (ti *TensorInfo) fault(seen map[string]bool) error {
	switch {
	case ti.Name == metadataName:
		return violation(RuleReservedName, ti.Name, Span{}, "a tensor is called \"__metadata__\", the name that the format reserves")
	case !utf8.ValidString(ti.Name):
		return violation(RuleUTF8, ti.Name, Span{}, "the name of tensor %s is not UTF-8", quote(ti.Name))
	case ti.Offsets.Begin < 0 || ti.Offsets.End < ti.Offsets.Begin:
		return violation(RuleOffsets, ti.Name, Span{}, "tensor %s begins at %d, and ends at %d", quote(ti.Name), ti.Offsets.Begin, ti.Offsets.End)
	case seen[ti.Name]:
		return violation(RuleDuplicateName, ti.Name, Span{}, "two tensors are called %s", quote(ti.Name))
	}
	seen[ti.Name] = true
	return nil
}

func (ti *TensorInfo) appendEntry(b []byte) []byte {
	b = appendString(b, ti.Name)
	b = append(b, `:{"dtype":`...)
	b = appendString(b, string(ti.Dtype))
	b = append(b, `,"shape":[`...)
	for i, d := range ti.Shape {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendUint(b, uint64(d), 10)
	}
	b = append(b, `],"data_offsets":[`...)
	b = strconv.AppendInt(b, ti.Offsets.Begin, 10)
	b = append(b, ',')
	b = strconv.AppendInt(b, ti.Offsets.End, 10)
	return append(b, "]}"...)
}

// appendString appends s as a JSON string, with the escapes of the reference
// implementation and no others: encoding/json also escapes <, >, & and U+2028.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	const short = "btn\x00fr" // \b to \r, without \v
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c >= '\b' && c <= '\r' && c != '\v':
			b = append(b, '\\', short[c-'\b'])
		case c < 0x20:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}
