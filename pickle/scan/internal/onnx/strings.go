// Texts in models: metadata, descriptions and strings.

package onnx

import (
	"slices"

	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
	"github.com/weightools/safetensors/pickle/scan/internal/wire"
)

// properties are the fields that are pairs of a key and a value, and plainTexts those that are texts.
var (
	properties = map[wire.Kind]int{model: 14, graph: 16, node: 9, function: 14, tensor: 16}
	plainTexts = map[wire.Kind][]int{model: {6}, graph: {10}, node: {6}, function: {8}, attribute: {4, 9, 13},
		tensor: {6, 12}}
)

// texts keeps the texts in a message. Those without a key are kept if they may name code.
func (a *analysis) texts(k wire.Kind, message wire.Span) error {
	property, list := properties[k], plainTexts[k]
	if property == 0 && list == nil {
		return nil
	}
	return a.file.Each(message, func(f wire.Field) error {
		switch {
		case f.Type != wire.Bytes:
		case f.Num == property:
			return a.property(f)
		case slices.Contains(list, f.Num):
			b, err := a.file.Read(f.Span, evidence.MostText)
			a.Keep("", b, f.Span.Pos)
			return err
		}
		return nil
	})
}

// property keeps a value of metadata with its key.
func (a *analysis) property(pair wire.Field) error {
	key, err := a.file.Text(pair.Span, 1)
	if err != nil {
		return err
	}
	return a.file.EachOf(pair.Span, 2, func(f wire.Field) error {
		b, err := a.file.Read(f.Span, evidence.MostText+1)
		a.Keep(key, b, f.Span.Pos)
		return err
	})
}
