// Tables of sorted keys, in which checkpoints of TensorFlow list their tensors.

// Package sstable reads the structure of table files (LevelDB's table_format.md).
package sstable

import (
	"encoding/binary"
	"io"

	"github.com/weightools/safetensors/internal/bytesio"
)

const (
	magic      = "\x57\xfb\x80\x8b\x24\x75\x47\xdb"
	footerSize = 48      // two handles, zeros and the magic number
	trailer    = 5       // bytes after a block: its type and checksum
	mostBlock  = 4 << 20 // bytes of a block; writers begin a new one after some kilobytes
)

// A handle is the position of a block.
type handle struct{ off, size uint64 }

// Valid reports whether a file is a table from its first to its last byte: blocks of entries, one
// after the other, as the index lists them. The function spend is called with the number of bytes that
// are read, and returns false if the budget is spent; the file is then not valid.
func Valid(r io.ReaderAt, size int64, spend func(int64) bool) (bool, error) {
	if size < footerSize {
		return false, nil
	}
	b := make([]byte, footerSize)
	if err := bytesio.ReadFull(r, b, size-footerSize); err != nil || string(b[footerSize-len(magic):]) != magic {
		return false, err
	}
	meta, rest, ok := parseHandle(b[:footerSize-len(magic)])
	index, zeros, ok2 := parseHandle(rest)
	for _, c := range zeros {
		ok = ok && c == 0
	}
	end := uint64(size - footerSize)
	if !ok || !ok2 || !index.ends(end) || !meta.ends(index.off) {
		return false, nil
	}
	t := &table{r, spend}
	if ok, err := t.block(meta, nil); err != nil || !ok {
		return false, err
	}
	at := uint64(0) // where the next block has to begin
	ok, err := t.block(index, func(value []byte) (bool, error) {
		h, rest, ok := parseHandle(value)
		if !ok || len(rest) > 0 || h.off != at || h.size > end {
			return false, nil
		}
		at += h.size + trailer
		return t.block(h, func([]byte) (bool, error) { return true, nil })
	})
	return ok && err == nil && at == meta.off, err
}

// ends reports whether the block ends at an offset.
func (h handle) ends(off uint64) bool {
	return h.size <= off && off-h.size >= trailer && h.off == off-h.size-trailer
}

// parseHandle parses a handle at the start of b.
func parseHandle(b []byte) (h handle, rest []byte, ok bool) {
	off, n := binary.Uvarint(b)
	if n <= 0 {
		return h, nil, false
	}
	size, k := binary.Uvarint(b[n:])
	if k <= 0 {
		return h, nil, false
	}
	return handle{off, size}, b[n+k:], true
}

// A table is a file under examination.
type table struct {
	r     io.ReaderAt
	spend func(int64) bool
}

// block reports whether a block consists of entries, and calls visit with the value of each.
func (t *table) block(h handle, visit func(value []byte) (bool, error)) (bool, error) {
	const number = 4 // bytes of a restart offset, and of their number
	if h.size < number || h.size > mostBlock || !t.spend(int64(h.size)) {
		return false, nil
	}
	b := make([]byte, h.size+1)
	if err := bytesio.ReadFull(t.r, b, int64(h.off)); err != nil {
		return false, err
	}
	kind := b[h.size]
	if b = b[:h.size]; kind == 1 {
		var ok bool
		if b, ok = unpack(b); !ok || len(b) < number || !t.spend(int64(len(b))) {
			return false, nil
		}
	} else if kind != 0 {
		return false, nil // compressed in another way
	}
	size := uint64(len(b))
	restarts := uint64(binary.LittleEndian.Uint32(b[size-number:])) + 1
	if restarts > size/number {
		return false, nil
	}
	for b = b[:size-restarts*number]; len(b) > 0; {
		var lengths [3]uint64 // of the prefix shared with the last key, of the rest of the key, of the value
		for i := range lengths {
			n := 0
			if lengths[i], n = binary.Uvarint(b); n <= 0 {
				return false, nil
			}
			b = b[n:]
		}
		left := uint64(len(b))
		if lengths[1] > left || lengths[2] > left-lengths[1] {
			return false, nil
		}
		value := b[lengths[1]:][:lengths[2]]
		if b = b[lengths[1]+lengths[2]:]; visit != nil {
			if ok, err := visit(value); err != nil || !ok {
				return false, err
			}
		}
	}
	return true, nil
}
