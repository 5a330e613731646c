// Tags: how they are written, and what their handles stand for.

// Package yaml finds the tags of PyYAML in a text, by which loading makes objects and calls.
package yaml

import (
	"bytes"
	"strconv"
	"strings"
)

// pythonTag is what the tags of PyYAML begin with that are not of YAML itself. A loader
// that is not the safe one makes of what follows an object, or a call.
const pythonTag = "tag:yaml.org,2002:python/"

// A Text is a text in YAML that is gone through line by line. It is not parsed: where
// a string ends is not known, so that what is in one counts, though not as much.
type Text struct {
	visit   Visitor
	handles map[string]string // what tags begin with, and what that stands for
}

// A Visitor is told of what is in a text.
type Visitor interface {
	// Lambda is told of a layer of Keras that is Python code.
	Lambda(off int64)
	// Tag is told of one of PyYAML's own tags, without what they all begin with; doubtful
	// says that it may stand where it is none.
	Tag(tag string, off int64, doubtful bool)
	// Crowded is told that there are more handles of tags than are looked at.
	Crowded(off int64, most int)
}

// New returns a text of which no line was read.
func New(v Visitor) *Text { return &Text{visit: v, handles: make(map[string]string)} }

// Line looks at the next line, which begins at off.
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

// tagEnd returns how long the tag is that b begins with.
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

// startsNode says whether a tag may stand behind what comes before it in its line: an
// indicator, an anchor or nothing, and not the middle of a string or of a comment.
func startsNode(before []byte) bool {
	if bytes.Count(before, []byte(`"`))%2+bytes.Count(before, []byte("'"))%2 > 0 || bytes.Contains(before, []byte(" #")) || bytes.HasPrefix(before, []byte("#")) {
		return false
	}
	before = bytes.TrimRight(before, " \t")
	if i := bytes.LastIndexAny(before, " \t"); bytes.HasPrefix(before[i+1:], []byte("&")) {
		return true
	}
	return len(before) == 0 || strings.IndexByte("-?:[{,", before[len(before)-1]) >= 0
}

// resolve returns a tag in full: as it stands between "<" and ">", or with what its handle
// stands for. A directive gives handles a meaning up to the end of a document, which is not
// looked for: so each tag has two meanings, with it and without.
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

// unescapeURI returns a tag with its escapes, "%" and two hexadecimal digits, read.
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
