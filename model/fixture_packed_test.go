// Headers of published models that are packed, made from their configurations.

package model_test

import (
	"fmt"

	"github.com/weightools/safetensors"
)

// A llama is the shape of a Llama 3.
type llama struct {
	hidden, inner, kv, layers int64
	dtype                     safetensors.Dtype // of what is not packed
}

var (
	llama8B  = llama{hidden: 4096, inner: 14336, kv: 1024, layers: 32, dtype: "BF16"}
	llama70B = llama{hidden: 8192, inner: 28672, kv: 1024, layers: 80, dtype: "BF16"}
)

// config returns config.json with what is given of the quantization.
func (l llama) config(quantization string) string {
	return fmt.Sprintf(`{"architectures":["LlamaForCausalLM"],"model_type":"llama","hidden_size":%d,"intermediate_size":%d,"num_hidden_layers":%d,
		"num_attention_heads":%d,"num_key_value_heads":8,"head_dim":128,"vocab_size":128256,"tie_word_embeddings":false,"quantization_config":%s}`,
		l.hidden, l.inner, l.layers, l.hidden/128, quantization)
}

// fill adds all tensors. The matrices of layers are added by matrix.
func (l llama) fill(d *Draft, matrix func(name string, out, in int64)) {
	d.Add("model.embed_tokens.weight", l.dtype, 128256, l.hidden)
	for i := range l.layers {
		layer := fmt.Sprintf("model.layers.%d.", i)
		d.Add(layer+"input_layernorm.weight", l.dtype, l.hidden)
		matrix(layer+"self_attn.q_proj", l.hidden, l.hidden)
		matrix(layer+"self_attn.k_proj", l.kv, l.hidden)
		matrix(layer+"self_attn.v_proj", l.kv, l.hidden)
		matrix(layer+"self_attn.o_proj", l.hidden, l.hidden)
		d.Add(layer+"post_attention_layernorm.weight", l.dtype, l.hidden)
		matrix(layer+"mlp.gate_proj", l.inner, l.hidden)
		matrix(layer+"mlp.up_proj", l.inner, l.hidden)
		matrix(layer+"mlp.down_proj", l.hidden, l.inner)
	}
	d.Add("model.norm.weight", l.dtype, l.hidden)
	d.Add("lm_head.weight", l.dtype, 128256, l.hidden)
}

// RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w4a16: GPTQ, 4 bits in groups of
// 128, with a bias of zeros for each matrix, as AutoGPTQ wrote it.
func llamaGPTQ() *Fixture {
	l := llama8B
	l.dtype = "F16"
	return single(l.config(`{"quant_method":"gptq","bits":4,"group_size":128,"desc_act":true,"sym":true}`), func(d *Draft) {
		l.fill(d, func(name string, out, in int64) {
			d.Add(name+".bias", "F16", out)
			d.Add(name+".g_idx", "I32", in)
			d.Add(name+".qweight", "I32", in*4/32, out)
			d.Add(name+".qzeros", "I32", in/128, out*4/32)
			d.Add(name+".scales", "F16", in/128, out)
		})
	})
}

// RedHatAI/Llama-3.3-70B-Instruct-quantized.w4a16: compressed-tensors, 4 bits in
// groups of 128, ordered by activation.
func llamaCompressed() *Fixture {
	l := llama70B
	return single(l.config(`{"quant_method":"compressed-tensors","format":"pack-quantized","ignore":["lm_head"],"config_groups":{"group_0":{"targets":["Linear"],
		"weights":{"num_bits":4,"group_size":128,"type":"int","strategy":"group","symmetric":true,"actorder":"group"}}}}`), func(d *Draft) {
		l.fill(d, func(name string, out, in int64) {
			d.Add(name+".weight_g_idx", "I32", in)
			d.Add(name+".weight_packed", "I32", out, in*4/32)
			d.Add(name+".weight_scale", "BF16", out, in/128)
			d.Add(name+".weight_shape", "I64", 2)
		})
	})
}

// LlamaBnB is unsloth/Meta-Llama-3.1-8B-Instruct-bnb-4bit: nf4 in blocks of 64, whose scales are
// packed once more, in blocks of 256.
func LlamaBnB() *Fixture {
	l := llama8B
	return single(l.config(`{"quant_method":"bitsandbytes","load_in_4bit":true,"bnb_4bit_quant_type":"nf4","bnb_4bit_use_double_quant":true}`), func(d *Draft) {
		l.fill(d, func(name string, out, in int64) {
			n := out * in
			d.Add(name+".weight", "U8", n/2, 1)
			d.Add(name+".weight.absmax", "U8", n/64)
			d.Add(name+".weight.nested_absmax", "F32", n/64/256)
			d.Add(name+".weight.nested_quant_map", "F32", 256)
			d.Add(name+".weight.quant_map", "F32", 16)
			d.Add(name+".weight.quant_state.bitsandbytes__nf4", "U8", bnbStateSize)
		})
	})
}

const bnbStateSize = 182 // bytes of JSON

// openai/gpt-oss-20b and -120b: hidden_size and intermediate_size 2880, 64 heads of
// 64, 8 for keys and values, MXFP4 experts, everything else BF16.
func gptOSS(layers, experts int64) *Fixture {
	config := fmt.Sprintf(`{"architectures":["GptOssForCausalLM"],"model_type":"gpt_oss","hidden_size":2880,"intermediate_size":2880,"num_hidden_layers":%d,
		"num_local_experts":%d,"num_experts_per_tok":4,"experts_per_token":4,"num_attention_heads":64,"num_key_value_heads":8,"head_dim":64,"vocab_size":201088,
		"tie_word_embeddings":false,"quantization_config":{"quant_method":"mxfp4","modules_to_not_convert":["model.layers.*.self_attn","model.layers.*.mlp.router","model.embed_tokens","lm_head"]}}`, layers, experts)
	return single(config, func(d *Draft) {
		const h = 2880
		d.Add("model.embed_tokens.weight", "BF16", 201088, h)
		for i := range layers {
			layer := fmt.Sprintf("model.layers.%d.", i)
			d.Add(layer+"input_layernorm.weight", "BF16", h)
			d.linear(layer+"self_attn.q_proj", "BF16", 64*64, h, true)
			d.linear(layer+"self_attn.k_proj", "BF16", 8*64, h, true)
			d.linear(layer+"self_attn.v_proj", "BF16", 8*64, h, true)
			d.linear(layer+"self_attn.o_proj", "BF16", h, 64*64, true)
			d.Add(layer+"self_attn.sinks", "BF16", 64)
			d.Add(layer+"post_attention_layernorm.weight", "BF16", h)
			d.linear(layer+"mlp.router", "BF16", experts, h, true)
			for _, m := range []struct {
				name string
				out  int64
			}{{"gate_up_proj", 2 * h}, {"down_proj", h}} {
				d.Add(layer+"mlp.experts."+m.name+"_bias", "BF16", experts, m.out)
				d.Add(layer+"mlp.experts."+m.name+"_blocks", "U8", experts, m.out, h/32, 16)
				d.Add(layer+"mlp.experts."+m.name+"_scales", "U8", experts, m.out, h/32)
			}
		}
		d.Add("model.norm.weight", "BF16", h)
		d.Add("lm_head.weight", "BF16", 201088, h)
	})
}
