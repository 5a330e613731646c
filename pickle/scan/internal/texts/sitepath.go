// Files of Python's module site, which runs some of their lines.

package texts

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/weightools/safetensors/pickle"
)

// SitePath judges the bytes of a .pth file of any format, and reports whether it found something. If such a file is
// in a folder of packages, Python runs each line that begins with "import" when it starts. It decodes the file in
// UTF-8, and on Windows in code page 1252; versions before 3.13 run the lines before a page that is not valid.
func (r *Reader) SitePath(text io.Reader) (found bool, err error) {
	const page, overlap = 8 << 10, 16 // bytes
	buf := make([]byte, overlap+page)
	kept := 0          // bytes of the previous page at the start of buf
	var partial []byte // the start of a character at the end of the previous page
	unicode, windows := true, true
	for at := int64(0); unicode || windows; at += page {
		n, err := io.ReadFull(text, buf[kept:kept+page])
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return false, err
		}
		if !r.Spend(int64(n) / 2) {
			r.OverWork(at)
			return false, nil
		}
		b := buf[:kept+n]
		if unicode {
			partial, unicode = valid(append(partial, b[kept:]...))
		}
		windows = windows && !undefined(b[kept:])
		if i := importLine(b, at == 0); i >= 0 && (unicode || windows) {
			r.importsLine(b[i:], at+int64(i-kept), unicode)
			return true, nil
		}
		if n < page {
			return false, nil
		}
		kept = copy(buf, b[len(b)-overlap:])
	}
	return false, nil
}

// importsLine reports the line at the start of b.
func (r *Reader) importsLine(b []byte, at int64, unicode bool) {
	line, _, _ := bytes.Cut(b[:min(len(b), 80)], []byte("\n"))
	s, when := pickle.Error, "whenever Python starts"
	if !unicode {
		s, when = pickle.Warning, "whenever Python starts on Windows"
	}
	r.find(RuleSitePath, s, at, "the line %s runs %s, if the file is in a folder of packages",
		quoted(strings.TrimSpace(strings.ToValidUTF8(string(line), "?"))), when)
}

// valid reports whether b is valid UTF-8, apart from the start of a character at its end, which it returns.
func valid(b []byte) (partial []byte, ok bool) {
	for i := max(len(b)-utf8.UTFMax, 0); i < len(b); i++ {
		if utf8.RuneStart(b[i]) && !utf8.FullRune(b[i:]) {
			return bytes.Clone(b[i:]), utf8.Valid(b[:i])
		}
	}
	return nil, utf8.Valid(b)
}

// undefined reports whether b has a byte that code page 1252 does not define.
func undefined(b []byte) bool {
	for _, c := range [...]byte{0x81, 0x8d, 0x8f, 0x90, 0x9d} {
		if bytes.IndexByte(b, c) >= 0 {
			return true
		}
	}
	return false
}

// importLine returns the position of the first line that begins with "import" and a blank, or -1. Python divides lines
// at all characters that Unicode regards as line breaks. If start is set, b begins with a line, which a byte order mark
// may precede.
func importLine(b []byte, start bool) int {
	for at := 0; ; at += len("import") {
		i := bytes.Index(b[at:], []byte("import"))
		if i < 0 {
			return -1
		}
		at += i
		before, after := b[:at], b[at+len("import"):]
		if len(after) == 0 || after[0] != ' ' && after[0] != '\t' {
			continue
		}
		if start && (at == 0 || string(before) == "\ufeff") {
			return at
		}
		if at > 0 && bytes.IndexByte([]byte("\n\r\v\f\x1c\x1d\x1e\x85"), before[at-1]) >= 0 ||
			bytes.HasSuffix(before, []byte("\u2028")) || bytes.HasSuffix(before, []byte("\u2029")) {
			return at
		}
	}
}
