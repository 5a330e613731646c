// Tags and their handles.

// Package yaml finds the tags in a YAML text by which PyYAML creates objects and calls
// functions.
package yaml

import (
	"bytes"
	"strconv"
	"strings"
)

// pythonTag is the prefix of PyYAML's own tags. Loaders other than the safe one create
// an object or make a call for them.
const pythonTag = "tag:yaml.org,2002:python/"

// A Text searches a YAML text line by line without parsing it. It does not know where strings
// end, so tags within strings are reported as doubtful.
type Text struct {
	visit   Visitor
	handles map[string]string // tag handles and their prefixes
}

// A Visitor receives the findings in a text.
type Visitor interface {
	// Lambda is called for a Keras layer with Python code.
	Lambda(off int64)
	// Tag is called for a tag of PyYAML, without its prefix. A doubtful tag may be part of
	// a string.
	Tag(tag string, off int64, doubtful bool)
	// Crowded is called if there are more tag handles than the maximum.
	Crowded(off int64, most int)
}

// New returns a Text before its first line.
func New(v Visitor) *Text { return &Text{visit: v, handles: make(map[string]string)} }

// Line searches the next line, which begins at off.
func (y *Text) Line(line []byte, off int64) {
	if bytes.HasPrefix(line, []byte("%TAG")) {
		const most = 1000 // handles
		if f := strings.Fields(string(line)); len(f) >= 3 && len(y.handles) < most {
			y.handles[f[1]] = unescapeURI(f[2])
		} else if len(y.handles) == most {
			y.visit.Crowded(off, most)
		}
		return
	}
	if key, value, ok := bytes.Cut(line, []byte("class_name:")); ok && len(bytes.TrimLeft(key, " \t-{?'\"")) == 0 {
		if name := strings.Trim(string(value), " \t'\",}"); name == "Lambda" {
			y.visit.Lambda(off)
		}
	}
	for i := 0; i < len(line); i++ {
		n := bytes.IndexByte(line[i:], '!')
		if n < 0 {
			return
		}
		i += n
		if i > 0 && strings.IndexByte(" \t[{,:-?&\"'#", line[i-1]) < 0 {
			continue
		}
		end := tagEnd(line[i:])
		for _, tag := range y.resolve(string(line[i : i+end])) {
			if rest, ok := strings.CutPrefix(tag, pythonTag); ok {
				y.visit.Tag(rest, off+int64(i), !startsNode(line[:i]))
				break
			}
		}
		i += max(end-1, 0)
	}
}

// tagEnd returns the length of the tag at the beginning of b.
func tagEnd(b []byte) int {
	end := bytes.IndexAny(b, " \t,[]{}\"'")
	if bytes.HasPrefix(b, []byte("!<")) {
		end = bytes.IndexByte(b, '>') + 1
	}
	if end <= 0 {
		return len(b)
	}
	return end
}

// startsNode reports whether a tag may follow the text before it in its line: an indicator,
// an anchor or nothing, rather than the middle of a string or a comment.
func startsNode(before []byte) bool {
	if bytes.Count(before, []byte(`"`))%2+bytes.Count(before, []byte("'"))%2 > 0 || bytes.Contains(before,
		[]byte(" #")) || bytes.HasPrefix(before, []byte("#")) {
		return false
	}
	before = bytes.TrimRight(before, " \t")
	if i := bytes.LastIndexAny(before, " \t"); bytes.HasPrefix(before[i+1:], []byte("&")) {
		return true
	}
	return len(before) == 0 || strings.IndexByte("-?:[{,", before[len(before)-1]) >= 0
}

// resolve returns the full tag: the text between "<" and ">", or the prefix of its handle and
// its suffix. A directive is valid until the end of its document, which is not tracked, so
// each tag has two meanings: with the directive and without.
func (y *Text) resolve(tag string) []string {
	if rest, ok := strings.CutPrefix(tag, "!<"); ok {
		return []string{unescapeURI(strings.TrimSuffix(rest, ">"))}
	}
	handle, usual := "!", "!"
	if i := strings.IndexByte(tag[1:], '!'); i >= 0 {
		handle = tag[:i+2]
	}
	if handle == "!!" {
		usual = "tag:yaml.org,2002:"
	}
	rest := unescapeURI(tag[len(handle):])
	return []string{usual + rest, y.handles[handle] + rest}
}

// unescapeURI decodes the percent escapes of a tag.
func unescapeURI(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(n))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
