// YAML: tags that have Python make objects, and call what they name.

package scan

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/weightools/safetensors/internal/window"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/scan/internal/config"
)

// pythonTag is what the tags of PyYAML begin with that are not of YAML itself. A loader
// that is not the safe one makes of what follows an object, or a call.
const pythonTag = "tag:yaml.org,2002:python/"

// callTags are those that import a name, and call it or hand it out (PyYAML,
// constructor.py). A ":" and the name follow.
var callTags = []string{"object/apply", "object/new", "name", "module"}

// isYAML says whether a part is YAML: there is no magic, so its name has to say so.
func (p *part) isYAML(head []byte) bool {
	switch extensionOf(p.name) {
	case ".yaml", ".yml":
		return config.IsText(config.UTF8(head))
	}
	return false
}

// yaml looks at a part in YAML for tags, and for a model of Keras with code in it.
func (p *part) yaml() error {
	p.format = "yaml"
	if p.size > mostConfig || !p.spend(4*costJSON*p.size) {
		p.overBudget(0, "the text takes %s, and fewer are read", bytesOf(p.size))
		return nil
	}
	text := make([]byte, p.size)
	if err := window.ReadFull(p.file, text, 0); err != nil {
		return err
	}
	y := &yamlText{part: p, handles: make(map[string]string)}
	text = config.UTF8(text)
	for _, end := range [...]string{"\u0085", "\u2028", "\u2029"} { // ends of lines, as YAML 1.1 has them
		text = bytes.ReplaceAll(text, []byte(end), []byte("\n  ")[:len(end)])
	}
	for at := 0; at < len(text) && p.left > 0; {
		line := text[at:]
		if end := bytes.IndexAny(line, "\n\r"); end >= 0 {
			line = line[:end]
		}
		y.line(line, int64(at))
		at += len(line) + 1
	}
	if p.left <= 0 {
		p.overWork(0)
	}
	return nil
}

// A yamlText is a text in YAML that is gone through line by line. It is not parsed: where
// a string ends is not known, so that what is in one counts, though not as much.
type yamlText struct {
	*part
	handles map[string]string // what tags begin with, and what that stands for
}

// line looks at one line, which begins at off.
func (y *yamlText) line(line []byte, off int64) {
	if bytes.HasPrefix(line, []byte("%TAG")) {
		const most = 1000 // handles
		if f := strings.Fields(string(line)); len(f) >= 3 && len(y.handles) < most {
			y.handles[f[1]] = unescapeURI(f[2])
		} else if len(y.handles) == most {
			y.overBudget(off, "there are more handles of tags than the %d that are looked at", most)
		}
		return
	}
	if key, value, ok := bytes.Cut(line, []byte("class_name:")); ok && len(bytes.TrimLeft(key, " \t-{?'\"")) == 0 {
		if name := strings.Trim(string(value), " \t'\",}"); name == "Lambda" {
			y.find(RuleKerasLambda, off, "a layer is Python code, which loading makes a function of and calling runs")
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
				y.tag(rest, off+int64(i), !startsNode(line[:i]))
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
func (y *yamlText) resolve(tag string) []string {
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

// tag judges one of PyYAML's tags, which may stand where it is none.
func (y *yamlText) tag(tag string, off int64, doubtful bool) {
	kind, name, _ := strings.Cut(tag, ":")
	verdict, rule := pickle.Suspicious, RuleYAMLTag
	for _, call := range callTags {
		if kind == call && !doubtful {
			verdict, rule = pickle.Dangerous, RuleYAMLCall
		}
	}
	what := "loading makes an object of it, unless by a safe loader"
	if rule == RuleYAMLCall {
		what = "loading imports and calls it, unless by a safe loader"
	}
	y.find(rule, off, "the tag %s: %s", quoted("!!python/"+tag), what)
	if name != "" {
		y.configures(name, "tag", off, verdict, rule)
	}
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
