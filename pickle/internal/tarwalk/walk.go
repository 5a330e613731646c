// The walk: header after header, each of one block, with its content behind it.

package tarwalk

import (
	"bytes"
	"cmp"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle/internal/extent"
	"github.com/weightools/safetensors/pickle/internal/membername"
)

// blockSize is the size in bytes of headers, and what contents are padded to.
const blockSize = 512

// Options say how far a walk goes. The zero Options are the default.
type Options struct {
	// Members is how many members are listed at most. 0 means 100,000.
	Members int
}

// Has says whether a file that begins with head is a tar archive: whether its first
// block is a header, by its checksum. A file of zeros is none.
func Has(head []byte) bool {
	if len(head) < blockSize || head[0] == 0 {
		return false
	}
	_, ok := parse(head[:blockSize])
	return ok
}

// A walker is a walk in progress.
type walker struct {
	*Archive
	window *bytesio.Window
	size   int64 // of the file
	most   int   // members
	at     int64 // where the next header is
	first  int64 // where the first of the headers of the next member is

	// What headers before that of a member say of it, "" and -1 if they do not.
	name, link string
	length     int64
	names      map[string]bool
}

// Walk takes the archive of the given size behind r apart. The error is of reading
// r, and never of what was read.
func Walk(r io.ReaderAt, size int64, opts *Options) (*Archive, error) {
	w := &walker{Archive: new(Archive), window: bytesio.NewWindow(r, size), size: size, length: -1, names: make(map[string]bool)}
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

// header reads the header at w.at. It returns false at the end of the archive: where
// a block is zero, or is no header.
func (w *walker) header() (more bool, err error) {
	b, err := w.window.At(w.at, blockSize)
	if err != nil {
		return false, err
	}
	if len(b) < blockSize {
		w.fault(Truncated, -1, w.at, "the archive ends at byte %d without an end mark", w.size)
		return false, nil
	}
	if b[0] == 0 && zero(b) {
		return false, nil
	}
	h, ok := parse(b)
	if !ok {
		w.fault(BadHeader, -1, w.at, "at byte %d a header is due, and there is none: readers end there, some of them silently", w.at)
		return false, nil
	}
	if len(w.Members) >= w.most {
		w.Partial = "the archive has more members than are looked at"
		return false, nil
	}
	return true, w.take(h)
}

// take takes a header: that of a member, or one that says more about the next.
func (w *walker) take(h *header) error {
	if h.size < 0 {
		w.fault(BadHeader, -1, w.at, "the size of %s is no number", quoted(h.name))
		h.size = 0
	}
	if w.length >= 0 && h.kind != 'x' && h.kind != 'L' && h.kind != 'K' {
		h.size = w.length
	}
	data := extent.Span{Begin: w.at + blockSize, End: w.at + blockSize + min(h.size, math.MaxInt64/2)}
	if data.End > w.size {
		w.fault(Truncated, -1, w.at, "%s is said to end at byte %d, and the file at %d", quoted(h.name), data.End, w.size)
		data.End = w.size
	}
	next := data.End + (-data.Len() & (blockSize - 1))
	var err error
	switch h.kind {
	case 'L', 'K', 'x', 'g':
		err = w.extend(h, data)
	default:
		if h.kind >= '1' && h.kind <= '6' {
			next = data.Begin // a link, a device or a folder has no content, whatever its size
			data.End = data.Begin
		}
		w.member(h, data)
		w.first = next
	}
	if err == nil {
		err = w.padding(data.End, min(next, w.size))
	}
	w.at = next
	return err
}

// mostExtension is how many bytes of headers about headers are read: the names in
// them are paths.
const mostExtension = 64 << 10

// extend takes what a header says about the next, by GNU ('L', 'K') or pax ('x').
// That of pax for all that follow ('g') says nothing in use that matters here.
func (w *walker) extend(h *header, data extent.Span) error {
	if data.Len() > mostExtension {
		w.fault(OddMember, -1, data.Begin, "a header about the next takes %d bytes", data.Len())
		return nil
	}
	b, err := w.window.At(data.Begin, int(data.Len()))
	if err != nil {
		return err
	}
	text, _, _ := bytes.Cut(b, []byte{0})
	switch h.kind {
	case 'L':
		w.name = string(text)
	case 'K':
		w.link = string(text)
	case 'x':
		w.pax(b)
	}
	return nil
}

// pax reads records such as "18 path=long/name\n", of which the number is the length.
func (w *walker) pax(b []byte) {
	for len(b) > 0 {
		digits, _, ok := bytes.Cut(b, []byte{' '})
		n, err := strconv.Atoi(string(digits))
		if !ok || err != nil || n <= len(digits)+1 || n > len(b) {
			w.fault(BadHeader, -1, w.at, "the extended header at byte %d has a record that is none", w.at)
			return
		}
		key, value, _ := strings.Cut(strings.TrimSuffix(string(b[len(digits)+1:n]), "\n"), "=")
		switch key {
		case "path":
			w.name = value
		case "linkpath":
			w.link = value
		case "size":
			if size, err := strconv.ParseInt(value, 10, 64); err == nil && size >= 0 {
				w.length = size
			}
		}
		b = b[n:]
	}
}

// member adds a member and judges it.
func (w *walker) member(h *header, data extent.Span) {
	i := len(w.Members)
	m := Member{Name: cmp.Or(w.name, h.name), Type: h.kind, Link: cmp.Or(w.link, h.link), Header: w.first, Data: data}
	w.name, w.link, w.length = "", "", -1
	w.Members = append(w.Members, m)
	if what := membername.Hazard(m.Name); what != "" {
		w.fault(UnsafeName, i, m.Header, "%s %s", quoted(m.Name), what)
	}
	key := membername.Key(m.Name)
	if w.names[key] && m.File() {
		w.fault(Duplicate, i, m.Header, "%s stands twice: unpacking keeps the last", quoted(m.Name))
	}
	w.names[key] = true
	switch {
	case m.Type == '1' || m.Type == '2':
		w.fault(Symlink, i, m.Header, "%s is a link to %s once it is unpacked", quoted(m.Name), quoted(m.Link))
	case m.File() || m.Type == '5':
	default:
		w.fault(OddMember, i, m.Header, "%s is of type %q, neither a file nor a folder", quoted(m.Name), m.Type)
	}
}

// padding looks at what is between a content and the next header.
func (w *walker) padding(begin, end int64) error {
	b, err := w.window.At(begin, int(end-begin))
	if err == nil && !zero(b) {
		w.Gaps = append(w.Gaps, extent.Span{Begin: begin, End: end})
	}
	return err
}

// rest looks at what follows the end of the archive. Writers fill up to a multiple of
// 10,240 bytes with zeros.
func (w *walker) rest() error {
	const most = 16 << 20 // bytes that are looked at
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
	case begin >= 0:
		w.Gaps = append(w.Gaps, extent.Span{Begin: begin, End: w.size})
		w.fault(TrailingData, -1, begin, "bytes that are not zero follow the end of the archive")
	case w.size-w.at > most && w.Partial == "":
		w.Partial = "more bytes than are looked at follow the end of the archive"
	}
	return nil
}

// zero says whether all bytes are.
func zero(b []byte) bool { return len(bytes.TrimLeft(b, "\x00")) == 0 }
