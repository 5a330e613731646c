// Summaries: values as parts of messages.

package pickle

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/weightools/safetensors/internal/pylit"
	"github.com/weightools/safetensors/internal/wording"
)

// summary returns a value as part of a message: one line, and not long.
func (m *machine) summary(r ref) string {
	m.work += costSummary
	var b strings.Builder
	m.summarize(&b, r, 3)
	return b.String()
}

// summarize writes a value, and depth levels of what is in it.
func (m *machine) summarize(b *strings.Builder, r ref, depth int) {
	const most = 160 // bytes, about
	v := Value{m.arena, r}
	switch n := m.at(r); n.kind {
	case KindNone:
		b.WriteString("None")
	case KindBool:
		b.WriteString([]string{"False", "True"}[n.a])
	case KindInt, KindFloat:
		b.WriteString(v.number())
	case KindStr, KindBytes, KindByteArray:
		s, ok := m.string(n)
		if !ok {
			fmt.Fprintf(b, "%s of %d bytes", n.kind, v.Len())
			return
		}
		b.WriteString(wording.Quote(s[:min(len(s), most)]))
		if len(s) > most {
			b.WriteString("...")
		}
	case KindGlobal:
		b.WriteString(m.names[n.a].label())
	case KindTuple, KindList:
		m.summarizeItems(b, v, depth)
	default:
		b.WriteString("<" + n.kind.String() + ">")
	}
}

// summarizeItems writes a tuple or list, as far as there is room.
func (m *machine) summarizeItems(b *strings.Builder, v Value, depth int) {
	pair := map[Kind]string{KindTuple: "()", KindList: "[]"}[v.Kind()]
	b.WriteByte(pair[0])
	more := false
	for item := range v.Items() {
		if more {
			b.WriteString(", ")
		}
		if more = true; b.Len() > 160 || depth == 0 {
			b.WriteString("...")
			break
		}
		m.summarize(b, item.r, depth-1)
	}
	b.WriteByte(pair[1])
}

// number returns an int or a float as Python writes it, or says how large it is.
func (v Value) number() string {
	if f, ok := v.Float(); ok {
		return string(pylit.AppendFloat(nil, f))
	}
	if i, ok := v.Int(); ok {
		return strconv.FormatInt(i, 10)
	}
	if b := v.BigInt(); b != nil && b.BitLen() <= 256 {
		return b.String()
	}
	return "<large int>"
}
