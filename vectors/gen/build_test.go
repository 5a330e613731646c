// How a vector is put together: marks in the text of a header, and the head.

package gen

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"
)

// A vector is one file and the one fault in it. The zero value of a field says
// that there is nothing of the kind.
type vector struct {
	name    string // of the file, without its folder and ".vector"
	comment string // one line: what is the matter, or what is tested

	header string // the header's text, with marks: see compose
	size   int    // the size of the data in bytes, which are 0 1 0 1 and so on
	values string // the data itself, where it matters
	n      uint64 // what N says, if it is not the length of the text
	file   string // the whole file, where it is not N, a text and data

	tensor string // the tensor that is at fault
	span   *span  // the bytes at fault, if they are not marked in the header
	data   *span  // the same, counted from the start of the data

	// Empty unless a vector has to break more than its own rule: harmless
	// rules that are broken by the way.
	also string
	// Of whose limits the vector speaks, as "tensors 2".
	limit string
}

// A span is the bytes from begin up to, and not including, end.
type span struct{ begin, end uint64 }

// The marks that a header's text may have. None is in the file.
const (
	faultBegin = "«" // the bytes at fault begin here
	faultEnd   = "»" // and end here
	padding    = "·" // as many spaces as make the text a multiple of 8
	format     = "§" // the metadata that no loader complains about
)

// compose returns the file, and the bytes at fault in it.
//
// Unless the text says by a mark where its padding goes, it goes to the end. A
// text with the mark of no padding, "·" twice, gets none.
func (v *vector) compose() (file []byte, at span) {
	if v.header == "" {
		return []byte(v.file), *v.span
	}
	text := strings.ReplaceAll(v.header, format, `"__metadata__":{"format":"pt"}`)
	switch strings.Count(text, padding) {
	case 0:
		text += padding
		fallthrough
	case 1:
		bare := strings.NewReplacer(faultBegin, "", faultEnd, "", padding, "").Replace(text)
		text = strings.ReplaceAll(text, padding, strings.Repeat(" ", -len(bare)&7))
	default:
		text = strings.ReplaceAll(text, padding, "")
	}
	if before, rest, ok := strings.Cut(text, faultBegin); ok {
		fault, after, _ := strings.Cut(rest, faultEnd)
		at = span{uint64(8 + len(before)), uint64(8 + len(before) + len(fault))}
		text = before + fault + after
	}
	n := v.n
	if n == 0 {
		n = uint64(len(text))
	}
	file = binary.LittleEndian.AppendUint64(nil, n)
	file = append(file, text...)
	switch {
	case v.data != nil:
		at = span{uint64(len(file)) + v.data.begin, uint64(len(file)) + v.data.end}
	case v.span != nil:
		at = *v.span
	}
	file = append(file, v.values...)
	for i := range v.size {
		file = append(file, byte(i&1)) // good as a BOOL, too
	}
	return file, at
}

// A family is the vectors about one rule, or the healthy ones.
type family struct {
	rule     string // "" for the healthy ones
	severity string
	vectors  func() []vector
}

// expect says what readers do, which follows from the severity alone.
func (f *family) expect() string {
	switch f.severity {
	case "invalid":
		return "refuse"
	case "nonconforming":
		return "lenient"
	}
	return "accept"
}

// render returns the content of every vector's file by its path.
func render() map[string][]byte {
	files := make(map[string][]byte)
	for _, f := range families {
		folder := f.rule
		if folder == "" {
			folder = "healthy"
		}
		for _, v := range f.vectors() {
			path := folder + "/" + v.name + ".vector"
			if files[path] != nil {
				panic("two vectors are called " + path)
			}
			files[path] = f.render(&v)
		}
	}
	return files
}

// render returns the content of the file of v: the head, a blank line, and the
// file that it is about.
func (f *family) render(v *vector) []byte {
	file, at := v.compose()
	var head strings.Builder
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&head, "%s: %s\n", key, value)
		}
	}
	line("expect", f.expect())
	line("rule", f.rule)
	line("severity", f.severity)
	line("tensor", jsonString(v.tensor))
	if f.rule != "" {
		line("bytes", fmt.Sprintf("%d-%d", at.begin, at.end))
	}
	line("also", v.also)
	line("limit", v.limit)
	if f.rule == "bool-value" {
		line("data", "yes")
	}
	line("comment", v.comment)
	return append([]byte(head.String()+"\n"), file...)
}

// jsonString returns s as a JSON string of ASCII characters, so that a head is
// a text whatever names are in it. It returns "" for none.
func jsonString(s string) string {
	if s == "" {
		return ""
	}
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // no string has an error
	}
	var ascii strings.Builder
	for _, unit := range utf16.Encode([]rune(string(b))) {
		if unit < 0x7f {
			ascii.WriteByte(byte(unit))
		} else {
			fmt.Fprintf(&ascii, `\u%04x`, unit)
		}
	}
	return ascii.String()
}
