// Protocol buffers as JSON.

package textproto

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/weightools/safetensors/internal/jsonscan"
)

// deepestJSON is the maximum nesting of messages in JSON, each of which is read as often as it is deep.
const deepestJSON = 32

// EncodeJSON returns the bytes of the message that a JSON object describes. The names of fields are as they are
// declared, or in camel case.
func EncodeJSON(v jsonscan.Value, message Message) ([]byte, error) {
	return objectOf(v, message, 0)
}

// objectOf encodes an object.
func objectOf(v jsonscan.Value, message Message, depth int) ([]byte, error) {
	if depth > deepestJSON {
		return nil, fmt.Errorf("messages are nested deeper than %d levels", deepestJSON)
	}
	var o open
	for name, value := range v.Members() {
		f, ok := message[declared(name)]
		if !ok {
			continue
		}
		for item := range itemsOf(value) {
			if err := o.value(f, item, depth); err != nil {
				return nil, err
			}
		}
	}
	return o.bytes, nil
}

// declared returns a name in small letters and underscores.
func declared(name string) string {
	var b strings.Builder
	for _, c := range name {
		if c >= 'A' && c <= 'Z' {
			b.WriteByte('_')
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}

// itemsOf yields the elements of a list, or any other value itself.
func itemsOf(v jsonscan.Value) iter.Seq[jsonscan.Value] {
	if v.Kind() == jsonscan.Array {
		return v.Elements()
	}
	return func(yield func(jsonscan.Value) bool) { yield(v) }
}

// value adds a value of a field.
func (o *open) value(f Field, v jsonscan.Value, depth int) error {
	if f.Message != nil {
		b, err := objectOf(v, f.Message, depth+1)
		if err == nil && v.Kind() == jsonscan.Object {
			o.add(f.Num, b)
		}
		return err
	}
	text, isText := v.Str()
	switch {
	case f.JSON == Number:
		n, ok := v.Int()
		if isText {
			i, err := strconv.ParseInt(text, 10, 64)
			n, ok = i, err == nil
		}
		if ok {
			o.bytes = binary.AppendUvarint(o.bytes, uint64(f.Num)<<3)
			o.bytes = binary.AppendUvarint(o.bytes, uint64(n))
		}
	case !isText:
	case f.JSON == Base64:
		text = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
		b, err := base64.RawStdEncoding.DecodeString(text)
		if err != nil {
			return fmt.Errorf("a value is not in base64: %w", err)
		}
		o.add(f.Num, b)
	default:
		o.add(f.Num, []byte(text))
	}
	return nil
}
