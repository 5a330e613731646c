// Groups and objects with many links or attributes, which are in a heap with an index.

package hdf5

// A heap is a fractal heap: blocks whose sizes double.
type heap struct {
	f         *file
	idLength  int
	offsets   int // size of offsets in the heap, in bytes
	lengths   int
	width     int
	start     int64 // size of the first blocks
	mostBlock int64
	root      int64
	rows      int // of the root, 0 if it is a block of data
}

// bytesFor returns how many bytes a number needs.
func bytesFor(v int64) int {
	n := 1
	for ; v > 0xff; v >>= 8 {
		n++
	}
	return n
}

// dense calls see for the links or attributes in a heap, if there is one. The message begins with a
// version and flags. The first flag says that an index of the given size follows.
func (f *file) dense(c *cursor, index int, see func(*cursor) error) error {
	c.skip(1)
	if flags := c.uint(1); flags&1 != 0 {
		c.skip(index)
	}
	at, err := c.address()
	if err != nil || at == undefined {
		return err
	}
	tree, err := c.address()
	if err != nil {
		return err
	}
	h, err := f.heap(at)
	if err != nil {
		return err
	}
	return h.records(tree, func(id []byte) error {
		object, err := h.object(id)
		if err != nil {
			return err
		}
		return see(object)
	})
}

// heap reads the header of a heap.
func (f *file) heap(address int64) (*heap, error) {
	c := f.to(address)
	c.signed("FRHP")
	c.skip(1)
	h := &heap{f: f, idLength: int(c.uint(2))}
	filters := c.uint(2)
	c.skip(1)
	managed := int64(c.uint(4))
	c.skip(f.lengths + f.offsets + f.lengths + f.offsets + 8*f.lengths)
	h.width = int(c.uint(2))
	h.start, h.mostBlock = c.length(), c.length()
	bits := int(c.uint(2))
	c.skip(2)
	var err error
	if h.root, err = c.address(); err != nil {
		return nil, err
	}
	h.rows = int(c.uint(2))
	if c.err != nil || filters > 0 || h.width == 0 || h.width > 1024 || h.start <= 0 || h.mostBlock < h.start ||
		bits > 64 || h.idLength > 64 || h.rows > 64 {
		return nil, errInvalid
	}
	h.offsets = (bits + 7) / 8
	h.lengths = bytesFor(min(h.mostBlock, managed))
	return h, nil
}

// An index is a B-tree of version 2, whose records contain heap IDs.
type index struct {
	root   int64
	n      int // records in the root
	depth  int
	record int   // size of a record
	skip   int   // bytes of a record before the ID
	counts int   // size of the number of records in a node
	totals []int // size of the number of records below a node, by depth
}

// index reads the header of an index.
func (h *heap) index(address int64) (*index, error) {
	f := h.f
	c := f.to(address)
	c.signed("BTHD")
	c.skip(1)
	kind, nodeSize, record, depth := c.uint(1), int64(c.uint(4)), int(c.uint(2)), int(c.uint(2))
	c.skip(2)
	root, err := c.address()
	if err != nil {
		return nil, err
	}
	x := &index{root: root, n: int(c.uint(2)), depth: depth, record: record}
	const links, attributes, head, deepest = 5, 8, 10, 10
	if kind == links {
		x.skip = 4
	}
	if c.err != nil || kind != links && kind != attributes || record < x.skip+h.idLength || depth > deepest ||
		root == undefined || nodeSize > 1<<24 {
		return nil, errInvalid
	}
	// The sizes of counts follow from how many records fit into nodes.
	most := (nodeSize - head) / int64(record)
	x.counts, x.totals = bytesFor(most), []int{0}
	for all := most; len(x.totals) <= depth; {
		pointer := int64(f.offsets + x.counts + x.totals[len(x.totals)-1])
		n := (nodeSize - head - pointer) / (int64(record) + pointer)
		if n <= 0 || all > 1<<50 {
			return nil, errInvalid
		}
		all = (n+1)*all + n
		x.totals = append(x.totals, bytesFor(all))
	}
	return x, nil
}

// records calls see for the heap IDs in an index.
func (h *heap) records(address int64, see func(id []byte) error) error {
	x, err := h.index(address)
	if err != nil {
		return err
	}
	type node struct {
		at       int64
		n, depth int
	}
	visited := 0
	for todo := []node{{x.root, x.n, x.depth}}; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if visited++; visited > mostObjects {
			return errInvalid
		}
		c := h.f.to(at.at)
		if at.depth > 0 {
			c.signed("BTIN")
		} else {
			c.signed("BTLF")
		}
		c.skip(2)
		for range at.n {
			b := c.next(x.record)
			if c.err != nil {
				return c.err
			}
			if err := see(append([]byte(nil), b[x.skip:x.skip+h.idLength]...)); err != nil {
				return err
			}
		}
		if at.depth == 0 {
			continue
		}
		for range at.n + 1 {
			child, err := c.address()
			if err != nil {
				return err
			}
			todo = append(todo, node{child, int(c.uint(x.counts)), at.depth - 1})
			c.skip(x.totals[at.depth-1])
		}
	}
	return nil
}

// object returns a cursor at the object with an ID.
func (h *heap) object(id []byte) (*cursor, error) {
	const managed, tiny = 0, 2
	if kind := id[0] >> 4 & 3; kind != managed || len(id) < 1+h.offsets+h.lengths {
		return nil, errInvalid // huge objects are not attributes that anyone writes
	}
	number := func(b []byte) (v int64) {
		for i, c := range b {
			v |= int64(c) << (8 * i)
		}
		return v
	}
	offset, length := number(id[1:1+h.offsets]), number(id[1+h.offsets:1+h.offsets+h.lengths])
	at, err := h.find(offset)
	if err != nil {
		return nil, err
	}
	c := h.f.to(at)
	if length < 0 || length > h.f.size-c.at {
		return nil, errInvalid
	}
	c.end = c.at + length
	return c, nil
}

// find returns the address of an offset in the heap, by following the blocks to it.
func (h *heap) find(offset int64) (int64, error) {
	block, rows, begin := h.root, h.rows, int64(0)
	for depth := 0; ; depth++ {
		if rows == 0 {
			return block + offset - begin, nil // offsets count the head of a block
		}
		if depth > 8 || block == undefined {
			return 0, errInvalid
		}
		c := h.f.to(block)
		c.signed("FHIB")
		c.skip(1 + h.f.offsets + h.offsets)
		size, at := h.start, begin
		found := false
		for row := 0; row < rows && !found; row++ {
			if row > 1 {
				size *= 2
			}
			for range h.width {
				child, err := c.address()
				if err != nil {
					return 0, err
				}
				if offset >= at && offset < at+size {
					block, begin, found = child, at, true
					rows = h.rowsOf(size)
					break
				}
				at += size
			}
		}
		if !found || block == undefined {
			return 0, errInvalid
		}
	}
}

// rowsOf returns how many rows a block of a size has, 0 if it is a block of data.
func (h *heap) rowsOf(size int64) int {
	if size <= h.mostBlock {
		return 0
	}
	rows := 1
	for s := h.start * int64(h.width); s < size; s *= 2 {
		rows++
	}
	return rows
}
