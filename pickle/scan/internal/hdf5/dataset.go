// Texts in datasets.

package hdf5

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"io"

	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
)

// Classes of data types that have texts or contain them, and ways in which data is stored.
const (
	classCompound = 6
	classArray    = 10

	compact    = 0
	contiguous = 1
	chunked    = 2
)

// Filters of chunks.
const (
	deflate    = 1
	shuffle    = 2
	fletcher32 = 3
)

// mostChunk is the size of the largest data that is read for texts.
const mostChunk = 4 << 20

// A dataset is what the messages of an object say about its data.
type dataset struct {
	class   uint64
	size    int // of an element
	layout  *cursor
	filters []uint64
	strange bool // a filter that is not known
}

// hasText reports whether elements may be texts.
func (d *dataset) hasText() bool {
	switch d.class {
	case classString, classVariable, classCompound, classArray:
		return d.layout != nil
	}
	return false
}

// kind reads the message with the type of a dataset.
func (d *dataset) kind(c *cursor) {
	d.class = c.uint(1) & 15
	c.skip(3)
	d.size = int(c.uint(4))
}

// pipeline reads the message with the filters of chunks.
func (d *dataset) pipeline(c *cursor) {
	version, n := c.uint(1), int(c.uint(1))
	if version == 1 {
		c.skip(6)
	}
	for range n {
		id, name := c.uint(2), 0
		if version == 1 || id >= 256 {
			name = int(c.uint(2))
		}
		c.skip(2)
		values := int(c.uint(2))
		if version == 1 {
			name, values = (name+7)&^7, values+values&1
		}
		c.skip(name + 4*values)
		d.filters = append(d.filters, id)
		d.strange = d.strange || id != deflate && id != shuffle && id != fletcher32
	}
	d.strange = d.strange || c.err != nil
}

// texts keeps the texts in the dataset that the last object is.
func (f *file) texts() error {
	d := f.data
	if f.data = (dataset{}); !d.hasText() {
		return nil
	}
	err := f.stored(&d)
	if errors.Is(err, errInvalid) {
		f.Skip("text in a dataset of a form that is not read")
		return nil
	}
	return err
}

// stored reads the data of a dataset.
func (f *file) stored(d *dataset) error {
	c := d.layout
	version, class := c.uint(1), c.uint(1)
	if version < 3 || version > 4 {
		return errInvalid
	}
	switch {
	case class == compact:
		return f.pieces(d, c.next(int(c.uint(2))), c.err)
	case class == contiguous:
		at, err := c.address()
		size := c.length()
		if err != nil || at == undefined || size == 0 {
			return err
		}
		for end := at + size; at < end; {
			n := min(end-at, int64(max(mostChunk/max(d.size, 1), 1)*d.size))
			if n > mostChunk || n <= 0 {
				return errInvalid
			}
			b, err := f.bytes(f.base+at, int(n))
			if err := f.pieces(d, b, err); err != nil {
				return err
			}
			at += n
		}
		return nil
	case class == chunked && version == 3 && !d.strange:
		return f.chunks(d, c)
	}
	return errInvalid
}

// chunks reads the chunks to which a tree refers.
func (f *file) chunks(d *dataset, c *cursor) error {
	rank := int(c.uint(1))
	root, err := c.address()
	if err != nil || root == undefined {
		return err
	}
	seen := map[int64]bool{}
	for todo := []int64{root}; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[at] || len(seen) > mostObjects {
			return errInvalid
		}
		seen[at] = true
		c := f.to(at)
		c.signed("TREE")
		kind, level, n := c.uint(1), c.uint(1), int(c.uint(2))
		if c.skip(2 * f.offsets); kind != 1 || c.err != nil {
			return errInvalid
		}
		for range n {
			size, mask := int64(c.uint(4)), c.uint(4)
			c.skip(8 * rank)
			child, err := c.address()
			if err != nil {
				return err
			}
			if level > 0 {
				todo = append(todo, child)
				continue
			}
			if err := f.chunk(d, child, size, mask); err != nil {
				return err
			}
		}
	}
	return nil
}

// chunk reads a chunk. A bit of the mask is set for each filter that was not used.
func (f *file) chunk(d *dataset, at, size int64, mask uint64) error {
	if size > mostChunk {
		return errInvalid
	}
	b, err := f.bytes(f.base+at, int(size))
	if err != nil {
		return err
	}
	b = bytes.Clone(b)
	for i := len(d.filters) - 1; i >= 0; i-- {
		if mask>>i&1 != 0 {
			continue
		}
		switch d.filters[i] {
		case fletcher32:
			b = b[:max(len(b)-4, 0)]
		case shuffle:
			b = unshuffled(b, d.size)
		case deflate:
			if !f.spend(size) {
				return evidence.ErrBudget
			}
			if b, err = inflated(b); err != nil {
				return err
			}
			if !f.spend(int64(len(b)) / 8) {
				return evidence.ErrBudget
			}
		}
	}
	return f.pieces(d, b, nil)
}

// inflated decompresses a chunk.
func inflated(b []byte) ([]byte, error) {
	r, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, errInvalid
	}
	b, err = io.ReadAll(io.LimitReader(r, mostChunk+1))
	if err != nil || len(b) > mostChunk {
		return nil, errInvalid
	}
	return b, nil
}

// unshuffled returns the elements of a chunk, whose first bytes come first, then all second ones.
func unshuffled(b []byte, size int) []byte {
	n := len(b) / max(size, 1)
	if size <= 1 || n <= 1 {
		return b
	}
	out := bytes.Clone(b)
	for i := range n {
		for k := range size {
			out[i*size+k] = b[k*n+i]
		}
	}
	return out
}

// pieces keeps the texts in elements. Those of variable length are in a heap.
func (f *file) pieces(d *dataset, b []byte, err error) error {
	if err != nil {
		return err
	}
	if !f.spend(int64(len(b)) / 8) {
		return evidence.ErrBudget
	}
	if d.class == classVariable {
		return f.references(bytes.Clone(b)) // the window moves
	}
	size := len(b)
	if d.class == classString && d.size > 0 {
		size = d.size
	}
	for len(b) > 0 {
		n := min(size, len(b))
		for piece := range bytes.SplitSeq(b[:n], []byte{0}) {
			f.keepText(piece)
		}
		b = b[n:]
	}
	return nil
}

// references keeps the texts to which elements refer: a length, the address of a heap, and a number in it.
func (f *file) references(b []byte) error {
	size := 4 + f.offsets + 4
	for ; len(b) >= size; b = b[size:] {
		var address [8]byte
		copy(address[:], b[4:4+f.offsets])
		heap := int64(binary.LittleEndian.Uint64(address[:]))
		if binary.LittleEndian.Uint32(b) == 0 || heap <= 0 {
			continue
		}
		before := len(f.Attributes)
		err := f.heapObject(heap, uint64(binary.LittleEndian.Uint32(b[4+f.offsets:])))
		if err != nil {
			return err
		}
		for _, span := range f.Attributes[before:] {
			text, err := f.bytes(span.Pos, int(min(span.Len(), evidence.MostText)))
			if err != nil {
				return err
			}
			f.keepText(text)
		}
		f.Attributes = f.Attributes[:before]
	}
	return nil
}

// telling are parts of texts that name code. Most datasets of texts are no configurations, and have other braces.
var telling = [...]string{"{{", "{%", "!!", "!<", "!python", "_target_", "class_path", "py/", "auto_map",
	"custom_pipeline", "trust_remote_code", "_attn_implementation"}

// keepText keeps a text that may name code.
func (f *file) keepText(text []byte) {
	for _, part := range telling {
		if bytes.Contains(text, []byte(part)) {
			f.Keep("", text, 0)
			return
		}
	}
}
