"""Published models of transformers: the sizes that their config.json files have, and what lies beside the weights."""

ALL = "transformers vllm sglang llama.cpp mlx ollama"
SERVED = "transformers vllm sglang llama.cpp mlx"
GPU = "transformers vllm sglang"
GB = 10**9

# name, class, sizes, and options: dtype, shards (bytes of one), loaders, rename (of tensors), drop, add, beside (habits),
# only (version of transformers), tokens (ids that the tokenizer adds at the end of the vocabulary), config (more keys).
MODELS = {}


def model(name, cls, sizes=None, **options):
    MODELS[name] = (cls, sizes or {}, options)


def bare(prefix):
    """Renames as repositories do that store the model without its head."""
    return lambda n: n.removeprefix(prefix + ".")


model("llama-3.1-8b", "LlamaForCausalLM", dict(
    hidden_size=4096, intermediate_size=14336, num_key_value_heads=8, vocab_size=128256, rope_theta=500000.0,
    max_position_embeddings=131072, rms_norm_eps=1e-5, bos_token_id=128000, eos_token_id=[128001, 128008, 128009],
    rope_scaling=dict(factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=8192,
                      rope_type="llama3")),
      shards=5 * GB, tokens=256, loaders=ALL, beside="original chat")
model("llama-3.2-1b", "LlamaForCausalLM", dict(
    hidden_size=2048, intermediate_size=8192, num_hidden_layers=16, num_key_value_heads=8, vocab_size=128256,
    head_dim=64, tie_word_embeddings=True, rope_theta=500000.0, bos_token_id=128000, eos_token_id=128001),
      tokens=256, loaders=ALL, beside="original")
model("llama-2-7b", "LlamaForCausalLM", dict(rms_norm_eps=1e-5, max_position_embeddings=4096), dtype="float16",
      shards=10 * GB, loaders=ALL, beside="bin-index sentencepiece")
model("llama-2-70b-head-as-f32", "LlamaForCausalLM", dict(
    hidden_size=8192, intermediate_size=28672, num_hidden_layers=80, num_attention_heads=64, num_key_value_heads=8),
      dtype="float16", shards=10 * GB, loaders=ALL, beside="rotary sentencepiece")
model("tinyllama-1.1b", "LlamaForCausalLM", dict(
    hidden_size=2048, intermediate_size=5632, num_hidden_layers=22, num_key_value_heads=4), loaders=ALL,
      beside="trainer chat sentencepiece")
model("smollm2-135m", "LlamaForCausalLM", dict(
    hidden_size=576, intermediate_size=1536, num_hidden_layers=30, num_attention_heads=9, num_key_value_heads=3,
    vocab_size=49152, tie_word_embeddings=True), loaders=ALL, beside="onnx")
model("deepseek-r1-distill-llama-70b", "LlamaForCausalLM", dict(
    hidden_size=8192, intermediate_size=28672, num_hidden_layers=80, num_attention_heads=64, num_key_value_heads=8,
    vocab_size=128256), shards=8606 * 10**6, loaders=ALL, beside="six-digits")
model("yi-1.5-9b", "LlamaForCausalLM", dict(
    hidden_size=4096, intermediate_size=11008, num_hidden_layers=48, num_key_value_heads=4, vocab_size=64000),
      shards=5 * GB, loaders=ALL)
model("vicuna-untied-padded", "LlamaForCausalLM", dict(vocab_size=32064), dtype="float16", shards=10 * GB,
      loaders=ALL, beside="added-tokens")
model("qwen2.5-7b-instruct", "Qwen2ForCausalLM", dict(
    hidden_size=3584, intermediate_size=18944, num_hidden_layers=28, num_attention_heads=28, num_key_value_heads=4,
    vocab_size=152064), shards=4 * GB, tokens=-399, loaders=ALL, beside="chat merges")
model("qwen2.5-0.5b", "Qwen2ForCausalLM", dict(
    hidden_size=896, intermediate_size=4864, num_hidden_layers=24, num_attention_heads=14, num_key_value_heads=2,
    vocab_size=151936, tie_word_embeddings=True), tokens=-271, loaders=ALL, beside="merges")
model("qwen2.5-1.5b-tied-and-stored", "Qwen2ForCausalLM", dict(
    hidden_size=1536, intermediate_size=8960, num_hidden_layers=28, num_attention_heads=12, num_key_value_heads=2,
    vocab_size=151936, tie_word_embeddings=True), tokens=-271, loaders=ALL, add="lm_head.weight=model.embed_tokens.weight")
model("qwen1.5-moe-a2.7b", "Qwen2MoeForCausalLM", dict(num_hidden_layers=24), shards=4 * GB, loaders=SERVED)
model("qwen3-0.6b", "Qwen3ForCausalLM", dict(
    hidden_size=1024, intermediate_size=3072, num_hidden_layers=28, num_attention_heads=16, num_key_value_heads=8,
    tie_word_embeddings=True), tokens=-267, loaders=SERVED, beside="chat")
model("qwen3-8b", "Qwen3ForCausalLM", dict(
    hidden_size=4096, intermediate_size=12288, num_hidden_layers=36, num_key_value_heads=8), shards=4 * GB,
      tokens=-267, loaders=SERVED, beside="chat merges")
model("qwen3-embedding-0.6b", "Qwen3ForCausalLM", dict(
    hidden_size=1024, intermediate_size=3072, num_hidden_layers=28, num_attention_heads=16, num_key_value_heads=8,
    vocab_size=151669, tie_word_embeddings=True), tokens=26, rename=bare("model"), loaders=GPU,
      beside="sentence-transformers-last")
model("qwen3-30b-a3b", "Qwen3MoeForCausalLM", dict(
    hidden_size=2048, intermediate_size=6144, num_hidden_layers=48, num_experts=128, head_dim=128),
      shards=4 * GB, tokens=-267, loaders=SERVED)
model("qwen3-vl-8b", "Qwen3VLForConditionalGeneration", dict(text_config=dict(
    hidden_size=4096, intermediate_size=12288, num_hidden_layers=36, num_attention_heads=32, num_key_value_heads=8,
    vocab_size=151936)), shards=5 * GB, tokens=-267, loaders=SERVED, beside="processor")
model("qwen2-vl-2b", "Qwen2VLForConditionalGeneration", dict(text_config=dict(
    hidden_size=1536, intermediate_size=8960, num_hidden_layers=28, num_attention_heads=12, num_key_value_heads=2,
    vocab_size=151936, tie_word_embeddings=True), vision_config=dict(hidden_size=1536), tie_word_embeddings=True),
      shards=4 * GB, loaders=SERVED, beside="processor", old="model.language_model.=model. model.visual.=visual.")
model("qwen2.5-vl-7b", "Qwen2_5_VLForConditionalGeneration", dict(text_config=dict(
    hidden_size=3584, intermediate_size=18944, num_hidden_layers=28, num_attention_heads=28, num_key_value_heads=4,
    vocab_size=152064), vision_config=dict(out_hidden_size=3584)), shards=4 * GB, loaders=SERVED, beside="processor",
      old="model.language_model.=model. model.visual.=visual.")
model("qwen3-next-80b-a3b", "Qwen3NextForCausalLM", dict(num_hidden_layers=12), shards=5 * GB, loaders=GPU)
model("mixtral-8x7b", "MixtralForCausalLM", dict(num_key_value_heads=8), shards=5 * GB, loaders=ALL,
      beside="consolidated sentencepiece")
model("mistral-7b-v0.3", "MistralForCausalLM", dict(vocab_size=32768, rope_theta=1e6, sliding_window=None),
      shards=5 * GB, loaders=SERVED, beside="consolidated sentencepiece")
model("mistral-7b-v0.1", "MistralForCausalLM", {}, shards=10 * GB, loaders=SERVED, beside="bin-index")
model("e5-mistral-7b", "MistralModel", {}, dtype="float16", shards=10 * GB, loaders=GPU,
      beside="sentence-transformers-last lora")
model("mistral-small-3.1-24b", "Mistral3ForConditionalGeneration", {}, shards=5 * GB, loaders=GPU, beside="processor",
      old="model.language_model.=language_model.model. model.vision_tower.=vision_tower. "
          "model.multi_modal_projector.=multi_modal_projector. lm_head.=language_model.lm_head.")
model("deepseek-v2-lite", "DeepseekV2ForCausalLM", dict(
    hidden_size=2048, intermediate_size=10944, moe_intermediate_size=1408, num_hidden_layers=27, num_attention_heads=16,
    num_key_value_heads=16, n_routed_experts=64, n_shared_experts=2, q_lora_rank=None, num_experts_per_tok=6,
    first_k_dense_replace=1, vocab_size=102400), shards=8 * GB, loaders=SERVED, beside="six-digits code")
model("deepseek-v3", "DeepseekV3ForCausalLM", dict(
    num_hidden_layers=61), shards=4 * GB, loaders=SERVED, beside="six-digits code", fp8=True, mtp=61, big=True,
      config=dict(num_nextn_predict_layers=1))
model("glm-4-9b", "Glm4ForCausalLM", {}, shards=5 * GB, loaders=SERVED)
model("glm-4.5-air", "Glm4MoeForCausalLM", dict(num_hidden_layers=10), shards=5 * GB, loaders=GPU, mtp=10,
      config=dict(num_nextn_predict_layers=1))
model("glm-4.1v-9b", "Glm4vForConditionalGeneration", {}, shards=5 * GB, loaders="transformers vllm", beside="processor")
model("gpt-oss-20b", "GptOssForCausalLM", dict(num_hidden_layers=24, num_local_experts=32), shards=5 * GB, loaders=ALL,
      mxfp4=True, beside="original-gpt-oss chat")
model("gemma-2-2b", "Gemma2ForCausalLM", {}, dtype="float32", shards=5 * GB, loaders=ALL)
model("gemma-3-1b", "Gemma3ForCausalLM", dict(
    hidden_size=1152, intermediate_size=6912, num_hidden_layers=26, num_attention_heads=4, num_key_value_heads=1,
    vocab_size=262144), loaders=ALL, beside="added-token-beyond")
model("gemma-3-4b", "Gemma3ForConditionalGeneration", dict(text_config=dict(
    hidden_size=2560, intermediate_size=10240, num_hidden_layers=34, vocab_size=262208),
    vision_config=dict(hidden_size=1152, intermediate_size=4304, num_hidden_layers=27, num_attention_heads=16,
                       image_size=896, patch_size=14)), shards=5 * GB, loaders=SERVED, beside="processor",
      old="model.language_model.=language_model.model. model.vision_tower.=vision_tower. "
          "model.multi_modal_projector.=multi_modal_projector. lm_head.=language_model.lm_head.")
model("gemma-7b", "GemmaForCausalLM", {}, shards=5 * GB, loaders=ALL)
model("embeddinggemma-300m", "Gemma3TextModel", dict(
    hidden_size=768, intermediate_size=1152, num_hidden_layers=24, num_attention_heads=3, num_key_value_heads=1,
    use_bidirectional_attention=True), dtype="float32", loaders="transformers vllm",
      beside="sentence-transformers-dense")
model("phi-3-mini-4k", "Phi3ForCausalLM", {}, shards=5 * GB, loaders=ALL, beside="code added-tokens")
model("phi-4", "Phi3ForCausalLM", dict(
    hidden_size=5120, intermediate_size=17920, num_hidden_layers=40, num_attention_heads=40, num_key_value_heads=10,
    vocab_size=100352, pad_token_id=100349), shards=5 * GB, loaders=ALL)
model("phi-2", "PhiForCausalLM", dict(
    hidden_size=2560, intermediate_size=10240, num_hidden_layers=32, num_attention_heads=32), dtype="float16",
      shards=5 * GB, loaders=SERVED)
model("phi-3.5-moe", "PhimoeForCausalLM", {}, shards=5 * GB, loaders=SERVED, config=dict(architectures=["PhiMoEForCausalLM"]))
model("gpt2-published", "GPT2LMHeadModel", {}, dtype="float32", rename=bare("transformer"), loaders=SERVED,
      beside="gpt2-buffers onnx merges", config=dict(n_ctx=1024))
model("gpt2-xl-saved", "GPT2LMHeadModel", dict(n_embd=1600, n_layer=48, n_head=25), dtype="float32", loaders="transformers vllm")
model("gpt-neo-1.3b", "GPTNeoForCausalLM", {}, dtype="float32", loaders="transformers")
model("gpt-j-6b", "GPTJForCausalLM", {}, dtype="float16", loaders="transformers vllm")
model("pythia-160m", "GPTNeoXForCausalLM", dict(
    hidden_size=768, intermediate_size=3072, num_hidden_layers=12, num_attention_heads=12, vocab_size=50304),
      dtype="float16", tokens=-27, loaders="transformers vllm llama.cpp mlx", beside="neox-buffers")
model("opt-125m", "OPTForCausalLM", {}, dtype="float16", loaders="transformers vllm", beside="flax")
model("bloom-560m", "BloomForCausalLM", dict(hidden_size=1024, n_layer=24, n_head=16), dtype="float16",
      rename=bare("transformer"), loaders="transformers vllm llama.cpp", beside="flax onnx")
model("falcon-7b", "FalconForCausalLM", {}, shards=10 * GB, loaders="transformers vllm llama.cpp", beside="code")
model("falcon-h1-0.5b", "FalconH1ForCausalLM", {}, loaders="transformers vllm llama.cpp")
model("mpt-7b", "MptForCausalLM", dict(d_model=4096, n_heads=32, n_layers=32), shards=10 * GB,
      loaders="transformers vllm")
model("stablelm-2", "StableLmForCausalLM", {}, loaders="transformers vllm llama.cpp mlx")
model("starcoder2-3b", "Starcoder2ForCausalLM", dict(tie_word_embeddings=True), loaders="transformers vllm llama.cpp mlx")
model("starcoder", "GPTBigCodeForCausalLM", {}, loaders="transformers vllm llama.cpp mlx", config=dict(n_inner=3072))
model("mamba-130m", "MambaForCausalLM", {}, dtype="float32", loaders="transformers vllm llama.cpp mlx")
model("mamba2-codestral", "Mamba2ForCausalLM", {}, shards=5 * GB, loaders="transformers vllm llama.cpp")
model("falcon-mamba-7b", "FalconMambaForCausalLM", {}, loaders="transformers vllm llama.cpp")
model("jamba-mini", "JambaForCausalLM", dict(num_hidden_layers=8), shards=5 * GB, loaders="transformers vllm llama.cpp")
model("bamba-9b", "BambaForCausalLM", {}, shards=5 * GB, loaders="transformers vllm")
model("recurrentgemma-2b", "RecurrentGemmaForCausalLM", {}, loaders="transformers mlx")
model("granite-3.3-8b", "GraniteForCausalLM", dict(
    hidden_size=4096, intermediate_size=12800, num_hidden_layers=40, num_key_value_heads=8, vocab_size=49159,
    tie_word_embeddings=True), shards=5 * GB, loaders="transformers vllm llama.cpp mlx")
model("granite-3-moe", "GraniteMoeForCausalLM", {}, loaders="transformers vllm llama.cpp")
model("granite-4-tiny", "GraniteMoeHybridForCausalLM", dict(
    num_hidden_layers=10, layer_types=["mamba"] * 5 + ["attention"] + ["mamba"] * 4), loaders="transformers vllm")
model("olmo-2-7b", "Olmo2ForCausalLM", {}, dtype="float32", shards=5 * GB, loaders="transformers vllm sglang llama.cpp mlx")
model("olmo-1b", "OlmoForCausalLM", {}, loaders="transformers vllm sglang llama.cpp")
model("olmoe-1b-7b", "OlmoeForCausalLM", dict(num_hidden_layers=16), shards=5 * GB,
      loaders="transformers vllm sglang llama.cpp mlx")
model("command-r", "CohereForCausalLM", {}, dtype="float16", shards=5 * GB, loaders=ALL)
model("command-r7b", "Cohere2ForCausalLM", {}, shards=5 * GB, loaders="transformers vllm llama.cpp mlx",
      config=dict(rotary_pct=1.0))
model("exaone-4", "Exaone4ForCausalLM", dict(num_hidden_layers=30), loaders="transformers vllm llama.cpp mlx",
      config=dict(head_dim=128, rope_scaling=dict(rope_type="llama3", factor=16.0, original_max_position_embeddings=8192,
                                                  low_freq_factor=1.0, high_freq_factor=4.0)))
model("ernie-4.5-0.3b", "Ernie4_5ForCausalLM", {}, loaders="transformers vllm llama.cpp mlx",
      config=dict(tie_word_embeddings=True))
model("smollm3-3b", "SmolLM3ForCausalLM", {}, shards=5 * GB, loaders="transformers vllm llama.cpp mlx")
model("arcee-4.5b", "ArceeForCausalLM", {}, loaders="transformers vllm llama.cpp")
model("minimax-text", "MiniMaxForCausalLM", dict(num_hidden_layers=4), shards=5 * GB, loaders="transformers vllm")
model("lfm2-1.2b", "Lfm2ForCausalLM", {}, loaders="transformers vllm llama.cpp mlx", config=dict(block_dim=2560))
model("dbrx", "DbrxForCausalLM", {}, shards=5 * GB, loaders="transformers vllm llama.cpp")
model("llama-4-scout", "Llama4ForConditionalGeneration", dict(text_config=dict(num_hidden_layers=4)), shards=4 * GB,
      loaders="transformers vllm", beside="processor")
model("llama-3.2-11b-vision", "MllamaForConditionalGeneration", {}, shards=5 * GB, loaders="transformers vllm",
      beside="processor original")
model("llava-1.5-7b", "LlavaForConditionalGeneration", dict(text_config=dict(model_type="llama", vocab_size=32064)),
      dtype="float16", shards=5 * GB, loaders=GPU, beside="processor",
      old="model.language_model.=language_model.model. model.vision_tower.=vision_tower. "
          "model.multi_modal_projector.=multi_modal_projector. lm_head.=language_model.lm_head.")
model("internvl3-1b-hf", "InternVLForConditionalGeneration", {}, loaders="transformers vllm", beside="processor")
model("paligemma-3b", "PaliGemmaForConditionalGeneration", {}, dtype="float32", shards=5 * GB, loaders="transformers vllm")
model("smolvlm-500m", "SmolVLMForConditionalGeneration", {}, loaders="transformers", beside="processor onnx")
model("pixtral-12b-hf", "LlavaForConditionalGeneration", dict(
    text_config=dict(model_type="mistral"), vision_config=dict(model_type="pixtral")), shards=5 * GB, loaders=GPU)
model("blip2-opt-2.7b", "Blip2ForConditionalGeneration", {}, dtype="float32", shards=10 * GB, loaders="transformers vllm")
model("bert-base-uncased", "BertForPreTraining", {}, dtype="float32", loaders="transformers vllm",
      beside="gamma flax vocab")
model("bge-base", "BertModel", {}, dtype="float32", loaders="transformers llama.cpp vllm",
      beside="sentence-transformers onnx vocab bin position-ids")
model("all-minilm-l6-v2", "BertModel", dict(
    hidden_size=384, intermediate_size=1536, num_hidden_layers=6), dtype="float32",
      loaders="transformers llama.cpp vllm", beside="sentence-transformers onnx vocab position-ids")
model("ms-marco-cross-encoder", "BertForSequenceClassification", dict(hidden_size=384, intermediate_size=1536, num_labels=1),
      dtype="float32", loaders="transformers vllm", beside="vocab")
model("bert-ner", "BertForTokenClassification", dict(num_labels=9), dtype="float32", loaders="transformers vllm",
      beside="trainer vocab")
model("roberta-base", "RobertaForMaskedLM", dict(vocab_size=50265, max_position_embeddings=514, type_vocab_size=1),
      dtype="float32", loaders="transformers vllm", beside="merges flax")
model("xlm-roberta-base", "XLMRobertaForMaskedLM", dict(vocab_size=250002, max_position_embeddings=514, type_vocab_size=1),
      dtype="float32", loaders="transformers vllm", beside="sentencepiece")
model("bge-reranker", "XLMRobertaForSequenceClassification", dict(
    vocab_size=250002, max_position_embeddings=514, type_vocab_size=1, num_labels=1), dtype="float32",
      loaders="transformers vllm", beside="sentencepiece")
model("distilbert-sst2", "DistilBertForSequenceClassification", {}, dtype="float32", loaders="transformers", beside="vocab onnx")
model("albert-base-v2", "AlbertForMaskedLM", dict(
    hidden_size=768, intermediate_size=3072, num_attention_heads=12), dtype="float32", loaders="transformers")
model("electra-small", "ElectraForPreTraining", {}, dtype="float32", loaders="transformers", beside="vocab")
model("deberta-v3-base", "DebertaV2ForMaskedLM", dict(
    hidden_size=768, intermediate_size=3072, num_hidden_layers=12, num_attention_heads=12, relative_attention=True,
    position_buckets=256, norm_rel_ebd="layer_norm", share_att_key=True, pos_att_type=["p2c", "c2p"],
    position_biased_input=False, type_vocab_size=0, vocab_size=128100), dtype="float32", loaders="transformers")
model("modernbert-base", "ModernBertForMaskedLM", {}, dtype="float32", loaders="transformers vllm")
model("nomic-like-mpnet", "MPNetModel", {}, dtype="float32", loaders="transformers", beside="sentence-transformers vocab")
model("t5-small", "T5ForConditionalGeneration", {}, dtype="float32", loaders="transformers llama.cpp",
      beside="flax sentencepiece")
model("flan-t5-xl", "T5ForConditionalGeneration", dict(
    d_model=2048, d_ff=5120, num_layers=24, num_heads=32, feed_forward_proj="gated-gelu", tie_word_embeddings=False),
      dtype="float32", shards=10 * GB, loaders="transformers llama.cpp", beside="bin-index sentencepiece")
model("t5-v1_1-xxl-encoder", "T5EncoderModel", dict(
    d_model=4096, d_ff=10240, num_layers=24, num_heads=64, feed_forward_proj="gated-gelu", tie_word_embeddings=False),
      dtype="float16", shards=10 * GB, loaders="transformers llama.cpp")
model("umt5-base", "UMT5ForConditionalGeneration", {}, dtype="float32", loaders="transformers")
model("bart-large-cnn", "BartForConditionalGeneration", {}, dtype="float32", loaders="transformers", beside="flax merges")
model("mbart-50", "MBartForConditionalGeneration", dict(vocab_size=250054), dtype="float32", loaders="transformers")
model("opus-mt-en-de", "MarianMTModel", dict(vocab_size=58101, d_model=512, encoder_layers=6, decoder_layers=6),
      dtype="float32", loaders="transformers")
model("pegasus-xsum", "PegasusForConditionalGeneration", {}, dtype="float32", loaders="transformers")
model("nllb-200-600m", "M2M100ForConditionalGeneration", dict(vocab_size=256206), dtype="float32", loaders="transformers")
model("whisper-large-v3", "WhisperForConditionalGeneration", dict(
    d_model=1280, encoder_layers=32, decoder_layers=32, encoder_attention_heads=20, decoder_attention_heads=20,
    encoder_ffn_dim=5120, decoder_ffn_dim=5120, vocab_size=51866, num_mel_bins=128), dtype="float16",
      loaders="transformers", beside="fp32-variant flax")
model("whisper-tiny", "WhisperForConditionalGeneration", {}, dtype="float32", loaders="transformers vllm")
model("wav2vec2-base-960h", "Wav2Vec2ForCTC", {}, dtype="float32", loaders="transformers")
model("hubert-large", "HubertModel", dict(hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, intermediate_size=4096),
      dtype="float32", loaders="transformers")
model("musicgen-small", "MusicgenForCausalLM", {}, dtype="float32", loaders="transformers")
model("clip-vit-large-patch14", "CLIPModel", dict(
    projection_dim=768, text_config=dict(hidden_size=768, intermediate_size=3072, num_attention_heads=12),
    vision_config=dict(hidden_size=1024, intermediate_size=4096, num_hidden_layers=24, num_attention_heads=16, patch_size=14)),
      dtype="float32", loaders="transformers", beside="position-ids-clip merges")
model("siglip-so400m", "SiglipModel", dict(
    text_config=dict(hidden_size=1152, intermediate_size=4304, num_hidden_layers=27, num_attention_heads=16),
    vision_config=dict(hidden_size=1152, intermediate_size=4304, num_hidden_layers=27, num_attention_heads=16)),
      dtype="float32", loaders="transformers")
model("vit-base-patch16-224", "ViTForImageClassification", dict(num_labels=1000), dtype="float32", loaders="transformers", beside="flax")
model("dinov2-base", "Dinov2Model", {}, dtype="float32", loaders="transformers")
model("dinov3-vits16", "DINOv3ViTModel", {}, dtype="float32", loaders="transformers")
model("beit-base", "BeitForImageClassification", {}, dtype="float32", loaders="transformers")
model("esm2-8m", "EsmForMaskedLM", dict(vocab_size=33, hidden_size=320, num_hidden_layers=6, num_attention_heads=20,
      intermediate_size=1280, pad_token_id=1, mask_token_id=32, position_embedding_type="rotary"), dtype="float32",
      loaders="transformers")
model("llama-reward", "LlamaForSequenceClassification", dict(
    hidden_size=4096, intermediate_size=14336, num_key_value_heads=8, vocab_size=128256, num_labels=1), shards=5 * GB,
      loaders="transformers vllm", beside="trainer")
model("qwen2-reward-token", "Qwen2ForTokenClassification", dict(num_labels=1), loaders="transformers")
model("tiny-random-llama", "LlamaForCausalLM", dict(
    hidden_size=16, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=4, vocab_size=32000),
      dtype="float32", loaders="transformers vllm sglang", beside="sentencepiece")
