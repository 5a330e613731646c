// Places of tensors, for those who report on models by layer and component.

package model

import "strconv"

// A Locator returns where in a model tensors are, by their names. It is not for concurrent use.
type Locator struct{ atlas *atlas }

// NewLocator returns a Locator.
func NewLocator() *Locator { return &Locator{newAtlas()} }

// Of returns the component and the layer of a tensor, such as "model.layers.12". The layer is "" for a tensor outside
// of layers, such as an embedding.
func (l *Locator) Of(name string, shape []int64) (c Component, layer string) {
	p := l.atlas.place(name, shape)
	if p.layer < 0 {
		return p.component, ""
	}
	if layer = strconv.Itoa(p.layer); p.stack != "" {
		layer = p.stack + "." + layer
	}
	return p.component, layer
}
