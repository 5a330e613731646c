// Configurations in pickles, as training programs save them with their checkpoints.

package scan

import (
	"iter"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/settings"
)

// pickledSettings examines the dicts of a pickle for names of code and for templates, like the
// objects of JSON.
func (p *part) pickledSettings(g *pickle.Graph) {
	w := p.texts().Walker()
	for pairs := range g.Mappings() {
		if !p.pairs(w, pairs, true) {
			p.OverWork(0)
			return
		}
	}
}

// pairs passes the pairs of a dict to w. Only dicts under a key with a meaning are passed within
// others: all dicts are examined by themselves.
func (p *part) pairs(w *settings.Walker, pairs iter.Seq2[pickle.Value, pickle.Value], outer bool) bool {
	w.Open(true, 0)
	defer w.Close()
	for k, v := range pairs {
		if !p.Spend(1) {
			return false
		}
		key, ok := k.Str()
		if !ok {
			continue
		}
		w.Key([]byte(key), 0)
		if settings.Holds(key) && outer {
			if v.Kind() == pickle.KindDict {
				p.pairs(w, v.Pairs(), false)
			}
			for item := range v.Items() {
				p.pickledValue(w, item)
			}
		}
		p.pickledValue(w, v)
	}
	return true
}

// pickledValue passes a string or a bool to w. OmegaConf saves a value as an object with the
// attribute _val.
func (p *part) pickledValue(w *settings.Walker, v pickle.Value) {
	if c, ok := v.Called(); ok {
		state, _ := c.State()
		for k, inner := range state.Pairs() {
			if key, _ := k.Str(); key == "_val" {
				v = inner
			}
		}
	}
	if s, ok := v.Str(); ok && p.Spend(int64(len(s))) {
		w.Value([]byte(s), true, 0)
	} else if b, ok := v.Bool(); ok && b {
		w.Value([]byte("True"), false, 0)
	}
}
