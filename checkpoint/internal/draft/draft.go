// Package draft knows layers that predict further tokens (MTP), which models load only if they are there.
package draft

import (
	"fmt"
	"strings"

	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/parts"
)

// Layers find out whether the tensors of a shard are all those of MTP layers.
type Layers struct {
	first, end int64           // the numbers of the layers by config.json; none if they are equal
	other      map[string]bool // shards with other tensors
	layers     map[string]int  // a layer of the tensors of a shard, -1 if they are called "mtp"
}

// New reads the numbers of layers in the text of config.json, which may be empty.
func New(text []byte) *Layers {
	m := &Layers{other: make(map[string]bool), layers: make(map[string]int)}
	if len(text) == 0 {
		return m
	}
	c := config.New(config.Files{Main: config.Parse("config.json", text)}, new(config.Notes))
	if n, more := c.Size(config.Layers), c.Size(config.MTPLayers); n > 0 && more > 0 && n < 1<<31 && more < 1<<31 {
		m.first, m.end = n, n+more
	}
	return m
}

// Add adds a tensor of a shard.
func (m *Layers) Add(shard, tensor string) {
	_, number, _ := parts.Layer(tensor)
	switch {
	case strings.HasPrefix(tensor, "mtp.") || strings.HasPrefix(tensor, "model.mtp."):
		m.layers[shard] = -1
	case int64(number) >= m.first && int64(number) < m.end:
		m.layers[shard] = number
	default:
		m.other[shard] = true
	}
}

// Of describes the layers of a shard, "" if it has others.
func (m *Layers) Of(shard string) string {
	switch layer := m.layers[shard]; {
	case m.other[shard]:
		return ""
	case layer < 0:
		return "; they predict further tokens (MTP)"
	case m.end-m.first == 1:
		return fmt.Sprintf("; they are layer %d, which is the MTP layer of config.json: it predicts further tokens", layer)
	}
	return fmt.Sprintf("; they are of layers %d to %d, which are the MTP layers of config.json: they predict further tokens",
		m.first, m.end-1)
}
