package gguf_test

import (
	"bytes"
	"encoding/binary"
)

// A build makes a file by section "File Structure" of the specification.
type build struct {
	order     binary.AppendByteOrder
	version   uint32
	keys      [][]byte
	infos     [][]byte
	data      []byte
	alignment int

	keyCount, tensorCount uint64 // added to the right counts
	padding               byte
}

func newBuild() *build {
	return &build{order: binary.LittleEndian, version: 3, alignment: 32}
}

func (b *build) u32(n uint32) []byte { return b.order.AppendUint32(nil, n) }
func (b *build) u64(n uint64) []byte { return b.order.AppendUint64(nil, n) }

// str is a string with its length.
func (b *build) str(s string) []byte { return append(b.u64(uint64(len(s))), s...) }

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// key adds a key with the bytes of its value.
func (b *build) key(name string, kind uint32, value []byte) *build {
	b.keys = append(b.keys, join(b.str(name), b.u32(kind), value))
	return b
}

func (b *build) text(name, value string) *build { return b.key(name, 8, b.str(value)) }

func (b *build) number(name string, n uint32) *build { return b.key(name, 4, b.u32(n)) }

// list adds a key with an array.
func (b *build) list(name string, kind uint32, n uint64, elements ...[]byte) *build {
	return b.key(name, 9, join(b.u32(kind), b.u64(n), join(elements...)))
}

// info adds the entry of a tensor.
func (b *build) info(name string, kind uint32, offset uint64, dims ...uint64) *build {
	entry := join(b.str(name), b.u32(uint32(len(dims))))
	for _, d := range dims {
		entry = append(entry, b.u64(d)...)
	}
	b.infos = append(b.infos, join(entry, b.u32(kind), b.u64(offset)))
	return b
}

// tensor adds a tensor at the end of the data.
func (b *build) tensor(name string, kind uint32, data []byte, dims ...uint64) *build {
	for len(b.data)%b.alignment != 0 {
		b.data = append(b.data, b.padding)
	}
	b.info(name, kind, uint64(len(b.data)), dims...)
	b.data = append(b.data, data...)
	return b
}

// bytes returns the file.
func (b *build) bytes() []byte {
	file := join([]byte("GGUF"), b.u32(b.version), b.u64(uint64(len(b.infos))+b.tensorCount),
		b.u64(uint64(len(b.keys))+b.keyCount), join(b.keys...), join(b.infos...))
	for len(b.infos) > 0 && len(file)%b.alignment != 0 {
		file = append(file, b.padding)
	}
	return append(file, b.data...)
}

// model returns a file with the keys and tensors of a small Llama.
func model() *build {
	b := newBuild().text("general.architecture", "llama").number("llama.context_length", 64).
		number("llama.embedding_length", 8).number("llama.block_count", 1).number("llama.feed_forward_length", 16).
		number("llama.attention.head_count", 2).text("tokenizer.ggml.model", "llama")
	b.list("tokenizer.ggml.tokens", 8, 4, b.str("<s>"), b.str("a"), b.str("b"), b.str("\xff"))
	b.list("tokenizer.ggml.scores", 6, 4, make([]byte, 16))
	b.list("tokenizer.ggml.token_type", 5, 4, b.u32(3), b.u32(1), b.u32(1),
		b.u32(6)).number("tokenizer.ggml.bos_token_id", 0)
	for _, t := range []struct {
		name string
		dims []uint64
	}{
		{"token_embd.weight", []uint64{8, 4}}, {"blk.0.attn_norm.weight", []uint64{8}},
		{"blk.0.attn_q.weight", []uint64{8, 8}}, {"blk.0.attn_k.weight", []uint64{8, 8}},
		{"blk.0.attn_v.weight", []uint64{8, 8}}, {"blk.0.attn_output.weight", []uint64{8, 8}},
		{"blk.0.ffn_norm.weight", []uint64{8}}, {"blk.0.ffn_gate.weight", []uint64{8, 16}},
		{"blk.0.ffn_up.weight", []uint64{8, 16}}, {"blk.0.ffn_down.weight", []uint64{16, 8}},
		{"output_norm.weight", []uint64{8}},
	} {
		n := uint64(4)
		for _, d := range t.dims {
			n *= d
		}
		b.tensor(t.name, 0, make([]byte, n), t.dims...)
	}
	return b
}
