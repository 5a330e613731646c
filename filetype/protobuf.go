// Protocol buffers: ONNX, TensorFlow, Core ML and SentencePiece have no magic number and
// are recognized by their first fields.

package filetype

import (
	"encoding/binary"
	"strings"
)

// A field is a field of a protocol buffer message. Data may be truncated.
type field struct {
	number, wire, value uint64
	data                []byte
	cut                 bool
}

// The wire types.
const (
	varint  = 0
	fixed64 = 1
	bytesOf = 2
	fixed32 = 5
)

// fields returns the fields at the start of b, and false if b is not a message.
func fields(b []byte) (list []field, ok bool) {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		f := field{number: tag >> 3, wire: tag & 7}
		if n <= 0 || f.number == 0 || f.number > 1<<29 {
			return list, n == 0
		}
		b = b[n:]
		switch size := uint64(0); f.wire {
		case varint, bytesOf:
			if f.value, n = binary.Uvarint(b); n <= 0 {
				return list, n == 0
			}
			if b = b[n:]; f.wire == bytesOf {
				size = f.value
			}
			f.cut = size > uint64(len(b))
			f.data = b[:min(size, uint64(len(b)))]
			b = b[len(f.data):]
		case fixed64, fixed32:
			if size = 4; f.wire == fixed64 {
				size = 8
			}
			b = b[min(size, uint64(len(b))):]
		default:
			return list, false
		}
		if list = append(list, f); f.cut {
			break
		}
	}
	return list, true
}

// protobuf recognizes messages by the numbers and the types of their first fields.
func protobuf(head []byte, _ int64) Type {
	if head[0] != 0x08 && head[0] != 0x0a {
		return Type{} // field 1, a number or bytes
	}
	list, ok := fields(head)
	if !ok || len(list) == 0 {
		return Type{}
	}
	first := list[0]
	switch {
	case first.wire == bytesOf && isPiece(first.data):
		return Type{Kind: SentencePiece}
	case first.wire == bytesOf && isNode(first.data):
		return Type{Kind: Graph}
	case first.wire != varint || len(list) < 2:
	case isONNX(list):
		return Type{Kind: ONNX}
	case list[1].number == 2 && list[1].wire == bytesOf && first.value >= 1 && first.value < 20:
		return schema(first.value, list[1].data)
	}
	return Type{}
}

// isONNX reports whether the fields form a ModelProto: a version, texts about the
// producer, and a graph or operator sets.
func isONNX(list []field) bool {
	if list[0].value == 0 || list[0].value > 100 {
		return false
	}
	for _, f := range list[1:] {
		switch {
		case f.number == 5 && f.wire == varint: // the version of the model
		case f.number >= 2 && f.number <= 6 && f.wire == bytesOf && printable(f.data): // texts
		case (f.number == 7 || f.number == 8) && f.wire == bytesOf:
			inner, ok := fields(f.data)
			return ok && len(inner) > 0 && inner[0].number < 16
		default:
			return false
		}
	}
	return false
}

// schema distinguishes a TensorFlow SavedModel from a Core ML model. Both consist of a
// version and a message. A SavedModel's message begins with the information about a
// graph, a Core ML model's message with the description of an input.
func schema(version uint64, message []byte) Type {
	outer, ok := fields(message)
	if !ok || len(outer) == 0 || outer[0].number != 1 || outer[0].wire != bytesOf {
		return Type{}
	}
	inner, ok := fields(outer[0].data)
	switch {
	case !ok || len(inner) == 0:
	case inner[0].number == 1 && inner[0].wire == bytesOf && printable(inner[0].data):
		return Type{Kind: CoreML}
	case version == 1 && (inner[0].number >= 2 && inner[0].number <= 5) && inner[0].wire == bytesOf:
		return Type{Kind: SavedModel}
	}
	return Type{}
}

// isNode reports whether a message is a node of a TensorFlow graph: a name and an operation.
func isNode(message []byte) bool {
	list, ok := fields(message)
	return ok && len(list) > 1 && list[0].number == 1 && list[1].number == 2 && list[0].wire == bytesOf &&
		list[1].wire == bytesOf &&
		identifier(list[0].data) && identifier(list[1].data)
}

// isPiece reports whether a message is a SentencePiece entry: a text and a score.
func isPiece(message []byte) bool {
	list, ok := fields(message)
	return ok && len(list) > 1 && list[0].number == 1 && list[0].wire == bytesOf && printable(list[0].data) &&
		list[1].number == 2 && list[1].wire == fixed32
}

func printable(b []byte) bool { return len(b) == 0 || IsText(b) }

func identifier(b []byte) bool {
	odd := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_/.:-", r))
	}
	return len(b) > 0 && strings.IndexFunc(string(b), odd) < 0
}
