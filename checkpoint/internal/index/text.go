// Writing an index.

package index

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/weightools/safetensors/checkpoint/internal/naming"
	"github.com/weightools/safetensors/internal/wording"
)

// AppendText appends the index in canonical form to b, as the library transformers writes it: with
// sorted members, an indentation of two spaces, escapes for everything outside of ASCII, and a
// line end. It implements encoding.TextAppender.
//
// It is an error if two entries have the same name, a name is not UTF-8, the name of a shard is
// invalid, or a value of Metadata is not JSON.
func (x *Index) AppendText(b []byte) ([]byte, error) {
	entries := slices.Clone(x.Tensors)
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Tensor, b.Tensor) })
	if err := writable(entries); err != nil {
		return b, err
	}
	metadata, err := x.metadata()
	if err != nil {
		return b, err
	}
	room := 100 // bytes around the entries
	for i := range entries {
		room += len(entries[i].Tensor) + len(entries[i].Shard) + len("\n    \"\": \"\",")
	}
	b = append(slices.Grow(b, room), "{\n"...)
	if len(metadata) > 0 {
		b = append(b, "  \"metadata\": {"...)
		for i, m := range metadata {
			b = append(appendName(b, i, m.name), m.value...)
		}
		b = append(b, "\n  },\n"...)
	}
	b = append(b, "  \"weight_map\": {"...)
	for i := range entries {
		b = appendString(appendName(b, i, entries[i].Tensor), entries[i].Shard)
	}
	if len(entries) > 0 {
		b = append(b, "\n  "...)
	}
	return append(b, "}\n}\n"...), nil
}

// appendName appends the name of member number i of an inner object.
func appendName(b []byte, i int, name string) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	b = append(b, "\n    "...)
	return append(appendString(b, name), ": "...)
}

// writable returns why entries, sorted by name, cannot be written.
func writable(entries []Entry) error {
	valid := make(map[string]bool) // names of shards
	for i, e := range entries {
		if i > 0 && entries[i-1].Tensor == e.Tensor {
			return fmt.Errorf("checkpoint: the index has tensor %s twice: in shard %s and in shard %s",
				wording.Quote(e.Tensor), wording.Quote(entries[i-1].Shard), wording.Quote(e.Shard))
		}
		if !utf8.ValidString(e.Tensor) {
			return fmt.Errorf("checkpoint: the name of tensor %s is not UTF-8", wording.Quote(e.Tensor))
		}
		if valid[e.Shard] {
			continue
		}
		if fault := naming.Fault(e.Shard, naming.WeightsSuffix); fault != "" {
			return fmt.Errorf("checkpoint: shard %s, of tensor %s, cannot be in an index: its name %s",
				wording.Quote(e.Shard), wording.Quote(e.Tensor), fault)
		}
		valid[e.Shard] = true
	}
	return nil
}

// A textMember is a member of an object: its name, and its value as JSON.
type textMember struct{ name, value string }

// metadata returns the sorted members of "metadata".
func (x *Index) metadata() ([]textMember, error) {
	var members []textMember
	if x.TotalSize >= 0 {
		members = append(members, textMember{"total_size", strconv.FormatInt(x.TotalSize, 10)})
	}
	if x.TotalParameters >= 0 {
		members = append(members, textMember{"total_parameters", strconv.FormatInt(x.TotalParameters, 10)})
	}
	for name, value := range x.Metadata {
		if name == "total_size" || name == "total_parameters" {
			return nil, fmt.Errorf("checkpoint: %q has a field in Index, and is also in Metadata", name)
		}
		var text bytes.Buffer
		if err := json.Indent(&text, []byte(value), "    ", "  "); err != nil {
			return nil, fmt.Errorf("checkpoint: the value of %s in an index's metadata is not JSON: %w",
				wording.Quote(name), err)
		}
		members = append(members, textMember{name, text.String()})
	}
	slices.SortFunc(members, func(a, b textMember) int { return cmp.Compare(a.name, b.name) })
	return members, nil
}

// appendString appends s, which is UTF-8, as a JSON string with the escapes of Python.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r >= 0x20 && r < 0x7f:
			b = append(b, byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r == '\b':
			b = append(b, `\b`...)
		case r == '\f':
			b = append(b, `\f`...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			b = fmt.Appendf(b, `\u%04x\u%04x`, high, low)
		default:
			b = fmt.Appendf(b, `\u%04x`, r)
		}
	}
	return append(b, '"')
}
