// Public reports of weights that did not load, or loaded wrongly: for each a folder
// of the same shape, in which the cause has to be found and told.

package check_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/store"
)

const (
	indexName = "model.safetensors.index.json"
	shardOne  = "model-00001-of-00002.safetensors"
	shardTwo  = "model-00002-of-00002.safetensors"
)

// twoShards returns what makes the small model of two shards, and changes it.
func twoShards(of linear, change func(t *testing.T, f folder)) func(*testing.T, folder) {
	return func(t *testing.T, f folder) {
		f.sharded(t, 2, 1, headed(of)...)
		f.text("config.json", llamaConfig)
		if len(of("x", hidden, hidden)) > 1 {
			f.text("config.json", quantised(`{"quant_method": "any"}`))
		}
		change(t, f)
	}
}

// gone removes the second shard.
func gone(_ *testing.T, f folder) { delete(f, shardTwo) }

// pointer is a Git LFS pointer, which stands for a shard that was not fetched.
const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0000000000000000000000000000000000000000000000000000000000000000\nsize 4976698672\n"

// replaced returns what puts another content in the place of the second shard.
func replaced(content string) func(*testing.T, folder) {
	return twoShards(plain, func(_ *testing.T, f folder) { f.text(shardTwo, content) })
}

// written returns a file with the given header, padded, and so many bytes of data.
func written(header string, data int) []byte {
	header += strings.Repeat(" ", (8-len(header)%8)%8)
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), make([]byte, data)...)
}

// incidents are named after the repositories and the numbers of the reports.
var incidents = []fixture{
	{"sgl-project/sglang#32279, vllm-project/vllm#34859, #34930, #34967, #38336 and #57108: a missing shard, packed or not", twoShards(gptq, gone), false,
		[]want{{checkpoint.RuleShardMissing, indexName, "lm_head.weight", `shard "model-00002-of-00002.safetensors" is missing, and with it 121 tensors of the index`}}},
	{"sgl-project/sglang#14465: a cached shard that is cut off", twoShards(plain, func(_ *testing.T, f folder) { f[shardTwo] = f[shardTwo][:len(f[shardTwo])-5000] }), false,
		[]want{{safetensors.RuleTruncated, shardTwo, "model.layers.7.self_attn.q_proj.weight", "the file is 5,000 bytes short"}}},
	{"sgl-project/sglang#14022: an adapter whose header is empty", func(_ *testing.T, f folder) {
		f["adapter_model.safetensors"] = make([]byte, 4096)
		f.text("adapter_config.json", peftConfig)
	}, false, []want{{safetensors.RuleNotSafetensors, "adapter_model.safetensors", "", "a file filled with zero bytes"}}},
	{"p-e-w/heretic#308: an adapter that is valid, and empty", func(_ *testing.T, f folder) {
		f["adapter_model.safetensors"] = written(`{"__metadata__":{"format":"pt"}}`, 0)
		f.text("adapter_config.json", peftConfig)
	}, false, []want{{check.RuleAdapterEmpty, "adapter_model.safetensors", "", "has no tensors"}}},
	{"huggingface/safetensors#498: an adapter of empty tensors", func(t *testing.T, f folder) {
		all := lora(4)
		for i := range all {
			all[i].shape = []int64{0}
		}
		adapterOf(peftConfig, all...)(t, f)
	}, false, []want{{check.RuleAdapterEmpty, "adapter_model.safetensors", strings.Replace(loraA5, "5.self_attn.q", "0.self_attn.o", 1), "32 tensors, the first"}}},
	{"vllm-project/vllm#54230: shards that are reused, with stale tensors under names of others", func(t *testing.T, f folder) {
		stale := []tensor{{"model.layers.0.mlp.experts.0.up_proj.weight", safetensors.F8_E4M3, []int64{wide, hidden}, nil}, {q5 + ".qweight", safetensors.F8_E4M3, []int64{hidden, hidden}, nil}}
		twoShards(awq, func(t *testing.T, f folder) {})(t, f)
		all := headed(awq)
		f.weights(t, shardOne, append(all[:(len(all)+1)/2], stale...)...)
	}, false, []want{
		{checkpoint.RuleTensorConflict, indexName, q5 + ".qweight", "of two kinds: I32 [64, 8] and F8_E4M3 [64, 64]"},
		{checkpoint.RuleTensorUnlisted, indexName, "model.layers.0.mlp.experts.0.up_proj.weight", "and not in the index"},
	}},
	{"vllm-project/vllm#40765: consolidated and sharded at once", twoShards(plain, func(t *testing.T, f folder) { f.weights(t, "consolidated.safetensors", headed(plain)...) }), false,
		[]want{{checkpoint.RuleTwoCopies, indexName, "", `"consolidated.safetensors" is a copy of`}}},
	{"vllm-project/vllm#53537: a shard of the right size with wrong bytes", twoShards(plain, func(_ *testing.T, f folder) {
		whole := sha256Of(f[shardTwo])
		f.text(".cache/huggingface/download/"+shardTwo+".metadata", strings.Repeat("a", 40)+"\n"+whole+"\n1726498370.8\n")
		b := f[shardTwo]
		copy(b[len(b)-4:], "\xff\xff\xff\xff") // NaN in BF16
	}), true, []want{
		{check.RuleDownloadDigest, shardTwo, "", "has the SHA-256 "},
		{check.RuleNotFinite, shardTwo, "model.layers.7.self_attn.v_proj.weight", `tensor "model.layers.7.self_attn.v_proj.weight" has 2 NaNs among 2,048 elements`},
	}},
	{"osaurus-ai/vmlx-swift#217: shards that end before their tensors do", twoShards(plain, func(_ *testing.T, f folder) {
		f[shardOne], f[shardTwo] = f[shardOne][:len(f[shardOne])-24_786], f[shardTwo][:len(f[shardTwo])-44_029]
	}), false, []want{
		{safetensors.RuleTruncated, shardOne, "model.layers.3.post_attention_layernorm.weight", "the file is 24,786 bytes short"},
		{safetensors.RuleTruncated, shardTwo, "model.layers.7.mlp.up_proj.weight", "the file is 44,029 bytes short"},
	}},
	{"Blaizzy/mlx-vlm#1464: a model in 4 bits beside the shards of another", twoShards(plain, func(t *testing.T, f folder) { f.weights(t, "model.safetensors", headed(mlx)...) }), false,
		[]want{{checkpoint.RuleShardExtra, indexName, "", `shard "model.safetensors" is in the folder but not in the index`}}},
	{"Blaizzy/mlx-vlm#1827: an index of shards that were written anew", func(t *testing.T, f folder) {
		f.sharded(t, 13, 1, headed(plain)...)
		index := f[indexName]
		clear(f)
		f.sharded(t, 4, 1, headed(plain)...)
		f[indexName] = index
	}, false, []want{{checkpoint.RuleShardMissing, indexName, "lm_head.weight", "the index names 13 shards"}}},
	{"NVIDIA/TensorRT-LLM#16437: tensors that the index does not list", twoShards(plain, func(t *testing.T, f folder) {
		all := headed(plain)
		f.weights(t, shardTwo, append(all[(len(all)+1)/2:], bf16("model.extra.weight", 8))...)
	}), false, []want{{checkpoint.RuleTensorUnlisted, indexName, "model.extra.weight", "and not in the index"}}},
	{"osaurus-ai/vmlx-swift#377 and #376, ml-explore/mlx#4439: headers without padding", func(t *testing.T, f folder) {
		f.sharded(t, 2, 1, headed(mlx)...)
		all := headed(mlx)
		half := (len(all) + 1) / 2
		f[shardOne], f[shardTwo] = file(t, false, all[:half]...), file(t, true, all[half:]...)
	}, false, []want{
		{check.RuleAlignmentCost, indexName, "", "94 of 187 tensors (141,440 of 282,752 bytes) are not aligned to the size of their elements, the"},
		{safetensors.RuleDataAlignment, shardOne, "", ""},
	}},
	{"vcruz305/vllm-exl3#18: gaps between tensors", func(_ *testing.T, f folder) {
		f["model.safetensors"] = written(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[2],"data_offsets":[16,24]}}`, 24)
	}, false, inModel(safetensors.RuleHole, "b", "8 bytes [8, 16) of the data")},
	{"Comfy-Org/ComfyUI#15602: bytes after the last tensor", func(_ *testing.T, f folder) {
		f["model.safetensors"] = written(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 16)
	}, false, inModel(safetensors.RuleTrailing, "", "8 bytes after the last tensor")},
	{"foundation-model-stack/fastsafetensors#89: metadata that is empty", func(_ *testing.T, f folder) {
		f["model.safetensors"] = written(`{"__metadata__":{},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 8)
	}, false, inModel(safetensors.RuleMetadataFormat, "", `__metadata__ has no "format"`)},
	{"foundation-model-stack/fastsafetensors#96, vllm-project/vllm#50827: metadata that is null", func(_ *testing.T, f folder) {
		f["model.safetensors"] = written(`{"__metadata__":null,"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 8)
	}, false, inModel(safetensors.RuleMetadataFormat, "", "__metadata__ is null")},
	{"huggingface/safetensors#668: a header over the limit of readers", func(_ *testing.T, f folder) {
		f["model.safetensors"] = append(binary.LittleEndian.AppendUint64(nil, 126_000_000), bytes.Repeat([]byte(" "), 64)...)
		f["model.safetensors"][8] = '{'
	}, false, inModel(safetensors.RuleHeaderSize, "", "header length 126000000 exceeds the file size")},
	{"huggingface/diffusers#11827, invoke-ai/InvokeAI#7009: a download that was cut off", func(t *testing.T, f folder) {
		f.weights(t, "unet/diffusion_pytorch_model.safetensors", bf16("conv_in.weight", 32, 4, 3, 3))
		b := f["unet/diffusion_pytorch_model.safetensors"]
		f["unet/diffusion_pytorch_model.safetensors"] = b[:len(b)-1000]
	}, false, []want{{safetensors.RuleTruncated, "unet/diffusion_pytorch_model.safetensors", "conv_in.weight", "the file is 1,000 bytes short"}}},
	{"QwenLM/Qwen3-VL#264, gpustack/gpustack#815: a shard that is a Git LFS pointer", replaced(pointer), false,
		[]want{{safetensors.RuleNotSafetensors, shardTwo, "", "a Git LFS pointer to 4,976,698,672 bytes"}}},
	{"Comfy-Org/ComfyUI#6744, #15687 and #14989: a page in the place of weights", replaced("<!DOCTYPE html>\n<html><head><title>504 Gateway Time-out</title></head></html>\n"), false,
		[]want{{safetensors.RuleNotSafetensors, shardTwo, "", `an HTML page`}}},
	{"vllm-project/vllm#1687: a model with an empty buffer, which is sound", func(t *testing.T, f folder) {
		f.weights(t, "model.safetensors", append(headed(plain), f32("transformer.masked_bias", 0))...)
	}, true, nil},
}

func TestIncidents(t *testing.T) {
	for _, test := range incidents {
		t.Run(test.name, func(t *testing.T) {
			f := make(folder)
			test.make(t, f)
			found := judge(t, f.store(), "", &check.Options{Data: test.data})
			var left []located
			for _, l := range found { // there are as many of these as tensors
				if l.Rule != safetensors.RuleElementAlignment {
					left = append(left, l)
				}
			}
			find(t, left, test.wants...)
		})
	}
}

// Reports scitix/InstantTensor#14 and run-ai/runai-model-streamer#84 and #196 are of
// programs that read a whole checkpoint for a few tensors. To judge one reads headers.
func TestHeadersAlone(t *testing.T) {
	f := make(folder)
	twoShards(plain, func(*testing.T, folder) {})(t, f)
	size := 0
	for _, b := range f {
		size += len(b)
	}
	s := &meter{Lister: f.store()}
	sets, err := checkpoint.Discover(t.Context(), s, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if found := judgeOnly(t, s, "", sets, nil); len(found) > 0 {
		t.Errorf("found %v", found)
	}
	headers := 0
	for name, b := range f {
		if strings.HasSuffix(name, ".safetensors") {
			headers += 8 + int(binary.LittleEndian.Uint64(b))
		}
	}
	if most := headers + len(f[indexName]) + 2*len(llamaConfig); int(s.read.Load()) > most {
		t.Errorf("read %d bytes of %d, want %d at most", s.read.Load(), size, most)
	}
}

// Every report is of a repository on a server, or in a folder: the target may be the
// index, too.
func TestIndexTarget(t *testing.T) {
	f := make(folder)
	f.sharded(t, 2, 1, without(headed(gptq), q5+".scales")...)
	f.text("config.json", changed(quantised(`{"quant_method": "gptq", "bits": 4, "group_size": 32}`), `"num_hidden_layers": 8`, `"num_hidden_layers": 9`))
	f.text("tokenizer.json", pointer)
	for _, from := range []store.Store{f.store(), struct{ store.Store }{f.store()}} {
		t.Run(fmt.Sprintf("%T", from), func(t *testing.T) {
			find(t, judge(t, from, indexName, nil),
				want{check.RuleQuantCompanion, shardTwo, q5 + ".qweight", "lacks its scales"},
				want{check.RuleLayerMissing, "config.json", "", "has num_hidden_layers 9"})
		})
	}
	t.Run("a shard alone proves nothing missing", func(t *testing.T) {
		find(t, judge(t, f.store(), shardTwo, nil))
	})
}
