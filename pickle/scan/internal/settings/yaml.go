// YAML, and the tags by which its readers create objects.

package settings

import (
	"bytes"
	"strings"

	"github.com/weightools/safetensors/pickle/scan/internal/yaml"
)

// A Tag is a tag of a program, not of YAML itself.
type Tag struct {
	Name    string // in full
	At      int64  // offset of the first one in bytes
	Count   int
	Certain bool // whether PyYAML creates the object; if not, the text is no valid YAML there
}

// mostTags is the maximum number of different tags.
const mostTags = 10_000

// A YAML passes the values of a YAML text to its Walker and collects its tags.
type YAML struct {
	Walker
	Tags    []Tag
	Crowded bool        // whether there are more than mostTags, or as many anchors
	Invalid *yaml.Error // where the text is no valid YAML; nil if it is

	index   map[string]int // of Tags, by name
	pending []int          // indices of the tags of the current document
	anchors map[string][]byte
	dead    bool   // the document refers to an anchor that it does not have
	keys    []bool // of the open mappings: whether a key is next
}

// Read reads a text in UTF-8.
func (y *YAML) Read(text []byte) {
	y.index, y.anchors = make(map[string]int), make(map[string][]byte)
	if err := yaml.Parse(text, (*nodes)(y)); err != nil {
		y.Invalid, _ = err.(*yaml.Error)
		y.lines(text, max(y.Invalid.At, 0))
	}
}

// tagged records a tag.
func (y *YAML) tagged(name string, at int64, pending bool) {
	if name == "" || name == "!" || builtin(name) {
		return
	}
	i, ok := y.index[name]
	if !ok {
		if len(y.Tags) == mostTags {
			y.Crowded = true
			return
		}
		i = len(y.Tags)
		y.index[name] = i
		y.Tags = append(y.Tags, Tag{Name: name, At: at})
	}
	y.Tags[i].Count++
	if pending && !y.Tags[i].Certain {
		y.pending = append(y.pending, i)
	}
}

// builtin reports whether a tag is one of YAML's types.
func builtin(tag string) bool {
	rest, ok := strings.CutPrefix(tag, yaml.Standard)
	switch rest {
	case "null", "bool", "int", "float", "binary", "timestamp", "omap", "pairs", "set", "str", "seq", "map", "merge",
		"value", "yaml":
		return ok
	}
	return false
}

// nodes is the visitor of a YAML.
type nodes YAML

// Open begins a mapping or a sequence.
func (n *nodes) Open(mapping bool, node yaml.Node) {
	y := (*YAML)(n)
	y.node(&node, nil)
	y.part()
	y.Walker.Open(mapping, node.At)
	y.keys = append(y.keys, mapping)
}

// Close ends a mapping or a sequence.
func (n *nodes) Close() {
	y := (*YAML)(n)
	y.keys = y.keys[:len(y.keys)-1]
	y.Walker.Close()
}

// Scalar is a scalar.
func (n *nodes) Scalar(node yaml.Node) {
	y := (*YAML)(n)
	y.node(&node, node.Value)
	y.scalar(node.Value, node.Plain, node.At)
}

// Alias refers to another node.
func (n *nodes) Alias(node yaml.Node) {
	y := (*YAML)(n)
	value, ok := y.anchors[string(node.Value)]
	if !ok {
		y.dead = true
	}
	y.scalar(value, false, node.At)
}

// End ends a document.
func (n *nodes) End() {
	y := (*YAML)(n)
	for _, i := range y.pending {
		y.Tags[i].Certain = y.Tags[i].Certain || !y.dead
	}
	y.pending, y.dead = y.pending[:0], false
	clear(y.anchors)
}

// node records the properties of a node.
func (y *YAML) node(n *yaml.Node, value []byte) {
	if n.Tag != "" {
		y.tagged(n.Tag, n.At, true)
	}
	if n.Anchor != "" {
		_, twice := y.anchors[n.Anchor]
		y.dead = y.dead || twice
		if len(y.anchors) == mostTags {
			y.Crowded = true
			return
		}
		y.anchors[n.Anchor] = value
	}
}

// part records that a key or a value begins, and reports whether it is a key.
func (y *YAML) part() (key bool) {
	last := len(y.keys) - 1
	if last < 0 || !y.frames[last].object {
		return false
	}
	key = y.keys[last]
	y.keys[last] = !key
	return key
}

// scalar passes a scalar on.
func (y *YAML) scalar(value []byte, plain bool, at int64) {
	if y.part() {
		y.Key(value, at)
		return
	}
	str := true
	if plain {
		switch string(value) {
		case "null", "Null", "NULL", "~", "":
			value, str = []byte("null"), false
		}
	}
	y.Value(value, str, at)
}

// lines searches the rest of a text, which PyYAML does not read, for tags at the places where
// other readers may see one: at the beginning of a line or after an indicator.
func (y *YAML) lines(text []byte, from int64) {
	handles := yaml.Handles()
	begin := min(int(from), len(text))
	begin = bytes.LastIndexAny(text[:begin], "\r\n") + 1
	for at := begin; at < len(text); at++ {
		n := bytes.IndexAny(text[at:], "!%")
		if n < 0 {
			return
		}
		at += n
		if text[at] == '%' {
			if at == 0 || text[at-1] == '\n' || text[at-1] == '\r' {
				directive(text[at:], handles)
			}
			continue
		}
		before := bytes.TrimRight(text[max(at-100, 0):at], " \t")
		if len(before) > 0 && bytes.IndexByte([]byte("\r\n-?:[{,"), before[len(before)-1]) < 0 &&
			!bytes.HasSuffix(before, []byte("\u2028")) && !anchored(before) {
			continue
		}
		end := min(at+512, len(text))
		if i := bytes.IndexAny(text[at:end], " \t\r\n,[]{}\"'`"); i > 0 && !bytes.HasPrefix(text[at:], []byte("!<")) {
			end = at + i
		} else if i := bytes.IndexByte(text[at:end], '>'); i > 0 {
			end = at + i
		}
		tag := resolve(string(text[at:end]), handles)
		if strings.HasPrefix(tag, yaml.Standard) || strings.HasPrefix(tag, "!ruby/") || strings.HasPrefix(tag, "!php/") {
			y.tagged(tag, int64(at), false)
		}
		at = end - 1
	}
}

// anchored reports whether b ends with an anchor.
func anchored(b []byte) bool {
	i := bytes.LastIndexAny(b, " \t\r\n")
	return i+1 < len(b) && b[i+1] == '&'
}

// directive records the handle of a tag directive.
func directive(line []byte, handles map[string]string) {
	const most, longest = 1000, 1000
	if !bytes.HasPrefix(line, []byte("%TAG")) || len(handles) >= most {
		return
	}
	line = line[:min(len(line), longest)]
	if end := bytes.IndexAny(line, "\r\n"); end >= 0 {
		line = line[:end]
	}
	if f := strings.Fields(string(line)); len(f) >= 3 && f[0] == "%TAG" {
		handles[f[1]] = f[2]
	}
}

// resolve returns a tag in full.
func resolve(tag string, handles map[string]string) string {
	if rest, ok := strings.CutPrefix(tag, "!<"); ok {
		return yaml.Unescape(rest)
	}
	handle := "!"
	if i := strings.IndexByte(tag[1:], '!'); i >= 0 {
		handle = tag[:i+2]
	}
	return yaml.Unescape(handles[handle] + tag[len(handle):])
}
