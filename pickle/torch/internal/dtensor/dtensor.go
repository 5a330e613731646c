// Distributed tensors in a pickle.

// Package dtensor reads how tensors are distributed over the processes of a training.
package dtensor

import (
	"fmt"
	"strings"

	"github.com/weightools/safetensors/pickle"
)

// mostAttributes bounds what is looked at of a state: many tensors can share one.
const mostAttributes = 64

// Along returns the dimensions that a DTensor is divided along, in words, by the placements in its _spec.
func Along(state pickle.Value) (dims []string) {
	placements := attribute(attribute(state, "_spec"), "placements")
	if placements.Len() > mostAttributes {
		return nil
	}
	for placement := range placements.Items() {
		c, ok := placement.Called()
		if !ok {
			continue
		}
		if _, name, _ := c.Callee().Global(); !strings.HasSuffix(name, "Shard") {
			continue
		}
		dim, ok := attribute(placement, "dim").Int()
		if !ok {
			dim, ok = c.Args().Item(0).Int()
		}
		if ok && dim >= 0 {
			dims = append(dims, fmt.Sprintf("dimension %d", dim))
		}
	}
	return dims
}

// attribute returns a member of a dict, or an attribute of an object that was built with a dict.
func attribute(v pickle.Value, name string) (found pickle.Value) {
	if c, ok := v.Called(); ok {
		if state, ok := c.State(); ok {
			v = state
		}
	}
	if v.Kind() == pickle.KindTuple { // the attributes in a dict, if any, and those in slots
		v = v.Item(1)
	}
	if v.Len() > mostAttributes {
		return found
	}
	for key, value := range v.Pairs() {
		if text, _ := key.Str(); text == name {
			found = value
		}
	}
	return found
}
