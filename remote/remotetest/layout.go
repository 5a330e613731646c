// Models with headers and an index, but without weights.

package remotetest

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// A Layout is a sharded model with headers and an index, whose weights are zeros. It is a
// handler that serves ranges of its files, under any folder.
type Layout struct {
	Heads map[string][]byte // the length and header of each shard, by its name
	Sizes map[string]int64  // of each shard, in bytes
	Index []byte            // the text of model.safetensors.index.json
}

// A Param is a tensor of BF16.
type Param struct {
	Name  string
	Shape []int64 // in elements
}

func (p Param) bytes() int64 {
	n := int64(2)
	for _, d := range p.Shape {
		n *= d
	}
	return n
}

// NewLayout distributes tensors over shards of at most so many bytes, and writes headers and
// the index, like the library transformers.
func NewLayout(tensors []Param, most int64) *Layout {
	var shards [][]Param
	var sum int64
	for _, p := range tensors {
		if len(shards) == 0 || sum+p.bytes() > most {
			shards, sum = append(shards, nil), 0
		}
		shards[len(shards)-1] = append(shards[len(shards)-1], p)
		sum += p.bytes()
	}
	l := &Layout{Heads: make(map[string][]byte), Sizes: make(map[string]int64)}
	where := make(map[string]string)
	for i, shard := range shards {
		name := fmt.Sprintf("model-%05d-of-%05d.safetensors", i+1, len(shards))
		slices.SortFunc(shard, func(a, b Param) int { return strings.Compare(a.Name, b.Name) })
		header := []byte(`{"__metadata__":{"format":"pt"}`)
		var at int64
		for _, p := range shard {
			shape, _ := json.Marshal(p.Shape)
			header = fmt.Appendf(header, `,%q:{"dtype":"BF16","shape":%s,"data_offsets":[%d,%d]}`, p.Name, shape, at,
				at+p.bytes())
			at += p.bytes()
			where[p.Name] = name
		}
		header = append(header, '}')
		for len(header)%8 != 0 {
			header = append(header, ' ')
		}
		l.Heads[name] = append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
		l.Sizes[name] = int64(len(l.Heads[name])) + at
	}
	l.Index = []byte("{\n  \"metadata\": {\n    \"total_size\": 1\n  },\n  \"weight_map\": {")
	for i, name := range slices.Sorted(maps.Keys(where)) {
		if i > 0 {
			l.Index = append(l.Index, ',')
		}
		l.Index = fmt.Appendf(l.Index, "\n    %q: %q", name, where[name])
	}
	l.Index = append(l.Index, "\n  }\n}\n"...)
	return l
}

// ServeHTTP answers with the requested range of a file, or with the whole file.
func (l *Layout) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	content, size := l.Heads[name], l.Sizes[name]
	if name == "model.safetensors.index.json" {
		content, size = l.Index, int64(len(l.Index))
	} else if content == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("ETag", `"1"`)
	http.ServeContent(w, r, "", time.Time{}, io.NewSectionReader(padded(content), 0, size))
}

// A padded reader has infinitely many zeros after its bytes.
type padded []byte

// ReadAt implements io.ReaderAt.
func (p padded) ReadAt(b []byte, off int64) (int, error) {
	clear(b[copy(b, p[min(off, int64(len(p))):]):])
	return len(b), nil
}

// Qwen72B returns the tensors of Qwen2.5-72B, by its config.json: 80 layers with hidden size
// 8192, 8 key and value heads of 128, and intermediate size 29568.
func Qwen72B() []Param {
	const width, inner, kv, vocabulary = 8192, 29568, 1024, 152064
	all := []Param{{"model.embed_tokens.weight", []int64{vocabulary, width}}}
	for i := range 80 {
		add := func(name string, shape ...int64) {
			all = append(all, Param{fmt.Sprintf("model.layers.%d.%s", i, name), shape})
		}
		for name, rows := range map[string]int64{"q": width, "k": kv, "v": kv} {
			add("self_attn."+name+"_proj.weight", rows, width)
			add("self_attn."+name+"_proj.bias", rows)
		}
		add("self_attn.o_proj.weight", width, width)
		add("mlp.gate_proj.weight", inner, width)
		add("mlp.up_proj.weight", inner, width)
		add("mlp.down_proj.weight", width, inner)
		add("input_layernorm.weight", width)
		add("post_attention_layernorm.weight", width)
		slices.SortFunc(all[len(all)-12:], func(a, b Param) int { return strings.Compare(a.Name, b.Name) })
	}
	return append(all, Param{"model.norm.weight", []int64{width}}, Param{"lm_head.weight", []int64{vocabulary, width}})
}
