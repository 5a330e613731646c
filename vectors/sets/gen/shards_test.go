// What vectors are made of: shards, and their index.

package gen

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log"
	"strings"
)

// The names that most vectors use.
const (
	index = "model.safetensors.index.json"
	one   = "model-00001-of-00002.safetensors"
	two   = "model-00002-of-00002.safetensors"
)

// A tensor has one number in all its bytes, so that its bytes are equal to those
// of every tensor of that number and size.
type tensor struct {
	name   string
	dtype  string
	shape  string // as in a header
	size   int    // in bytes
	number byte
}

// f32 returns a tensor of four F32.
func f32(name string, number byte) tensor {
	return tensor{name, "F32", "[4]", 16, number}
}

// add adds a file.
func (v *vector) add(name, content string) { v.files[name] = []byte(content) }

// shard adds a shard that breaks no rule, not even one of a note.
func (v *vector) shard(name string, tensors ...tensor) {
	text := `{"__metadata__":{"format":"pt"}`
	var data []byte
	for _, t := range tensors {
		begin := len(data)
		data = append(data, bytes.Repeat([]byte{t.number}, t.size)...)
		text += fmt.Sprintf(`,%q:{"dtype":%q,"shape":%s,"data_offsets":[%d,%d]}`, t.name, t.dtype, t.shape, begin, len(data))
	}
	text += "}"
	text += strings.Repeat(" ", -len(text)&7)
	file := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	v.files[name] = append(append(file, text...), data...)
}

// index adds an index, as Python's json would write it on one line. Encoders of
// other languages write the same text.
func (v *vector) index(shards map[string]string, size int64) {
	text, err := json.Marshal(shards) // in the order of the names
	if err != nil {
		log.Fatal(err)
	}
	text = bytes.ReplaceAll(text, []byte(`":"`), []byte(`": "`))
	text = bytes.ReplaceAll(text, []byte(`","`), []byte(`", "`))
	v.add(index, fmt.Sprintf(`{"metadata": {"total_size": %d}, "weight_map": %s}`, size, text))
}

// shards adds two shards, of one tensor each.
func (v *vector) shards() {
	v.shard(one, f32("a", 1))
	v.shard(two, f32("b", 2))
}

// pair adds two shards and their index.
func (v *vector) pair() {
	v.shards()
	v.index(map[string]string{"a": one, "b": two}, 32)
}
