// The values of a configuration, and which of them are names.

package settings

import (
	"bytes"
	"strings"
)

// A Walker receives the values of a configuration in their order.
type Walker struct {
	// Found is called for each finding.
	Found func(Finding)
	// Spend is called with the size of texts within strings, which are read again. If it
	// returns false, they are not.
	Spend func(bytes int) bool

	// Pipeline says that the text is the index of a Diffusers pipeline because of its name.
	Pipeline bool
	// Modules says that it lists the modules of a model of Sentence Transformers.
	Modules bool

	// Router says that it is the router of a model of Sentence Transformers, and Restored that it is the configuration of
	// a model of NeMo.
	Router, Restored bool

	// Zarr says that it describes arrays of Zarr.
	Zarr bool

	// Model reports whether a key is one of a model of Keras: class_name with a string as its value,
	// or modelTopology in the outermost object; or one of a model of ONNX: graph, with an object as its value.
	Model bool
	// TooDeep reports whether values are nested deeper than MaxDepth.
	TooDeep bool

	frames []frame
	level  int // how many strings the text is within
}

// A frame is an object or an array that is open.
type frame struct {
	object  bool
	in      role   // what the strings in it are
	key     string // of the current value; in an array, that of the array
	items   int    // strings of an array
	first   string // of an array
	pair    string // the second one
	at      int64
	fields  fields
	special map[string]bool // keys with a meaning that occurred
}

// fields are the members of an object that have a meaning together.
type fields struct {
	target, kind                  Finding // of "target" and "type"
	params, path, index, pipeline bool
	inputs, outputs               bool
	class                         Finding // "class_name"
	pairs                         []Finding
}

// Open begins an object or an array.
func (w *Walker) Open(object bool, at int64) {
	f := frame{object: object, at: at}
	if n := len(w.frames); n > 0 {
		f.in, f.key = w.frames[n-1].in, w.frames[n-1].key
		if r := roleOf(f.key); r != noRole && w.frames[n-1].object {
			f.in = r
		} else if w.Router && n == 1 && f.key == "types" {
			f.in = types
		} else if w.Zarr && (f.key == "filters" || f.key == "codecs" || f.key == "compressor") {
			f.in = codecs
		}
		w.Model = w.Model || n == 1 && object && f.key == "graph"
	}
	if len(w.frames) >= MaxDepth {
		w.TooDeep = true
	}
	w.frames = append(w.frames, f)
}

// Close ends the last object or array.
func (w *Walker) Close() {
	n := len(w.frames) - 1
	if n < 0 {
		return
	}
	f := w.frames[n]
	w.frames[n] = frame{}
	w.frames = w.frames[:n]
	if f.object {
		w.object(&f, n == 0)
	} else if n > 0 && w.frames[n-1].object && f.items == 2 {
		w.pair(&w.frames[n-1], &f)
	}
}

// Key is the key of the next value of an object.
func (w *Walker) Key(text []byte, at int64) {
	if len(w.frames) == 0 {
		return
	}
	f := &w.frames[len(w.frames)-1]
	const most = 100 // bytes: longer than any key with a meaning
	f.key = string(text[:min(len(text), most)])
	w.template(text, at)
	f.note()
	w.Model = w.Model || f.key == "modelTopology" && len(w.frames) == 1
	if meaningOf(f.key) == nil && !Holds(f.key) && f.key != evaluatedKey {
		return
	}
	if f.special[f.key] {
		w.found(Twice, f.key, f.key, at)
	}
	if f.special == nil {
		f.special = make(map[string]bool)
	}
	f.special[f.key] = true
}

// Value is a string, a number or a word. It may be the key of a mapping in YAML.
func (w *Walker) Value(text []byte, str bool, at int64) {
	if len(w.frames) == 0 {
		if str {
			w.text(text, at)
		}
		return
	}
	f := &w.frames[len(w.frames)-1]
	if !f.object {
		w.item(f, text, str)
	} else if f.key == evaluatedKey {
		evaluated(w, f, text, str, at)
	} else if mean := meaningOf(f.key); mean != nil {
		mean(w, f, beginning(text), str, at)
	}
	if str {
		w.named(f, text, at)
		w.text(text, at)
	}
}

// item records a value of an array.
func (w *Walker) item(f *frame, text []byte, str bool) {
	const most = 200 // bytes
	text = text[:min(len(text), most)]
	if f.items++; f.items == 1 && (str || string(text) == "null") {
		f.first = string(text)
	} else if f.items == 2 && str {
		f.pair = string(text)
	}
}

// text examines a string: it may be a template or another configuration.
func (w *Walker) text(text []byte, at int64) {
	w.template(text, at)
	inner := bytes.TrimLeft(text, " \t\r\n")
	const least = 8 // bytes
	if len(inner) < least || inner[0] != '{' && inner[0] != '[' || bytes.HasPrefix(inner, []byte("{{")) ||
		bytes.HasPrefix(inner, []byte("{%")) || w.level >= nested {
		return
	}
	if w.Spend != nil && !w.Spend(len(text)) {
		return
	}
	j := &JSON{Walker: Walker{Found: func(f Finding) {
		if f.Kind != Template { // its text was a part of this one
			f.At = at
		}
		w.Found(f)
	}, Spend: w.Spend, level: w.level + 1}}
	j.Write(inner)
	j.End()
	w.TooDeep = w.TooDeep || j.TooDeep
}

// template reports a text with the delimiters of Jinja.
func (w *Walker) template(text []byte, at int64) {
	if !Templated(text) {
		return
	}
	key := ""
	if n := len(w.frames); n > 0 {
		key = w.frames[n-1].key
	}
	w.found(Template, key, string(text), at)
}

// Templated reports whether a text has the delimiters of Jinja.
func Templated(text []byte) bool {
	for {
		i := bytes.IndexByte(text, '{')
		if i < 0 || i+1 >= len(text) {
			return false
		}
		if c := text[i+1]; c == '{' || c == '%' {
			return true
		}
		text = text[i+1:]
	}
}

// found reports a finding.
func (w *Walker) found(k Kind, key, text string, at int64) { w.Found(Finding{k, key, text, at}) }

// dotted reports whether a text is a name with a module.
func dotted(s string) bool {
	if !strings.Contains(s, ".") || strings.HasPrefix(s, ".") || strings.HasSuffix(s, ".") {
		return false
	}
	for _, c := range s {
		if c != '.' && c != '_' && c != '-' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') && c < 0x80 {
			return false
		}
	}
	return true
}
