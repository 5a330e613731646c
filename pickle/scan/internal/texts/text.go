// Whole files of text.

package texts

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/settings"
)

// MostText is the size of the longest text that is read, apart from JSON, in bytes.
const MostText = 16 << 20

// extension returns the extension of the file's name in lower case, with its dot.
func (r *Reader) extension() string { return strings.ToLower(path.Ext(r.Name)) }

// saysYAML reports whether the name promises YAML.
func (r *Reader) saysYAML() bool {
	switch r.extension() {
	case ".yaml", ".yml":
		return true
	}
	return strings.EqualFold(r.Name, "MLmodel")
}

// saysTemplate reports whether the name promises a template.
func (r *Reader) saysTemplate() bool {
	switch r.extension() {
	case ".jinja", ".jinja2", ".j2", ".template", ".tmpl", ".tpl":
		return true
	}
	name := strings.ToLower(r.Name)
	return (strings.Contains(name, "template") || strings.Contains(name, "jinja")) && language(r.extension()) == "" &&
		!prose(r.extension())
}

// Text judges a file that is a text, and returns its format.
func (r *Reader) Text(text []byte) string {
	if !r.Spend(int64(len(text)) * costYAML) {
		r.OverWork(0)
		return "text"
	}
	format := "text"
	valid := r.yaml(text, 0)
	switch {
	case r.saysYAML():
		if format = "yaml"; !valid {
			r.Unread("it is named like YAML, but PyYAML cannot parse it")
		}
	case r.extension() == ".json":
		r.Unread("it is named like JSON, but is not valid JSON")
	}
	if at := target(text); at >= 0 && !r.named && !prose(r.extension()) && language(r.extension()) == "" {
		r.find(RuleConfigCall, pickle.Warning, int64(at), "the text has the key _target_, in a form that is not parsed")
	}
	if r.extension() == ".cfg" {
		r.registered(text)
	}
	r.Template(text, 0, r.saysTemplate())
	if f := r.source(text); f != "" {
		format = f
	}
	return format
}

// registered reports the functions that a configuration of spaCy names, except functions of spaCy itself.
func (r *Reader) registered(text []byte) {
	for _, at := range registry().FindAllSubmatchIndex(text, 100) {
		key, name := string(text[at[2]:at[3]]), string(text[at[4]:at[5]])
		if root, _, _ := strings.Cut(name, "."); !strings.HasPrefix(root, "spacy") && root != "thinc" {
			r.find(RuleConfigCall, pickle.Warning, int64(at[0]), "%s names %s, a registered function that spaCy calls",
				quoted(key), quoted(name))
		}
	}
}

// registry finds the functions that a configuration of spaCy names.
var registry = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(@(?:callbacks|misc|readers|loggers|initializers|augmenters|scorers|factories|batchers|` +
		`tokenizers|lookups|displacy_colors))["']?\s*[=:]\s*["']([^"'\n]{1,200})["']`)
})

// target returns the offset of the key _target_ in a text that is not parsed, or -1.
func target(text []byte) int {
	const key = "_target_"
	for at := 0; ; at += len(key) {
		i := bytes.Index(text[at:], []byte(key))
		if i < 0 {
			return -1
		}
		at += i
		end := at + len(key)
		if (at == 0 || bytes.IndexByte([]byte(" \t\r\n\"'{,(.[-"), text[at-1]) >= 0) &&
			end < len(text) && bytes.IndexByte([]byte(" \t\"'=:]"), text[end]) >= 0 {
			return at
		}
	}
}

// JSON judges a file that may be JSON. It returns whether it is valid JSON, or several
// JSON texts one after another.
func (r *Reader) JSON(text io.ReaderAt, size int64) (valid bool, err error) {
	const block = 64 << 10
	j := &settings.JSON{Walker: *r.Walker()}
	buf := make([]byte, block)
	for at := int64(0); at < size; at += block {
		if !r.Spend(block * costJSON) {
			r.OverWork(at)
			return true, nil
		}
		b := buf[:min(block, size-at)]
		if n, err := text.ReadAt(b, at); n < len(b) {
			return false, err
		}
		j.Write(b)
		if j.Invalid && size <= MostText && j.Values < 2 {
			r.Model = true
			break
		}
	}
	j.End()
	r.Model = r.Model || j.Model
	if j.TooDeep {
		r.Gap(0, fmt.Sprintf("the configuration is nested deeper than the maximum of %d levels", settings.MaxDepth))
	}
	if j.TooLong {
		r.Gap(0, "a string is longer than the maximum of "+wording.Count(settings.MaxString, "byte"))
	}
	switch {
	case j.Invalid:
	case r.extension() == ".ipynb":
		r.Unread("it is a notebook, whose cells are source code")
	case strings.EqualFold(r.Name, "kernel.json"):
		r.Unread("it is a kernel of Jupyter, which starts a program")
	}
	return !j.Invalid, nil
}

// unread reports source code.
func (r *Reader) unread(what string) { r.Unread("it is " + what + ", which is not analyzed") }
