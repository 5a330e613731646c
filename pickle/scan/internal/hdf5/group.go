// Groups: links to objects, in this file and in others.

package hdf5

import "github.com/weightools/safetensors/pickle"

// Kinds of links.
const (
	hardLink     = 0
	softLink     = 1
	externalLink = 64
)

// mostName is the number of bytes of a name that are read.
const mostName = 1000

// link examines a link.
func (f *file) link(c *cursor) error {
	version, flags := c.uint(1), c.uint(1)
	kind := uint64(hardLink)
	if flags&8 != 0 {
		kind = c.uint(1)
	}
	if flags&4 != 0 {
		c.skip(8)
	}
	if flags&16 != 0 {
		c.skip(1)
	}
	length := c.uint(1 << (flags & 3))
	if c.err != nil || version != 1 || length > uint64(c.end-c.at) {
		return errInvalid
	}
	c.skip(int(length))
	switch kind {
	case hardLink:
		at, err := c.address()
		if err != nil || at == undefined {
			return errInvalid
		}
		f.visit(at)
	case softLink:
	case externalLink:
		c.skip(3) // the length and the flags
		f.found("the file " + quote(c.text(mostName)) + " by a link")
	default:
		f.found("a link of the user's")
	}
	return nil
}

// found reports a reference to another file.
func (f *file) found(what string) {
	f.Find(RuleFile, pickle.Warning, 0, "the HDF5 file contains %s, by which it reads other files", what)
}

// symbols examines a group of the old form, which is a tree of tables.
func (f *file) symbols(root int64) error {
	seen := map[int64]bool{root: true}
	for todo := []int64{root}; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		c := f.to(at)
		signature := string(c.next(4))
		switch signature {
		case "SNOD":
			if err := f.table(c); err != nil {
				return err
			}
			continue
		case "TREE":
		default:
			return errInvalid
		}
		c.skip(2)
		n := int(c.uint(2))
		c.skip(2*f.offsets + f.lengths)
		for range n {
			child, err := c.address()
			if err != nil {
				return err
			}
			c.skip(f.lengths)
			if seen[child] || len(seen) > mostObjects {
				return errInvalid
			}
			seen[child] = true
			todo = append(todo, child)
		}
		if c.err != nil {
			return c.err
		}
	}
	return nil
}

// table examines a table of links, whose signature was read.
func (f *file) table(c *cursor) error {
	c.skip(2)
	for range int(c.uint(2)) {
		c.skip(f.offsets) // the name
		at, err := c.address()
		if err != nil {
			return err
		}
		const soft = 2
		kind := c.uint(4)
		c.skip(20)
		if kind != soft && at != undefined {
			f.visit(at)
		}
	}
	return c.err
}

// files examines the list of the files that contain the data of a dataset.
func (f *file) files(c *cursor) error {
	c.skip(4)
	c.skip(2)
	used := int(c.uint(2))
	heap, err := c.address()
	if err != nil {
		return err
	}
	names := f.to(heap)
	names.signed("HEAP")
	names.skip(4 + 2*f.lengths)
	segment, err := names.address()
	if err != nil {
		return err
	}
	for range used {
		name := f.to(segment + c.length())
		c.skip(2 * f.lengths)
		if c.err != nil {
			return c.err
		}
		f.found("data in the file " + quote(name.text(mostName)))
	}
	return nil
}
