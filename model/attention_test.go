// Attention: the spellings of published configurations.

package model

import "testing"

// Each configuration has what its model says on the Hub, shortened.
func TestSpellingsOfAttention(t *testing.T) {
	for _, tt := range []struct {
		name, config string
		heads, kv    int64
		size         int64
	}{
		{"Llama 3.1 8B", `{"hidden_size":4096,"num_attention_heads":32,"num_key_value_heads":8}`, 32, 8, 128},
		{"Qwen3 0.6B", `{"head_dim":128,"hidden_size":1024,"num_attention_heads":16,"num_key_value_heads":8}`, 16, 8, 128},
		{"BART", `{"d_model":1024,"encoder_attention_heads":16,"decoder_attention_heads":16}`, 16, 0, 64},
		{"TrOCR", `{"d_model":1024,"decoder_attention_heads":16}`, 16, 0, 64},
		{"T5 11B", `{"d_model":1024,"num_heads":128,"d_kv":128}`, 128, 0, 128},
		{"GPT-2", `{"n_embd":768,"n_head":12}`, 12, 0, 64},
		{"DistilBERT", `{"dim":768,"n_heads":12,"hidden_dim":3072}`, 12, 0, 64},
		{"MPT 7B", `{"d_model":4096,"n_heads":32,"attn_config":{"attn_type":"multihead_attention"}}`, 32, 0, 128},
		{"DBRX", `{"d_model":6144,"n_heads":48,"attn_config":{"kv_n_heads":8}}`, 48, 8, 128},
		{"Falcon 7B", `{"hidden_size":4544,"num_attention_heads":71,"multi_query":true,"new_decoder_architecture":false,"num_kv_heads":71}`, 71, 1, 64},
		{"Falcon 40B", `{"hidden_size":8192,"num_attention_heads":128,"multi_query":true,"new_decoder_architecture":true,"num_kv_heads":8}`, 128, 8, 64},
		{"StarCoder", `{"n_embd":6144,"n_head":48,"multi_query":true}`, 48, 1, 128},
		{"GPT-BigCode with all heads", `{"n_embd":6144,"n_head":48,"multi_query":false}`, 48, 48, 128},
		{"ChatGLM3", `{"hidden_size":4096,"num_attention_heads":32,"kv_channels":128,"multi_query_attention":true,"multi_query_group_num":2}`, 32, 2, 128},
		{"Step3", `{"text_config":{"hidden_size":7168,"num_attention_heads":64,"num_attention_groups":1,"head_dim":256}}`, 64, 1, 256},
		{"DeepSeek V3", `{"hidden_size":7168,"num_attention_heads":128,"num_key_value_heads":128,"qk_nope_head_dim":128,"qk_rope_head_dim":64,"v_head_dim":128}`, 128, 128, 192},
		{"a vision encoder and a decoder", `{"encoder":{"hidden_size":768,"num_attention_heads":12},"decoder":{"d_model":1024,"decoder_attention_heads":16}}`, 16, 0, 64},
		{"ColPali", `{"vlm_config":{"text_config":{"hidden_size":2048,"num_attention_heads":8,"num_key_value_heads":1}}}`, 8, 1, 256},
		{"equal in all layers", `{"num_attention_heads":[8,8],"num_key_value_heads":[2,2]}`, 8, 2, 0},
		{"not in one head's size", `{"hidden_size":100,"num_attention_heads":3}`, 3, 0, 0},
		{"no numbers", `{"hidden_size":"a","num_attention_heads":null,"num_heads":-1,"attn_config":[]}`, 0, 0, 0},
	} {
		f := FactsOf(headers(tt.config))
		if f.Heads.Value != tt.heads || f.KVHeads.Value != tt.kv || f.HeadSize.Value != tt.size {
			t.Errorf("%s: %d heads, %d for keys, size %d; want %d, %d, %d", tt.name, f.Heads.Value, f.KVHeads.Value,
				f.HeadSize.Value, tt.heads, tt.kv, tt.size)
		}
		if len(f.Notes) > 0 {
			t.Errorf("%s: notes %q", tt.name, f.Notes)
		}
	}
}

func TestContext(t *testing.T) {
	for _, tt := range []struct {
		name, config    string
		context, window int64
		factor          float64
	}{
		{"Llama 3.1", `{"max_position_embeddings":131072,"rope_scaling":{"factor":8.0,"rope_type":"llama3"}}`, 131072, 0, 8},
		{"transformers 5", `{"max_position_embeddings":131072,"rope_parameters":{"factor":4.0,"rope_type":"yarn","rope_theta":1e6}}`, 131072, 0, 4},
		{"Gemma 3", `{"text_config":{"sliding_window":1024,"max_position_embeddings":131072,"rope_parameters":{"sliding_attention":{"rope_type":"default"},"full_attention":{"rope_type":"linear","factor":8.0}}}}`, 131072, 1024, 8},
		{"Phi-3, 128k", `{"max_position_embeddings":131072,"original_max_position_embeddings":4096,"sliding_window":262144,"rope_scaling":{"type":"longrope","short_factor":[1.0],"long_factor":[1.0]}}`, 131072, 262144, 32},
		{"Qwen2, whose window is not used", `{"max_position_embeddings":32768,"sliding_window":131072,"use_sliding_window":false}`, 32768, 0, 0},
		{"Mistral", `{"max_position_embeddings":32768,"sliding_window":4096}`, 32768, 4096, 0},
		{"Mistral without a window", `{"max_position_embeddings":32768,"sliding_window":null}`, 32768, 0, 0},
		{"GPT-2", `{"n_positions":1024,"n_ctx":1024}`, 1024, 0, 0},
		{"BLOOM", `{"seq_length":2048}`, 2048, 0, 0},
		{"MPT", `{"max_seq_len":2048}`, 2048, 0, 0},
		{"Whisper", `{"max_source_positions":1500,"max_target_positions":448}`, 448, 0, 0},
		{"Longformer", `{"attention_window":[512,512],"max_position_embeddings":4098}`, 4098, 512, 0},
		{"no rope", `{"rope_scaling":null}`, 0, 0, 0},
		{"no numbers", `{"rope_scaling":{"factor":"8"},"sliding_window":true,"max_position_embeddings":1.5}`, 0, 0, 0},
	} {
		f := FactsOf(headers(tt.config))
		if f.Context.Value != tt.context || f.Window.Value != tt.window || f.RopeFactor.Value != tt.factor {
			t.Errorf("%s: context %d, window %d, factor %v; want %d, %d, %v", tt.name, f.Context.Value, f.Window.Value,
				f.RopeFactor.Value, tt.context, tt.window, tt.factor)
		}
	}
}

// OpenELM has more heads in higher layers.
func TestLayersWithDifferentHeads(t *testing.T) {
	f := FactsOf(headers(`{"num_query_heads":[12,12,20],"num_kv_heads":[3,3,5]}`))
	if f.Heads.Value != 0 || f.Heads.From != Unknown || len(f.Notes) != 2 {
		t.Errorf("%+v %q", f.Heads, f.Notes)
	}
}
