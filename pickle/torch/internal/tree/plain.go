// Plain values as JSON.

package tree

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/weightools/safetensors/pickle"
)

// Plain returns the JSON text of a number, str, bool or None, or of a number of NumPy.
func Plain(v pickle.Value, most int64) (text []byte, ok bool) {
	switch v.Kind() {
	case pickle.KindNone:
		return []byte("null"), true
	case pickle.KindBool:
		b, _ := v.Bool()
		return strconv.AppendBool(nil, b), true
	case pickle.KindInt:
		if n := v.BigInt(); n != nil {
			return n.Append(nil, 10), true
		}
	case pickle.KindFloat:
		f, _ := v.Float()
		return appendFloat(nil, f, 64), true
	case pickle.KindCall:
		return scalar(v)
	case pickle.KindStr:
		if r := v.Data(); r != nil && r.Size() <= most {
			b := make([]byte, r.Size()) // the pickle is at least as large
			if _, err := r.ReadAt(b, 0); len(b) == 0 || err == nil && utf8.Valid(b) {
				return AppendString(nil, string(b)), true
			}
		}
	}
	return nil, false
}

// appendFloat appends a float of 32 or 64 bits in a form that differs from ints.
func appendFloat(b []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(b, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(b, `"-Infinity"`...)
	}
	begin := len(b)
	b = strconv.AppendFloat(b, f, 'g', -1, bits)
	if bytes.IndexByte(b[begin:], '.') < 0 && bytes.IndexByte(b[begin:], 'e') < 0 {
		b = append(b, ".0"...)
	}
	return b
}

// AppendString appends a string as JSON.
func AppendString(b []byte, s string) []byte {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // strings cannot fail
	return append(b, bytes.TrimSuffix(text.Bytes(), []byte("\n"))...)
}
