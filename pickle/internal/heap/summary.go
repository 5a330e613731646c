// Short descriptions of values for messages.

package heap

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle/internal/pylit"
)

// Summary describes a value in one short line.
func (v Value) Summary() string {
	var b strings.Builder
	v.summarize(&b, 3)
	return b.String()
}

// summarize writes a value and up to depth levels of its contents.
func (v Value) summarize(b *strings.Builder, depth int) {
	const most = 160 // bytes, approximately
	switch n := v.node(); n.Kind {
	case KindNone:
		b.WriteString("None")
	case KindBool:
		b.WriteString([]string{"False", "True"}[n.A])
	case KindInt, KindFloat:
		b.WriteString(v.number())
	case KindStr, KindBytes, KindByteArray:
		s, ok := v.a.string(n)
		if !ok {
			fmt.Fprintf(b, "%s of %d bytes", n.Kind, v.Len())
			return
		}
		b.WriteString(wording.Quote(s[:min(len(s), most)]))
		if len(s) > most {
			b.WriteString("...")
		}
	case KindGlobal:
		b.WriteString(v.a.NameOf(n).Label())
	case KindTuple, KindList:
		v.summarizeItems(b, depth)
	default:
		b.WriteString("<" + n.Kind.String() + ">")
	}
}

// summarizeItems writes the items of a tuple or list while there is room.
func (v Value) summarizeItems(b *strings.Builder, depth int) {
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
		item.summarize(b, depth-1)
	}
	b.WriteByte(pair[1])
}

// number returns an int or float as Python writes it, or its size if it is large.
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
