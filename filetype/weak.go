// Formats whose first bytes also occur by chance, so several properties are required.

package filetype

import "encoding/binary"

// weak recognizes MessagePack, LZMA and zlib.
func weak(head []byte, size int64) Type {
	switch {
	case isMessagePack(head):
		return Type{Kind: MessagePack}
	case isLZMA(head, size):
		return Type{Kind: LZMA}
	case isZlib(head):
		return Type{Kind: Zlib}
	}
	return Type{}
}

// isMessagePack reports whether head begins with a map as Flax writes it: the first key
// is a name, and the first value is a map or an extension that contains an array.
func isMessagePack(head []byte) bool {
	b := head
	switch c := b[0]; {
	case c > 0x80 && c <= 0x8f:
		b = b[1:]
	case c == 0xde && len(b) > 3:
		b = b[3:]
	case c == 0xdf && len(b) > 5:
		b = b[5:]
	default:
		return false
	}
	n := 0
	switch {
	case len(b) > 1 && b[0] >= 0xa1 && b[0] <= 0xbf:
		n, b = int(b[0]&0x1f), b[1:]
	case len(b) > 2 && b[0] == 0xd9:
		n, b = int(b[1]), b[2:]
	}
	if n == 0 || n >= len(b) || !IsText(b[:n]) {
		return false
	}
	value := b[n]
	return value >= 0x80 && value <= 0x8f || value >= 0xc7 && value <= 0xc9 || value >= 0xd4 && value <= 0xd8 ||
		value == 0xde || value == 0xdf
}

// isLZMA reports whether head is the header of an .lzma file: the usual properties, a
// dictionary size of 2^n or 3*2^n bytes, a length that is unknown or plausible for the
// file's size, and the zero byte with which the coder begins.
func isLZMA(head []byte, size int64) bool {
	if len(head) < 14 || head[0] != 0x5d || head[13] != 0 {
		return false
	}
	dict, length := binary.LittleEndian.Uint32(head[1:]), binary.LittleEndian.Uint64(head[5:])
	round := dict&(dict-1) == 0 || dict%3 == 0 && (dict/3)&(dict/3-1) == 0
	return dict >= 1<<12 && round && (length == 1<<64-1 || length < 1<<40 && (size < 0 || length > uint64(size)/2))
}

// isZlib reports whether head is a zlib header as libraries write it: deflate, a window of
// 32 KiB, no dictionary and a valid check, followed by a block of a known type.
func isZlib(head []byte) bool {
	const blockTypes = 6 // bits; 3 is no type
	return len(head) > 6 && head[0] == 0x78 && (int(head[0])<<8|int(head[1]))%31 == 0 && head[1]&0x20 == 0 &&
		head[2]&blockTypes != blockTypes
}
