// Package tie makes the output layer of a language model a tensor of its own, or drops it where it equals the embedding
// of tokens. The functions are for [edit.Edit].Arrange. They also set tie_word_embeddings in config.json.
package tie

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit"
	"github.com/weightools/safetensors/edit/arrange"
	"github.com/weightools/safetensors/internal/compare"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/model/names"
)

const (
	configName = "config.json"
	setting    = "tie_word_embeddings"
)

// A pair is the names of the two ends of a model.
type pair struct{ embedding, head string }

// usual are the pairs of models whose architecture is not known.
var usual = []pair{
	{"model.embed_tokens.weight", "lm_head.weight"},
	{"language_model.model.embed_tokens.weight", "language_model.lm_head.weight"},
	{"model.language_model.embed_tokens.weight", "lm_head.weight"},
	{"transformer.wte.weight", "lm_head.weight"},
	{"gpt_neox.embed_in.weight", "embed_out.weight"},
}

// Untie writes the embedding also as the output layer.
func Untie(in *edit.Input) (*edit.Output, error) {
	m, err := read(in)
	if err != nil {
		return nil, err
	}
	for _, p := range m.pairs {
		embedding := m.tensors[p.embedding]
		switch {
		case embedding == nil:
			continue
		case m.tensors[p.head] != nil:
			return nil, fmt.Errorf("%s is already there", wording.Quote(p.head))
		}
		out := m.all("")
		out.Tensors = append(out.Tensors, arrange.Made{Tensor: embedding.Rename(p.head),
			From: []*safetensors.Tensor{embedding}, How: "copied"})
		out.Texts = m.set(false)
		return out, nil
	}
	return nil, m.lacks("embedding of tokens", func(p pair) string { return p.embedding })
}

// Tie drops the output layer, which must have the bytes of the embedding.
func Tie(in *edit.Input) (*edit.Output, error) {
	m, err := read(in)
	if err != nil {
		return nil, err
	}
	for _, p := range m.pairs {
		embedding, head := m.tensors[p.embedding], m.tensors[p.head]
		if embedding == nil || head == nil {
			continue
		}
		same := embedding.Dtype == head.Dtype && slices.Equal(embedding.Shape, head.Shape)
		if same {
			at, err := compare.First(context.Background(), embedding, head, head.Size(), nil)
			if err != nil {
				return nil, err
			}
			same = at < 0
		}
		if !same {
			return nil, fmt.Errorf("%s differs from %s, and cannot be tied to it", wording.Quote(p.head),
				wording.Quote(p.embedding))
		}
		out := m.all(p.head)
		out.Texts = m.set(true)
		return out, nil
	}
	return nil, m.lacks("output layer beside an embedding of tokens", func(p pair) string { return p.head })
}

// A model is what is edited.
type model struct {
	in      *edit.Input
	tensors map[string]*safetensors.Tensor
	pairs   []pair
	config  *config.Config
	text    []byte // of the configuration
}

func read(in *edit.Input) (*model, error) {
	text, err := in.Beside(configName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no %s beside the weights, in which %s is to be set", configName, setting)
	case err != nil:
		return nil, err
	}
	file := config.Parse(configName, text)
	if file.Root == nil {
		return nil, fmt.Errorf("%s is not a JSON object", configName)
	}
	m := &model{in: in, text: text, tensors: make(map[string]*safetensors.Tensor, len(in.Tensors)),
		config: config.New(config.Files{Main: file}, new(config.Notes))}
	for _, t := range in.Tensors {
		m.tensors[t.Name] = t
	}
	class, kind := m.config.Architecture()
	m.pairs = usual
	if of := names.Find(kind, class); of != nil {
		m.pairs = slices.Concat(pairsOf(of), usual)
	}
	return m, nil
}

// pairsOf returns the ends that an architecture has.
func pairsOf(of *names.Architecture) (pairs []pair) {
	for i := range of.Tensors {
		for j := range of.Tensors {
			if of.Tensors[i].Role == names.Embedding && of.Tensors[j].Role == names.Head {
				pairs = append(pairs, pair{of.Tensors[i].Name, of.Tensors[j].Name})
			}
		}
	}
	return pairs
}

// all returns all tensors as they are, except one.
func (m *model) all(except string) *edit.Output {
	out := new(edit.Output)
	for _, t := range m.in.Tensors {
		if t.Name != except {
			out.Tensors = append(out.Tensors, arrange.Made{Tensor: t, From: []*safetensors.Tensor{t}})
		}
	}
	return out
}

// lacks returns the error of a model without one of its ends.
func (m *model) lacks(what string, name func(pair) string) error {
	return fmt.Errorf("there is no %s, such as %s", what, wording.Quote(name(m.pairs[0])))
}

// set returns the configuration with the setting, if that changes it. All other bytes stay as they are.
func (m *model) set(tied bool) map[string][]byte {
	word := []byte(fmt.Sprint(tied))
	var spans [][2]int
	for _, o := range []config.Object{m.config.Main.Root, m.config.Text} {
		if v, ok := o[setting]; ok {
			_, end := v.Span() // with its key
			spans = append(spans, [2]int{end - len(v.Text()), end})
		}
	}
	slices.SortFunc(spans, func(a, b [2]int) int { return b[0] - a[0] }) // the last first
	text := m.text
	for _, at := range slices.Compact(spans) {
		text = slices.Concat(text[:at[0]], word, text[at[1]:])
	}
	if len(spans) == 0 {
		brace := slices.Index(text, '{') + 1
		text = slices.Concat(text[:brace], []byte("\n  \""+setting+"\": "), word, []byte(","), text[brace:])
	}
	if slices.Equal(text, m.text) {
		return nil
	}
	return map[string][]byte{configName: text}
}
