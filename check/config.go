// Configurations: JSON that is read as far as it is needed, whatever it holds.

package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/wording"
)

// maxConfig is the largest configuration that is read, in bytes. Published ones
// have a few kilobytes, and some megabytes if they have an entry for each of tens of
// thousands of quantised experts.
const maxConfig = 32 << 20

// An object is a JSON object, of which the members are read when they are asked
// for: so nothing recurses, and only what is of use is taken apart. Of two members
// of one name the last counts, as for Python's parser. The nil object is one without
// members.
type object map[string]value

// A value is any JSON value. The zero value is one that is not there.
type value struct {
	name string
	kind jsonscan.Kind
	text []byte
	at   safetensors.Span // where it stands, with the name before it
}

// parseObject reads an object that begins at the given byte of its file.
func parseObject(text []byte, offset int64) (object, error) {
	s := jsonscan.New(text)
	o := make(object)
	if err := s.Open(jsonscan.Object); err != nil {
		return nil, err
	}
	for first := true; ; first = false {
		more, err := s.More(jsonscan.Object, first)
		if err != nil {
			return nil, err
		}
		if !more {
			return o, s.End()
		}
		begin := s.Pos()
		key, err := s.Key()
		if err != nil {
			return nil, err
		}
		start, kind, err := s.Skip()
		if err != nil {
			return nil, err
		}
		text := s.Text(key.Begin, key.End)
		if key.Escaped {
			text = jsonscan.Unescape(bytes.Clone(text))
		}
		name := string(text)
		o[name] = value{name, kind, s.Text(start, s.Pos()), safetensors.Span{Begin: offset + int64(begin), End: offset + int64(s.Pos())}}
	}
}

// first returns the first of the members that is there and not null.
func (o object) first(names ...string) value {
	for _, name := range names {
		if v, ok := o[name]; ok && v.kind != jsonscan.Null {
			return v
		}
	}
	return value{}
}

// object returns v as an object, nil if it is none.
func (v value) object() object {
	if v.kind != jsonscan.Object {
		return nil
	}
	o, err := parseObject(v.text, v.at.End-int64(len(v.text)))
	if err != nil {
		return nil // not possible: it was scanned with what is around it
	}
	return o
}

// int returns v as a whole number of at least 0.
func (v value) int() (int64, bool) {
	if v.kind != jsonscan.Number {
		return 0, false
	}
	return natural(v.text)
}

// natural returns the number that digits make, which have to be digits.
func natural(digits []byte) (int64, bool) {
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	n, ok := jsonscan.Uint(digits)
	return int64(n), ok && len(digits) > 0 && int64(n) >= 0
}

// ints returns v as whole numbers, if it is an array of at most a few.
func (v value) ints() []int64 {
	const most = 200 // bytes
	if v.kind != jsonscan.Array || len(v.text) > most {
		return nil
	}
	var all []int64
	for _, one := range bytes.Split(v.text[1:len(v.text)-1], []byte(",")) {
		n, ok := natural(bytes.TrimSpace(one))
		if !ok {
			return nil
		}
		all = append(all, n)
	}
	return all
}

// string returns v as a string, "" if it is none, or has escapes, as no name does
// that is of use here.
func (v value) string() string {
	if v.kind != jsonscan.String || bytes.IndexByte(v.text, '\\') >= 0 {
		return ""
	}
	return string(v.text[1 : len(v.text)-1])
}

// A config is a file of JSON beside weights.
type config struct {
	path string
	raw  []byte // nil if there is no such file, or it is none of JSON
	top  object // nil if there is no such file, or it is broken
	text object // of the language model in one that has several, or top
}

// config returns the configuration of the given name in a folder, read once. One
// that is broken is reported, and counts as absent.
func (r *repository) config(ctx context.Context, folder, name string) *config {
	file := path.Join(folder, name)
	if c := r.configs[file]; c != nil {
		return c
	}
	c := &config{path: file}
	r.configs[file] = c
	if r.sizes != nil && !r.has(file) {
		return c // the list says that it is not there, and to ask a server costs time
	}
	text, err := r.readConfig(ctx, file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c
	case err != nil:
		r.failed(file, err)
		return c
	case text == nil:
		return c // which was reported
	}
	if t := filetype.DetectHead(text[:min(len(text), filetype.HeadSize)]); t.Kind.StandIn() {
		if !r.has(file) { // or it was reported with the other files
			r.found(file).Add(RuleNotFetched, "", safetensors.Span{End: int64(len(text))}, "%s is %s", quote(name), t)
		}
		return c
	}
	c.raw = text
	if c.top, err = parseObject(pythonic(text), 0); err != nil {
		at := safetensors.Span{}
		var syntax *jsonscan.SyntaxError
		if errors.As(err, &syntax) {
			at = safetensors.Span{Begin: int64(syntax.Offset), End: min(int64(syntax.Offset)+1, int64(len(text)))}
		}
		r.found(file).Add(RuleConfigJSON, "", at, "%s cannot be read: %v", quote(path.Base(file)), err)
		c.top = nil
	}
	c.text = c.top
	for _, part := range []string{"text_config", "llm_config", "language_config"} {
		if o := c.top.first(part).object(); o != nil {
			c.text = o
			break
		}
	}
	return c
}

// readConfig reads a whole file that is no larger than a configuration may be; nil
// if it is, which is reported. Memory is taken as bytes arrive.
func (r *repository) readConfig(ctx context.Context, file string) ([]byte, error) {
	object, err := r.from.Open(ctx, file)
	if err != nil {
		return nil, err
	}
	defer object.Close()
	if size := object.Size(); size > maxConfig {
		r.found(file).Add(RuleConfigJSON, "", safetensors.Span{End: size}, "%s takes %s, and is not read: configurations have %d at most",
			quote(path.Base(file)), count(size, "byte"), maxConfig)
		return nil, nil
	}
	text, err := io.ReadAll(io.NewSectionReader(object.ReaderAt(ctx), 0, object.Size()))
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", file, err)
	}
	return text, nil
}

// pythonic returns text in which the numbers that only Python's JSON has are zeros
// of the same length. Configurations of state space models are published with
// "time_step_limit": [0.0, Infinity].
func pythonic(text []byte) []byte {
	if !bytes.Contains(text, []byte("Infinity")) && !bytes.Contains(text, []byte("NaN")) {
		return text
	}
	text = bytes.Clone(text)
	inString := false
	for i := 0; i < len(text); i++ {
		switch {
		case inString && text[i] == '\\':
			i++
		case text[i] == '"':
			inString = !inString
		case !inString:
			for _, word := range []string{"Infinity", "NaN"} {
				if bytes.HasPrefix(text[i:], []byte(word)) {
					copy(text[i:], "0       "[:len(word)])
				}
			}
		}
	}
	return text
}

// int returns a whole number by any of its names, from the part about the language
// model if there is one. What that leaves out is as the library has it, and nothing
// that is said of another part.
func (c *config) int(names ...string) (n int64, from value, ok bool) {
	from = c.text.first(names...)
	n, ok = from.int()
	return n, from, ok
}

// flag returns a true or false, and whether it is there; not if the parts of the
// configuration say different things.
func (c *config) flag(name string) (is, ok bool) {
	a, b := c.text.first(name), c.top.first(name)
	if a.kind == 0 {
		a = b
	}
	if b.kind != 0 && a.kind != b.kind {
		return false, false
	}
	return a.kind == jsonscan.True, a.kind == jsonscan.True || a.kind == jsonscan.False
}

// String returns a number with its name, as in "hidden_size 4096". The name is one
// that was asked for.
func (v value) String() string {
	n, _ := v.int()
	return v.name + " " + wording.Grouped(n).String()
}
