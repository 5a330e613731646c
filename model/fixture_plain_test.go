// Published models that are not packed.

package model_test

import "fmt"

// google-bert/bert-base-uncased: vocab_size 30522, hidden_size 768, 12 layers,
// intermediate_size 3072; norms are called gamma and beta, as TensorFlow did.
func bertBase() *Fixture {
	return single(`{"architectures":["BertForMaskedLM"],"hidden_size":768,"num_hidden_layers":12,"num_attention_heads":12,"vocab_size":30522,"model_type":"bert"}`, func(d *Draft) {
		const h = 768
		norm := func(name string) {
			d.Add(name+".gamma", "F32", h)
			d.Add(name+".beta", "F32", h)
		}
		norm("bert.embeddings.LayerNorm")
		d.Add("bert.embeddings.word_embeddings.weight", "F32", 30522, h)
		d.Add("bert.embeddings.position_embeddings.weight", "F32", 512, h)
		d.Add("bert.embeddings.token_type_embeddings.weight", "F32", 2, h)
		for i := range 12 {
			bertLayer(d, fmt.Sprintf("bert.encoder.layer.%d.", i), norm)
		}
		d.linear("bert.pooler.dense", "F32", h, h, true)
		d.Add("cls.predictions.bias", "F32", 30522)
		d.linear("cls.predictions.transform.dense", "F32", h, h, true)
		norm("cls.predictions.transform.LayerNorm")
		d.linear("cls.seq_relationship", "F32", 2, h, true)
	})
}

// bertLayer adds a layer of 768 channels, as BERT and RoBERTa have.
func bertLayer(d *Draft, name string, norm func(string)) {
	const h = 768
	for _, m := range []string{"attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"} {
		d.linear(name+m, "F32", h, h, true)
	}
	norm(name + "attention.output.LayerNorm")
	d.linear(name+"intermediate.dense", "F32", 4*h, h, true)
	d.linear(name+"output.dense", "F32", h, 4*h, true)
	norm(name + "output.LayerNorm")
}

// FacebookAI/roberta-base: vocab_size 50265, 514 positions, the ids of which are
// stored; no pooler.
func robertaBase() *Fixture {
	return single(`{"architectures":["RobertaForMaskedLM"],"hidden_size":768,"num_hidden_layers":12,"vocab_size":50265,"model_type":"roberta"}`, func(d *Draft) {
		const h = 768
		norm := func(name string) { d.norm(name, "F32", h) }
		d.Add("roberta.embeddings.position_ids", "I64", 1, 514)
		d.Add("roberta.embeddings.word_embeddings.weight", "F32", 50265, h)
		d.Add("roberta.embeddings.position_embeddings.weight", "F32", 514, h)
		d.Add("roberta.embeddings.token_type_embeddings.weight", "F32", 1, h)
		norm("roberta.embeddings.LayerNorm")
		for i := range 12 {
			bertLayer(d, fmt.Sprintf("roberta.encoder.layer.%d.", i), norm)
		}
		d.Add("lm_head.bias", "F32", 50265)
		d.linear("lm_head.dense", "F32", h, h, true)
		norm("lm_head.layer_norm")
	})
}

// bigscience/bloom: vocab_size 250880, hidden_size 14336, 70 layers, in 72 shards:
// the embedding, each layer, and the last norm.
func bloom() *Fixture {
	const h = 14336
	f := &Fixture{Config: `{"architectures":["BloomForCausalLM"],"n_layer":70,"n_embed":14336,"vocab_size":250880,"model_type":"bloom"}`}
	shard := func() *Draft {
		f.Shards = append(f.Shards, new(Draft))
		return f.Shards[len(f.Shards)-1]
	}
	d := shard()
	d.Add("word_embeddings.weight", "BF16", 250880, h)
	d.norm("word_embeddings_layernorm", "BF16", h)
	for i := range 70 {
		d := shard()
		layer := fmt.Sprintf("h.%d.", i)
		d.norm(layer+"input_layernorm", "BF16", h)
		d.norm(layer+"post_attention_layernorm", "BF16", h)
		d.linear(layer+"self_attention.query_key_value", "BF16", 3*h, h, true)
		d.linear(layer+"self_attention.dense", "BF16", h, h, true)
		d.linear(layer+"mlp.dense_h_to_4h", "BF16", 4*h, h, true)
		d.linear(layer+"mlp.dense_4h_to_h", "BF16", h, 4*h, true)
	}
	shard().norm("ln_f", "BF16", h)
	return f
}

// Qwen/Qwen-Image, transformer: 60 layers of 24 heads of 128, text of 3584 channels,
// 64 channels in and out. The names are those of diffusers.
func qwenImage() *Fixture {
	return single(`{"_class_name":"QwenImageTransformer2DModel","num_layers":60,"num_attention_heads":24,"attention_head_dim":128,"joint_attention_dim":3584}`, func(d *Draft) {
		const h = 24 * 128
		lin := func(name string, out, in int64) { d.linear(name, "BF16", out, in, true) }
		lin("img_in", h, 64)
		d.Add("txt_norm.weight", "BF16", 3584)
		lin("txt_in", h, 3584)
		lin("time_text_embed.timestep_embedder.linear_1", h, 256)
		lin("time_text_embed.timestep_embedder.linear_2", h, h)
		for i := range 60 {
			block := fmt.Sprintf("transformer_blocks.%d.", i)
			for _, m := range []string{"to_q", "to_k", "to_v", "add_q_proj", "add_k_proj", "add_v_proj", "to_out.0", "to_add_out"} {
				lin(block+"attn."+m, h, h)
			}
			for _, m := range []string{"norm_q", "norm_k", "norm_added_q", "norm_added_k"} {
				d.Add(block+"attn."+m+".weight", "BF16", 128)
			}
			for _, side := range []string{"img", "txt"} {
				lin(block+side+"_mod.1", 6*h, h)
				lin(block+side+"_mlp.net.0.proj", 4*h, h)
				lin(block+side+"_mlp.net.2", h, 4*h)
			}
		}
		lin("norm_out.linear", 2*h, h)
		lin("proj_out", 64, h)
	})
}
