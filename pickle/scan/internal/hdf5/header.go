// Object headers: lists of messages about a group or dataset.

package hdf5

// Types of messages.
const (
	msgLinkInfo  = 0x02
	msgType      = 0x03
	msgLink      = 0x06
	msgFiles     = 0x07
	msgLayout    = 0x08
	msgFilters   = 0x0b
	msgAttribute = 0x0c
	msgContinue  = 0x10
	msgSymbols   = 0x11
	msgAttrInfo  = 0x15
)

// A block is a range of messages of a header.
type block struct {
	at, size int64 // an address
}

// version returns the version of the header at an address.
func (f *file) version(address int64) (int, error) {
	c := f.to(address)
	first := string(c.next(4))
	switch {
	case c.err != nil:
		return 0, c.err
	case first == "OHDR":
		return 2, nil
	case first[0] == 1:
		return 1, nil
	}
	return 0, errInvalid
}

// object examines the header at an address.
func (f *file) object(address int64) error {
	version, err := f.version(address)
	if err != nil {
		return err
	}
	if version == 2 {
		return f.newHeader(address)
	}
	c := f.to(address)
	c.skip(8)
	size := int64(c.uint(4))
	const head = 16 // bytes, with padding
	return f.messages([]block{{address + head, size}}, func(c *cursor) (kind, flags, size int) {
		kind, size, flags = int(c.uint(2)), int(c.uint(2)), int(c.uint(1))
		c.skip(3)
		return kind, flags, size
	}, 0)
}

// newHeader examines a header of version 2.
func (f *file) newHeader(address int64) error {
	c := f.to(address + 4)
	version, flags := c.uint(1), c.uint(1)
	if version != 2 {
		return errInvalid
	}
	if flags&0x20 != 0 {
		c.skip(16) // times
	}
	if flags&0x10 != 0 {
		c.skip(4)
	}
	size := int64(c.uint(1 << (flags & 3)))
	if c.err != nil {
		return c.err
	}
	return f.messages([]block{{c.at - f.base, size}}, func(c *cursor) (kind, messageFlags, size int) {
		kind, size, messageFlags = int(c.uint(1)), int(c.uint(2)), int(c.uint(1))
		if flags&4 != 0 {
			c.skip(2)
		}
		return kind, messageFlags, size
	}, 4)
}

// messages examines the messages of blocks. Further blocks begin with a signature of the given
// length and end with a checksum of the same length.
func (f *file) messages(todo []block, head func(*cursor) (kind, flags, size int), signature int) error {
	const least, most = 8, 10_000 // bytes that a message's head has at most; blocks
	for n := 0; len(todo) > 0; n++ {
		b := todo[0]
		todo = todo[1:]
		c := f.to(b.at)
		if c.end = c.at + b.size; b.size < 0 || c.end > f.size || n > most {
			return errInvalid
		}
		for c.end > c.at {
			gap := c.end-c.at < least
			kind, flags, size := head(c)
			if gap && c.err != nil {
				break
			}
			if c.err != nil || int64(size) > c.end-c.at {
				return errInvalid
			}
			m := &cursor{f: f, at: c.at, end: c.at + int64(size)}
			c.skip(size)
			const shared = 2
			if flags&shared != 0 && kind == msgType {
				f.data.class, kind = classCompound, 0 // in another object
			}
			if flags&shared != 0 {
				if kind == msgAttribute {
					return errInvalid // it is in a heap of shared messages
				}
				continue
			}
			if kind == msgContinue {
				at, err := m.address()
				length := m.length()
				if err != nil || m.err != nil {
					return errInvalid
				}
				todo = append(todo, block{at + int64(signature), length - 2*int64(signature)})
				continue
			}
			if err := f.message(kind, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// message examines a message.
func (f *file) message(kind int, c *cursor) error {
	switch kind {
	case msgLink:
		return f.link(c)
	case msgSymbols:
		tree, err := c.address()
		if err != nil {
			return err
		}
		return f.symbols(tree)
	case msgLinkInfo:
		return f.dense(c, 8, f.link)
	case msgAttrInfo:
		return f.dense(c, 2, f.attribute)
	case msgAttribute:
		return f.attribute(c)
	case msgFiles:
		return f.files(c)
	case msgType:
		f.data.kind(c)
	case msgFilters:
		f.data.pipeline(c)
	case msgLayout:
		copied := *c
		f.data.layout = &copied
		if version := c.uint(1); version >= 4 && c.uint(1) == 3 {
			f.found("a virtual dataset")
		}
		return c.err
	}
	return nil
}
