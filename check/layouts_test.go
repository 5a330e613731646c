// Models as they are published, made small: the names and shapes of each form.

package check_test

import (
	"fmt"

	"github.com/weightools/safetensors"
)

// The sizes of the small models. Each number of a configuration is another one, so
// that none passes for another.
const (
	layersOf = 8
	hidden   = 64
	kv       = 32 // two heads of 16
	wide     = 160
	vocab    = 256
)

// llamaConfig is the configuration of the small model.
const llamaConfig = `{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64, "num_attention_heads": 4,
"num_key_value_heads": 2, "intermediate_size": 160, "num_hidden_layers": 8, "vocab_size": 256, "tie_word_embeddings": false,
"rms_norm_eps": 1e-05, "torch_dtype": "bfloat16"}`

// quantised returns the configuration with a quantisation.
func quantised(quantisation string) string {
	return llamaConfig[:len(llamaConfig)-1] + `, "quantization_config": ` + quantisation + "}"
}

func bf16(name string, shape ...int64) tensor { return tensor{name, safetensors.BF16, shape, nil} }
func f32(name string, shape ...int64) tensor  { return tensor{name, safetensors.F32, shape, nil} }

// A linear returns the tensors of a linear layer, by its module and its numbers of
// inputs and outputs.
type linear func(module string, in, out int64) []tensor

// plain is a layer that is not packed.
func plain(module string, in, out int64) []tensor { return []tensor{bf16(module+".weight", out, in)} }

// The packed forms, each as counted by hand from its own documentation: 4 bits, in
// groups of 32 where the size is free.

func gptq(module string, in, out int64) []tensor {
	return []tensor{
		{module + ".qweight", safetensors.I32, []int64{in / 8, out}, nil},
		{module + ".scales", safetensors.F16, []int64{in / 32, out}, nil},
		{module + ".qzeros", safetensors.I32, []int64{in / 32, out / 8}, nil},
		{module + ".g_idx", safetensors.I32, []int64{in}, nil},
	}
}

func awq(module string, in, out int64) []tensor {
	return []tensor{
		{module + ".qweight", safetensors.I32, []int64{in, out / 8}, nil},
		{module + ".scales", safetensors.F16, []int64{in / 32, out}, nil},
		{module + ".qzeros", safetensors.I32, []int64{in / 32, out / 8}, nil},
	}
}

func compressed(module string, in, out int64) []tensor {
	return []tensor{
		{module + ".weight_packed", safetensors.I32, []int64{out, in / 8}, nil},
		bf16(module+".weight_scale", out, in/32),
		{module + ".weight_shape", safetensors.I64, []int64{2}, nil},
	}
}

func nvfp4(module string, in, out int64) []tensor {
	return []tensor{
		{module + ".weight_packed", safetensors.U8, []int64{out, in / 2}, nil},
		{module + ".weight_scale", safetensors.F8_E4M3, []int64{out, in / 16}, nil},
		f32(module+".weight_global_scale", 1), f32(module+".input_global_scale", 1),
	}
}

func modelopt(module string, in, out int64) []tensor {
	return []tensor{
		{module + ".weight", safetensors.U8, []int64{out, in / 2}, nil},
		{module + ".weight_scale", safetensors.F8_E4M3, []int64{out, in / 16}, nil},
		f32(module + ".weight_scale_2"), f32(module + ".input_scale"),
	}
}

func fp8(module string, in, out int64) []tensor {
	return []tensor{
		{module + ".weight", safetensors.F8_E4M3, []int64{out, in}, nil},
		f32(module+".weight_scale_inv", (out+127)/128, (in+127)/128),
	}
}

func bitsandbytes(module string, in, out int64) []tensor {
	return []tensor{
		{module + ".weight", safetensors.U8, []int64{in * out / 2, 1}, nil},
		{module + ".weight.absmax", safetensors.U8, []int64{in * out / 64}, nil},
		f32(module+".weight.quant_map", 16),
		f32(module+".weight.nested_absmax", (in*out/64+255)/256), f32(module+".weight.nested_quant_map", 256),
		{module + ".weight.quant_state.bitsandbytes__nf4", safetensors.U8, []int64{90}, nil},
	}
}

func mlx(module string, in, out int64) []tensor {
	return []tensor{
		{module + ".weight", safetensors.U32, []int64{out, in / 8}, nil},
		bf16(module+".scales", out, in/32), bf16(module+".biases", out, in/32),
	}
}

// llama returns the small model, whose linear layers are of the given form, without
// an output layer of its own.
func llama(of linear) []tensor {
	all := []tensor{bf16("model.embed_tokens.weight", vocab, hidden), bf16("model.norm.weight", hidden)}
	for i := range layersOf {
		at := fmt.Sprintf("model.layers.%d.", i)
		all = append(all, bf16(at+"input_layernorm.weight", hidden), bf16(at+"post_attention_layernorm.weight", hidden))
		for _, l := range []struct {
			name    string
			in, out int64
		}{
			{"self_attn.q_proj", hidden, hidden}, {"self_attn.k_proj", hidden, kv}, {"self_attn.v_proj", hidden, kv}, {"self_attn.o_proj", hidden, hidden},
			{"mlp.gate_proj", hidden, wide}, {"mlp.up_proj", hidden, wide}, {"mlp.down_proj", wide, hidden},
		} {
			all = append(all, of(at+l.name, l.in, l.out)...)
		}
	}
	return all
}

// headed returns the small model with an output layer.
func headed(of linear) []tensor { return append(llama(of), bf16("lm_head.weight", vocab, hidden)) }

// without returns tensors but for the named ones.
func without(tensors []tensor, names ...string) (kept []tensor) {
	for _, one := range tensors {
		found := false
		for _, name := range names {
			found = found || one.name == name
		}
		if !found {
			kept = append(kept, one)
		}
	}
	if len(kept) != len(tensors)-len(names) {
		panic(fmt.Sprint("there is none of ", names))
	}
	return kept
}

// with returns tensors of which the named one is changed.
func with(tensors []tensor, name string, change func(*tensor)) []tensor {
	for i := range tensors {
		if tensors[i].name == name {
			change(&tensors[i])
			return tensors
		}
	}
	panic("there is no " + name)
}

// reshaped returns tensors of which the named one has another shape.
func reshaped(tensors []tensor, name string, shape ...int64) []tensor {
	return with(tensors, name, func(one *tensor) { one.shape = shape })
}

// filled returns tensors of which the named one has other numbers.
func filled(tensors []tensor, name string, fill func([]byte)) []tensor {
	return with(tensors, name, func(one *tensor) { one.fill = fill })
}

// gemv returns a weight as AWQ packs it for its kernel GEMV. The shapes do not prove the number of bits.
func gemv(module string, in, out int64) []tensor {
	return []tensor{
		{module + ".qweight", safetensors.I32, []int64{out, in / 8}, nil},
		{module + ".scales", safetensors.F16, []int64{out, 8}, nil},
		{module + ".qzeros", safetensors.I32, []int64{out, 1}, nil},
	}
}

// lora returns an adapter of the given rank, as PEFT writes it.
func lora(rank int64) (all []tensor) {
	for i := range layersOf {
		for _, module := range []string{"q_proj", "o_proj"} {
			at := fmt.Sprintf("base_model.model.model.layers.%d.self_attn.%s.", i, module)
			all = append(all, f32(at+"lora_A.weight", rank, hidden), f32(at+"lora_B.weight", hidden, rank))
		}
	}
	return all
}

// kohya returns an adapter as kohya's scripts write it.
func kohya() (all []tensor) {
	for i := range 4 {
		at := fmt.Sprintf("lora_unet_down_blocks_%d_attn_to_q.", i)
		all = append(all, bf16(at+"alpha"), bf16(at+"lora_down.weight", 4, hidden), bf16(at+"lora_up.weight", hidden, 4))
	}
	return append(all, bf16("lora_unet_conv_in.lora_down.weight", 4, 3, 3, 3), bf16("lora_unet_conv_in.lora_up.weight", hidden, 4, 1, 1))
}

const peftConfig = `{"peft_type": "LORA", "r": 4, "lora_alpha": 8, "rank_pattern": {}, "target_modules": ["q_proj", "o_proj"], "base_model_name_or_path": "a/b"}`
