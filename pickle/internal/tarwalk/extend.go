// Extension headers: names and sizes of the next member.

package tarwalk

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/weightools/safetensors/pickle/internal/extent"
)

// mostExtension is the maximum size of an extension header. Names in them are paths.
const mostExtension = 64 << 10

// extend processes an extension header of GNU ('L', 'K') or pax ('x', Solaris's 'X', and 'g' for all members).
func (w *walker) extend(h *header, data extent.Span) error {
	if data.Len() > mostExtension {
		w.fault(OddMember, -1, data.Begin, "an extension header has %d bytes", data.Len())
		return nil
	}
	// Python reads whole blocks, and does not look at the size again.
	b, err := w.window.At(data.Begin, int(data.Len()+(-data.Len()&(blockSize-1))))
	if err != nil {
		return err
	}
	if int64(len(b)) > data.Len() && !zero(b[data.Len():]) {
		w.fault(BadHeader, -1, w.at, "an extension header at byte %d goes on behind its end", w.at)
	}
	if seen := w.seen; seen != 0 && (seen == 'x' || h.kind == 'x' || h.kind == 'X' || seen == h.kind) && h.kind != 'g' {
		w.fault(BadHeader, -1, w.at, "the extension header at byte %d follows another; readers use either", w.at)
	}
	value := text(b)
	switch h.kind {
	case 'L':
		w.name, w.seen = value, h.kind
	case 'K':
		w.link, w.seen = value, h.kind
	default:
		w.pax(b, h.kind == 'g')
	}
	return nil
}

// pax parses records such as "18 path=long/name\n", where the number is the length of the record.
func (w *walker) pax(b []byte, global bool) {
	if !global {
		w.seen = 'x'
	}
	for len(b) > 0 && b[0] != 0 {
		digits, _, ok := bytes.Cut(b, []byte{' '})
		n, err := strconv.ParseUint(string(digits), 10, 31)
		if !ok || err != nil || int(n) <= len(digits)+1 || int(n) > len(b) || b[n-1] != '\n' {
			w.fault(BadHeader, -1, w.at, "the extended header at byte %d has an invalid record", w.at)
			return
		}
		key, value, has := strings.Cut(string(b[len(digits)+1:n-1]), "=")
		w.record(key, value, global || !has)
		b = b[n:]
	}
}

// record applies a record of an extended header. One that is global applies to all members after it, which nothing but
// comments needs.
func (w *walker) record(key, value string, global bool) {
	switch {
	case strings.HasPrefix(key, "GNU.sparse."):
		w.fault(OddMember, -1, w.at, "the extended header at byte %d describes a sparse file", w.at)
		return
	case key != "path" && key != "linkpath" && key != "size":
		return
	case global:
		w.fault(BadHeader, -1, w.at, "the extended header at byte %d sets the %s of all members", w.at, key)
		return
	}
	switch key {
	case "path":
		w.name = value
	case "linkpath":
		w.link = value
	case "size":
		size, err := strconv.ParseUint(value, 10, 63)
		if err != nil { // Python takes it for 0
			w.fault(BadHeader, -1, w.at, "the extended header at byte %d has the invalid size %s", w.at, quoted(value))
		}
		w.length = int64(size)
	}
}
