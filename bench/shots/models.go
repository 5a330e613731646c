// Models to look at: made here, the same each time.

package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/weightools/safetensors"
)

const (
	layers, hidden, inner, vocab = 24, 256, 704, 12000
)

// A maker makes tensors of random numbers that look like weights.
type maker struct {
	random  *rand.Rand
	tensors []*safetensors.Tensor
	err     error
}

// bf16 adds a matrix whose columns and rows differ in scale, as those of trained weights do.
func (m *maker) bf16(name string, scale float64, shape ...int64) {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	columns := shape[len(shape)-1]
	factors := make([]float64, columns)
	for i := range factors {
		factors[i] = scale * math.Exp(.35*m.random.NormFloat64()) * (1 + .5*math.Sin(float64(i)/17))
	}
	data := make([]byte, 2*n)
	row := 1.0
	for i := range n {
		if i%columns == 0 {
			row = math.Exp(.25*m.random.NormFloat64()) * (1 + .4*math.Sin(float64(i/columns)/41))
		}
		v := float32(row * factors[i%columns] * m.random.NormFloat64())
		binary.LittleEndian.PutUint16(data[2*i:], uint16((math.Float32bits(v)+0x8000)>>16))
	}
	m.add(safetensors.TensorAt(name, safetensors.BF16, shape, strings.NewReader(string(data))))
}

func (m *maker) ones(name string, n int64) {
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(1 + .05*m.random.NormFloat64())
	}
	m.add(safetensors.NewTensor(name, values, n))
}

func (m *maker) add(t *safetensors.Tensor, err error) {
	if err != nil && m.err == nil {
		m.err = err
	}
	m.tensors = append(m.tensors, t)
}

// llama makes a model of 24 layers, of which layer 17 is odd. Layers from the given one on are scaled.
func llama(folder string, seed uint64, scaled int, scale float64) error {
	m := &maker{random: rand.New(rand.NewPCG(seed, 1))}
	m.bf16("model.embed_tokens.weight", .02, vocab, hidden)
	for i := range layers {
		s := .03 + .001*float64(i)
		if i >= scaled {
			s *= scale
		}
		if i == 17 {
			s *= 2.2
		}
		p := fmt.Sprintf("model.layers.%d.", i)
		m.ones(p+"input_layernorm.weight", hidden)
		for _, name := range []string{"q_proj", "k_proj", "v_proj", "o_proj"} {
			m.bf16(p+"self_attn."+name+".weight", s, hidden, hidden)
		}
		m.ones(p+"post_attention_layernorm.weight", hidden)
		m.bf16(p+"mlp.gate_proj.weight", s, inner, hidden)
		m.bf16(p+"mlp.up_proj.weight", s, inner, hidden)
		m.bf16(p+"mlp.down_proj.weight", s, hidden, inner)
	}
	m.ones("model.norm.weight", hidden)
	m.bf16("lm_head.weight", .02, vocab, hidden)
	if seed == 1 {
		m.bf16("vision.conv.weight", .05, 96, 3, 14, 14)
	}
	if m.err != nil {
		return m.err
	}
	config := map[string]any{
		"architectures": []string{"LlamaForCausalLM"}, "model_type": "llama", "hidden_size": hidden,
		"intermediate_size": inner,
		"num_hidden_layers": layers, "num_attention_heads": 4, "num_key_value_heads": 4, "vocab_size": vocab,
		"max_position_embeddings": 4096, "tie_word_embeddings": false, "torch_dtype": "bfloat16",
	}
	return save(folder, config, m.tensors)
}

// save writes tensors as two shards with an index, and the configuration.
func save(folder string, config map[string]any, tensors []*safetensors.Tensor) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	half, index := len(tensors)/2, map[string]string{}
	var total int64
	for i, part := range [][]*safetensors.Tensor{tensors[:half], tensors[half:]} {
		name := fmt.Sprintf("model-%05d-of-00002.safetensors", i+1)
		for _, t := range part {
			index[t.Name] = name
			total += t.Size()
		}
		encoder := safetensors.Encoder{Metadata: map[string]string{"format": "pt", "title": "A model to look at"}}
		if err := encoder.WriteFile(filepath.Join(folder, name), part...); err != nil {
			return err
		}
	}
	err := writeJSON(filepath.Join(folder, "config.json"), config)
	if err != nil {
		return err
	}
	return writeJSON(filepath.Join(folder, "model.safetensors.index.json"),
		map[string]any{"metadata": map[string]int64{"total_size": total}, "weight_map": index})
}

func writeJSON(name string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o666)
}

func makeModel(work string) ([]string, error) {
	folder := filepath.Join(work, "sample-llama-24-layers")
	return []string{folder}, llama(folder, 1, layers, 1)
}

// makePair makes a model and one whose upper layers are larger, without one tensor and with another.
func makePair(work string) ([]string, error) {
	a, b := filepath.Join(work, "before"), filepath.Join(work, "after")
	if err := llama(a, 2, layers, 1); err != nil {
		return nil, err
	}
	return []string{a, b}, llama(b, 2, 12, 1.05)
}

// makeHostile makes a file whose names and metadata are markup, script, directions and very long.
func makeHostile(work string) ([]string, error) {
	m := &maker{random: rand.New(rand.NewPCG(3, 1))}
	names := []string{
		`<img src=x onerror=alert(1)>.weight`, `"><script>alert(document.cookie)</script>`, "javascript:alert(1)",
		"a\u202egpj.\u2066evil\u2069.weight",
		strings.Repeat("very.long.name.", 2000) + "weight", "line\nbreak\ttab\x00nul\x1b[31mred", "../../etc/passwd",
		"ノード.重み.🙂.weight", " ", "a&amp;b&lt;c.weight",
		strings.Repeat("\u0301", 500) + ".zalgo", "{{7*7}}${7*7}`id`", "%00%0d%0aSet-Cookie:x=1", "?name=x&t=9#frag",
		"**.glob.[a-z]*",
	}
	for _, name := range names {
		m.bf16(name, .1, 64, 48)
	}
	if m.err != nil {
		return nil, m.err
	}
	encoder := safetensors.Encoder{Metadata: map[string]string{
		"<b>bold</b>": `<script>alert(1)</script>`, "\u202eright to left": "\u202etxet desrever",
		"long": strings.Repeat("no spaces in this", 60000),
	}}
	file := filepath.Join(work, "hostile <b>name\u202e.safetensors")
	return []string{file}, encoder.WriteFile(file, m.tensors...)
}

// makeBroken makes a file that ends early, with a gap.
func makeBroken(work string) ([]string, error) {
	header := `{"a.weight":{"dtype":"F32","shape":[8,8],"data_offsets":[0,256]},` +
		`"b.weight":{"dtype":"F32","shape":[8,8],"data_offsets":[320,576]},` +
		`"c.weight":{"dtype":"F16","shape":[4,4],"data_offsets":[560,592]},` +
		`"d.weight":{"dtype":"F32","shape":[64],"data_offsets":[592,848]}}`
	file := filepath.Join(work, "broken.safetensors")
	data := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	data = append(append(data, header...), make([]byte, 700)...)
	return []string{file}, os.WriteFile(file, data, 0o666)
}

func makeEmpty(work string) ([]string, error) {
	file := filepath.Join(work, "empty.safetensors")
	return []string{file}, safetensors.WriteFile(file)
}

// makeMany makes a file with half a million tensors.
func makeMany(work string) ([]string, error) {
	var header strings.Builder
	offset := 0
	for layer := range 100 {
		for expert := range 555 {
			for _, matrix := range []string{"gate_proj", "up_proj", "down_proj"} {
				for _, part := range []string{"weight", "weight_scale", "input_scale"} {
					fmt.Fprintf(&header, `,"model.layers.%d.mlp.experts.%d.%s.%s":`+
						`{"dtype":"F32","shape":[2],"data_offsets":[%d,%d]}`,
						layer, expert, matrix, part, offset, offset+8)
					offset += 8
				}
			}
		}
	}
	text := "{" + header.String()[1:] + "}"
	data := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	data = append(append(data, text...), make([]byte, offset)...)
	file := filepath.Join(work, "many.safetensors")
	return []string{file}, os.WriteFile(file, data, 0o666)
}
