// The walk over headers and contents.

package tarwalk

import (
	"bytes"
	"cmp"
	"io"
	"math"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle/internal/extent"
	"github.com/weightools/safetensors/pickle/internal/membername"
)

// blockSize is the size of headers, and the alignment of contents.
const blockSize = 512

// Options limit a walk. The zero value has the defaults.
type Options struct {
	// Members is the maximum number of members in the list. 0 means 100,000.
	Members int
}

// Has reports whether a file that starts with head is a tar archive, by the checksum of its first block. A block of
// zeros has none.
func Has(head []byte) bool {
	if len(head) < blockSize {
		return false
	}
	_, ok := parse(head[:blockSize])
	return ok
}

// A walker is the state of a walk.
type walker struct {
	*Archive
	window *bytesio.Window
	size   int64 // file size
	most   int   // maximum number of members
	at     int64 // offset of the next header
	first  int64 // offset of the first header of the next member

	// Fields of the next member from extension headers, "" and -1 if there are none, and the kind of the last of them.
	name, link string
	length     int64
	seen       byte
	names      map[string]bool
}

// Walk parses the archive of the given size in r. The error is a read error, never one of the contents.
func Walk(r io.ReaderAt, size int64, opts *Options) (*Archive, error) {
	w := &walker{Archive: new(Archive), window: bytesio.NewWindow(r, size), size: size, length: -1}
	w.names = make(map[string]bool)
	const usual = 100_000
	w.most = usual
	if opts != nil {
		w.most = cmp.Or(opts.Members, usual)
	}
	for {
		more, err := w.header()
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
	}
	w.End = min(w.at, size)
	return w.Archive, w.rest()
}

// header reads the header at w.at. It returns false at the end of the archive, which is a block of zeros or an invalid
// header.
func (w *walker) header() (more bool, err error) {
	b, err := w.window.At(w.at, blockSize)
	if err != nil {
		return false, err
	}
	if len(b) < blockSize {
		w.Cut = true
		w.fault(Truncated, -1, w.at, "the archive ends at byte %d without an end marker", w.size)
		return false, nil
	}
	if b[0] == 0 && zero(b) {
		return false, nil
	}
	h, ok := parse(b)
	if !ok {
		w.fault(BadHeader, -1, w.at, "there is no valid header at byte %d; readers end there, some of them silently", w.at)
		return false, nil
	}
	if len(w.Members) >= w.most {
		w.Partial = "the archive has too many members"
		return false, nil
	}
	return true, w.take(h)
}

// take processes a header of a member, or an extension header for the next member.
func (w *walker) take(h *header) error {
	if h.odd != "" {
		w.fault(BadHeader, -1, w.at, "the header of %s %s", quoted(h.name), h.odd)
		h.size = max(h.size, 0)
	}
	extends := h.kind == 'L' || h.kind == 'K' || h.kind == 'x' || h.kind == 'X' || h.kind == 'g'
	if w.length >= 0 && !extends {
		h.size = w.length
	}
	data := extent.Span{Begin: w.at + blockSize, End: w.at + blockSize + min(h.size, math.MaxInt64/2)}
	cut := data.End > w.size
	if cut {
		w.fault(Truncated, -1, w.at, "%s ends at byte %d, but the file at %d", quoted(h.name), data.End, w.size)
		data.End = w.size
	}
	next := data.End + (-data.Len() & (blockSize - 1))
	var err error
	if extends && !cut {
		err = w.extend(h, data)
	} else if !extends {
		if h.kind >= '1' && h.kind <= '6' {
			next = data.Begin // links, devices and folders have no content, regardless of their size
			data.End = data.Begin
		}
		w.member(h, data, cut && data.Len() > 0)
		w.first = next
	}
	if err == nil {
		err = w.padding(data.End, min(next, w.size))
	}
	w.at = next
	return err
}

// member adds a member and checks it.
func (w *walker) member(h *header, data extent.Span, cut bool) {
	i := len(w.Members)
	m := Member{Name: cmp.Or(w.name, h.name), Type: h.kind, Link: cmp.Or(w.link, h.link), Header: w.first, Data: data,
		Cut: cut}
	w.name, w.link, w.length, w.seen = "", "", -1, 0
	w.Members = append(w.Members, m)
	if what := membername.Hazard(m.Name); what != "" {
		w.fault(UnsafeName, i, m.Header, "%s %s", quoted(m.Name), what)
	}
	key := membername.Key(m.Name)
	if w.names[key] && m.File() {
		w.fault(Duplicate, i, m.Header, "%s occurs twice; unpacking keeps the last one", quoted(m.Name))
	}
	w.names[key] = true
	switch {
	case m.Type == '1' || m.Type == '2':
		w.fault(Symlink, i, m.Header, "%s unpacks to a link to %s", quoted(m.Name), quoted(m.Link))
	case m.File() || m.Type == '5':
	default:
		w.fault(OddMember, i, m.Header, "%s has type %q and is neither a file nor a folder", quoted(m.Name), m.Type)
	}
}

// padding checks the bytes between a content and the next header.
func (w *walker) padding(begin, end int64) error {
	b, err := w.window.At(begin, int(end-begin))
	if err == nil && !zero(b) {
		w.Gaps = append(w.Gaps, extent.Span{Begin: begin, End: end})
	}
	return err
}

// rest checks the bytes after the end of the archive. Writers pad archives to a multiple of 10,240 bytes with zeros.
func (w *walker) rest() error {
	const most = 16 << 20 // maximum number of bytes that are checked
	begin := int64(-1)
	for at := w.at; at < w.size && at < w.at+most; at += bytesio.WindowSize {
		b, err := w.window.At(at, bytesio.WindowSize)
		if err != nil {
			return err
		}
		if !zero(b) {
			begin = at
			break
		}
	}
	switch {
	case begin >= 0 && w.size-w.at < blockSize: // the first part of a header, which is reported as truncated
		w.Gaps = append(w.Gaps, extent.Span{Begin: begin, End: w.size})
	case begin >= 0:
		w.Gaps = append(w.Gaps, extent.Span{Begin: begin, End: w.size})
		w.fault(TrailingData, -1, begin, "non-zero bytes follow the end of the archive")
	case w.size-w.at > most && w.Partial == "":
		w.Partial = "too many bytes follow the end of the archive"
	}
	return nil
}

// zero reports whether all bytes are zero.
func zero(b []byte) bool { return len(bytes.TrimLeft(b, "\x00")) == 0 }
