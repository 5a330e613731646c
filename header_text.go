// Headers as text.

package safetensors

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/weightools/safetensors/internal/header"
	"github.com/weightools/safetensors/internal/jsonscan"
)

// AppendBinary appends the start of a file to b: N and the JSON text, with the
// tensors in the order of h.Tensors and metadata keys sorted, in the form that
// the reference implementation writes. The text is padded with spaces to h.Size
// bytes, or to a multiple of 8 if h.Size is 0. It implements
// encoding.BinaryAppender.
//
// It is an error if the text is longer than h.Size, if h.Size exceeds
// MaxHeaderSize, if a string is not valid UTF-8, if two tensors have the same
// name, or if one is called "__metadata__".
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
		return b[:start], fmt.Errorf("safetensors: the header's text takes %d bytes, more than Size, which is %d",
			text, size)
	}
	b = appendSpaces(b, len(b)+int(size-text))
	binary.LittleEndian.PutUint64(b[start:], uint64(size))
	return b, nil
}

func headerTooLarge(n, limit int64) *Violation {
	return violation(RuleHeaderSize, "", Span{0, lengthSize}, "header length %d exceeds the limit of %d", n, limit)
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
			return b, violation(RuleUTF8, "", Span{}, "__metadata__: key %s or its value is not valid UTF-8", quote(k))
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = jsonscan.AppendString(append(jsonscan.AppendString(b, k), ':'), h.Metadata[k])
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

// fault returns why ti cannot be written after the tensors whose names are in
// seen, and adds its name.
func (ti *TensorInfo) fault(seen map[string]bool) error {
	switch {
	case ti.Name == metadataName:
		return violation(RuleReservedName, ti.Name, Span{}, "a tensor has the reserved name \"__metadata__\"")
	case !utf8.ValidString(ti.Name):
		return violation(RuleUTF8, ti.Name, Span{}, "the name of tensor %s is not valid UTF-8", quote(ti.Name))
	case ti.Offsets.Begin < 0 || ti.Offsets.End < ti.Offsets.Begin:
		return violation(RuleOffsets, ti.Name, Span{}, "tensor %s begins at %d and ends at %d",
			quote(ti.Name), ti.Offsets.Begin, ti.Offsets.End)
	case seen[ti.Name]:
		return violation(RuleDuplicateName, ti.Name, Span{}, "duplicate tensor name %s", quote(ti.Name))
	}
	seen[ti.Name] = true
	return nil
}

func (ti *TensorInfo) appendEntry(b []byte) []byte {
	b = jsonscan.AppendString(b, ti.Name)
	b = append(b, `:{"dtype":`...)
	b = jsonscan.AppendString(b, string(ti.Dtype))
	b = append(b, `,"shape":[`...)
	b = header.AppendDims(b, ti.Shape, ",")
	b = append(b, `],"data_offsets":[`...)
	b = strconv.AppendInt(b, ti.Offsets.Begin, 10)
	b = append(b, ',')
	b = strconv.AppendInt(b, ti.Offsets.End, 10)
	return append(b, "]}"...)
}

// appendSpaces appends spaces to b until it has size bytes.
func appendSpaces(b []byte, size int) []byte {
	return append(b, bytes.Repeat([]byte{' '}, size-len(b))...)
}
