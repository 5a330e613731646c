// Attributes of nodes.

package tfgraph

import (
	"fmt"

	"github.com/weightools/safetensors/pickle/scan/internal/wire"
)

// attributes reports a node if one of the attributes of a hazard names a file or an address.
func (a *analysis) attributes(op string, h *hazard, at wire.Field) error {
	for _, name := range h.attrs {
		values, err := a.values(at.Span, name)
		if err != nil {
			return err
		}
		for _, v := range values {
			if !harmless(v) {
				a.found(op, h, at.At, fmt.Sprintf(": %.200q", v))
			}
		}
	}
	return nil
}

// values returns the texts of an attribute of a node. If several entries have the name, each
// counts. An attribute that a caller of the function sets is "$" and its name.
func (a *analysis) values(node wire.Span, name string) (values []string, err error) {
	err = a.attr(node, name, func(f wire.Field) error {
		switch {
		case f.Num == 2 && f.Type == wire.Bytes: // a text
			return a.add(&values, f.Span, "")
		case f.Num == 9 && f.Type == wire.Bytes:
			return a.add(&values, f.Span, "$")
		case f.Num == 1 && f.Type == wire.Bytes: // a list
			return a.file.EachOf(f.Span, 2, func(f wire.Field) error {
				return a.add(&values, f.Span, "")
			})
		}
		return nil
	})
	return values, err
}

// add appends a text.
func (a *analysis) add(list *[]string, span wire.Span, before string) error {
	b, err := a.file.Read(span, wire.MostText)
	*list = append(*list, before+string(b))
	return err
}

// attr calls see for the fields of an attribute's values. An entry of the map of attributes has
// a name (1) and a value (2), in any order.
func (a *analysis) attr(node wire.Span, name string, see func(wire.Field) error) error {
	return a.file.EachOf(node, 5, func(f wire.Field) error {
		key, err := a.file.Text(f.Span, 1)
		if err != nil || key != name {
			return err
		}
		return a.file.EachOf(f.Span, 2, func(f wire.Field) error {
			return a.file.Each(f.Span, see)
		})
	})
}
