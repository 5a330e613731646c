// Unpacking: what is packed becomes a part, in little memory and within a budget.

package scan

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"github.com/weightools/safetensors/internal/codec"
	"github.com/weightools/safetensors/internal/extent"
	"github.com/weightools/safetensors/pickle"
)

// A packed is how to unpack something, as often as it takes.
type packed struct {
	*scanning
	codec codec.Codec
	raw   func() io.Reader
	in    *codec.Source // of the last unpacking
	paid  int64         // bytes of it that were paid for
}

// open begins to unpack.
func (u *packed) open() (io.Reader, error) {
	u.in, u.paid = codec.NewSource(u.raw()), 0
	if !u.spend(u.codec.Begin) {
		return nil, errLimit
	}
	return u.codec.Open(u.in)
}

// read reads from a reader of what is unpacked, and pays for it.
func (u *packed) read(r io.Reader, b []byte) (int, error) {
	if u.MaxUnpacked <= 0 || u.left <= 0 {
		return 0, errLimit
	}
	n, err := r.Read(b[:min(int64(len(b)), u.MaxUnpacked)])
	u.MaxUnpacked -= int64(n)
	u.spend((u.in.Used - u.paid + int64(n)/8) * u.codec.Byte >> 8)
	u.paid = u.in.Used
	return n, err
}

// kept is how many bytes of what is unpacked are held. What is larger is unpacked
// again when it is gone back in: most of it is read from front to back.
const kept = 4 << 20

// An unpacked is what something unpacks to, as a file.
type unpacked struct {
	packed
	size   int64
	head   []byte // the first kept bytes, or all
	tail   []byte // the last of them, where the end of an archive would be
	sum    uint32 // CRC-32 of all
	damage error  // why it ends, if it does not end as it should
	used   int64  // bytes of what is packed that it was unpacked from

	r      io.Reader // for what is behind head
	at     int64     // where r is
	window []byte    // what r gave last
	fault  error     // of r, once it had one
}

// unpack unpacks something once, to know how much it is. The error is of reading
// what is packed; that it is damaged is none.
func (s *scanning) unpack(c codec.Codec, raw func() io.Reader) (*unpacked, error) {
	u := &unpacked{packed: packed{scanning: s, codec: c, raw: raw}}
	r, err := u.open()
	if err == nil {
		var head bytes.Buffer
		buf := make([]byte, 32<<10)
		for err == nil {
			var n int
			n, err = u.read(r, buf)
			if room := kept - head.Len(); room > 0 {
				head.Write(buf[:min(n, room)])
			}
			if u.size += int64(n); u.size > kept {
				u.keepTail(buf[:n])
			}
			u.sum = crc32.Update(u.sum, crc32.IEEETable, buf[:n])
		}
		u.head = head.Bytes()
	}
	u.used = u.in.Used
	switch {
	case errors.Is(err, errLimit), codec.Damaged(err):
		u.damage = err
	case !errors.Is(err, io.EOF):
		return nil, err
	}
	return u, nil
}

// keepTail keeps the last bytes of what is unpacked.
func (u *unpacked) keepTail(b []byte) {
	const most = 80 << 10 // bytes: an end record of zip, and the longest comment behind it
	if u.tail = append(u.tail, b...); len(u.tail) > 2*most {
		u.tail = u.tail[:copy(u.tail, u.tail[len(u.tail)-most:])]
	}
}

// ReadAt implements io.ReaderAt, for one goroutine.
func (u *unpacked) ReadAt(b []byte, off int64) (int, error) {
	n := 0
	for n < len(b) {
		at := off + int64(n)
		if at >= u.size {
			return n, io.EOF
		}
		if at < int64(len(u.head)) {
			n += copy(b[n:], u.head[at:])
			continue
		}
		if begin := u.size - int64(len(u.tail)); at >= begin {
			n += copy(b[n:], u.tail[at-begin:])
			continue
		}
		if err := u.seek(at); err != nil {
			return n, err
		}
		n += copy(b[n:], u.window[at-(u.at-int64(len(u.window))):])
	}
	return n, nil
}

// seek sees to it that the byte at off is in the window.
func (u *unpacked) seek(off int64) error {
	if u.r == nil || off < u.at-int64(len(u.window)) {
		r, err := u.open()
		if err != nil {
			return err
		}
		u.r, u.at, u.window, u.fault = r, 0, make([]byte, 0, 64<<10), nil
	}
	for off >= u.at {
		if u.fault != nil {
			if errors.Is(u.fault, io.EOF) {
				return fmt.Errorf("it unpacks to less than before: %w", io.ErrUnexpectedEOF)
			}
			return u.fault
		}
		buf := u.window[:cap(u.window)]
		n, err := u.read(u.r, buf)
		u.window, u.fault = buf[:n], err
		u.at += int64(n)
	}
	return nil
}

// wrapped looks at a part that is packed as a whole. It returns false if it is not,
// although it begins as if it were.
func (p *part) wrapped(c codec.Codec) (bool, error) {
	u, err := p.unpack(c, func() io.Reader { return io.NewSectionReader(p.file, 0, p.size) })
	if err != nil {
		return false, err
	}
	if c.Weak && len(u.head) == 0 && u.damage != nil && !errors.Is(u.damage, errLimit) {
		return false, nil
	}
	p.is(c.Name)
	p.packed = true
	p.find(RuleCompressed, 0, "packed by %s: %s", c.Name, bytesOf(u.size))
	if u.damage != nil {
		p.unscanned(0, "what is packed by %s cannot be unpacked to its end: %v", c.Name, u.damage)
	}
	if u.in.Files > 1 {
		p.find(pickle.RuleTrailing, 0, "%d gzip files stand one after another: not every loader reads the second", u.in.Files)
	}
	p.explain(0, u.used)
	if errors.Is(u.damage, errLimit) {
		p.explain(0, p.size) // the rest is more of it
	}
	if u.damage == nil {
		if err := p.behind(u.used, "what is packed"); err != nil {
			return true, err
		}
	}
	return true, p.opened(u, c.Name)
}

// opened looks at what something unpacks to.
func (p *part) opened(u *unpacked, name string) error {
	sub := p.newPart(p, name, u, u.size)
	sub.name, sub.loaded = strings.TrimSuffix(p.name, extensionOf(p.name)), p.loaded
	sub.goesOn = errors.Is(u.damage, errLimit)
	return p.inside(sub)
}

// behind reports the bytes that follow what takes up the part as a whole. They are
// searched with all else that no format explains.
func (p *part) behind(off int64, what string) error {
	rest := extent.Span{Begin: off, End: p.size}
	if rest.Len() <= 0 {
		return nil
	}
	zero, err := p.zero(rest)
	if err == nil && !zero {
		p.find(pickle.RuleTrailing, off, "%s after the end of %s", bytesOf(rest.Len()), what)
	}
	return err
}
