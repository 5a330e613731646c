"""Small models of random weights for origin.py: at least one for each architecture of the map of names."""

import json
import shutil

import torch
import transformers
from safetensors.torch import load_file, save_file

VOCAB = 320

# Sizes that most configurations have. Matrices have rows of whole blocks of 256 elements where that is possible.
SIZES = dict(
    hidden_size=256, intermediate_size=512, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
    head_dim=64, vocab_size=VOCAB, max_position_embeddings=512, bos_token_id=1, eos_token_id=2, pad_token_id=0,
)
MOE = dict(num_experts=4, moe_intermediate_size=256)
GPT2 = dict(n_embd=256, n_layer=2, n_head=4, n_positions=512, n_ctx=512)
MLA = dict(
    kv_lora_rank=64, qk_rope_head_dim=32, qk_nope_head_dim=32, v_head_dim=32, n_routed_experts=4, n_shared_experts=1,
    num_experts_per_tok=2, moe_intermediate_size=256, first_k_dense_replace=1, head_dim=32, num_key_value_heads=4,
    n_group=1, topk_group=1,
)


# Fewer tokens than the embedding has rows. The converter of Gemma 3 leaves out the other rows.
TOKENIZER = json.dumps({"model": {"vocab": {str(i): i for i in range(300)}}, "added_tokens": []})


def random_values(tensors, seed=1):
    """Fills tensors: matrices with normal values, and norms and biases near 1, so that no two are alike."""
    g = torch.Generator().manual_seed(seed)
    for t in tensors:
        t.data = (torch.randn(t.shape, generator=g) * 0.02 + (1 if t.ndim == 1 else 0)).to(t.dtype)


class Model:
    """A model of a class of transformers. Options replace SIZES, where None leaves a size out. Config are changes of
    config.json, and files are more files. The layer that predicts further tokens is a copy of the last one with the
    names that predicts gives it: a function of the rest of a name. With more, it has these tensors by their shapes."""

    def __init__(self, name, dtype=torch.bfloat16, config=None, files=None, predicts=None, more=None, **options):
        self.name, self.dtype, self.config, self.files = name, dtype, config or {}, files or {}
        self.predicts, self.more = predicts, more or {}
        self.options = options

    def save(self, folder):
        """Writes the model. Returns what went wrong, or None."""
        try:
            model_class = getattr(transformers, self.name)
            options = {k: v for k, v in {**SIZES, **self.options}.items() if v is not None}
            model = model_class(model_class.config_class(**options)).to(self.dtype)
            random_values(model.parameters())
            model.save_pretrained(folder)
            if self.predicts:
                self.predict(folder / "model.safetensors")
            path = folder / "config.json"
            config = json.loads(path.read_text())
            path.write_text(json.dumps({**config, **self.config}))
            for name, text in self.files.items():
                (folder / name).write_text(text)
        except Exception as e:
            shutil.rmtree(folder, ignore_errors=True)
            return f"{type(e).__name__}: {str(e)[:200]}"


    def predict(self, path):
        """Adds a layer that predicts further tokens, which transformers does not save."""
        tensors = load_file(path)
        layer = {self.predicts(k[len("model.layers.1."):]): torch.empty_like(v) for k, v in tensors.items()
                 if k.startswith("model.layers.1.")}
        layer |= {k: torch.empty(shape, dtype=self.dtype) for k, shape in self.more.items()}
        random_values(layer.values(), seed=2)
        save_file({**tensors, **layer}, path, {"format": "pt"})


class Handmade:
    """A model whose class transformers does not have, or no longer saves as published. Tensors named weight are F8_E4M3
    if there is a weight_scale_inv beside them."""

    def __init__(self, architecture, config, shapes, layers):
        self.config = {"architectures": [architecture], "vocab_size": VOCAB, "bos_token_id": 1, "eos_token_id": 2,
                       "torch_dtype": "bfloat16", **config}
        self.shapes = {**shapes, **{k.replace("#", str(n)): s for n in range(2) for k, s in layers.items()}}

    def save(self, folder):
        folder.mkdir()
        tensors = {k: torch.empty(s, dtype=torch.uint8 if k.endswith(("_blocks", "_scales")) else torch.bfloat16)
                   for k, s in self.shapes.items()}
        random_values([t for t in tensors.values() if t.dtype != torch.uint8])
        g = torch.Generator().manual_seed(1)
        for name, t in tensors.items():
            if t.dtype == torch.uint8:
                low, high = (0, 256) if name.endswith("_blocks") else (118, 124)
                t.random_(low, high, generator=g)
            elif name + "_scale_inv" in tensors:
                tensors[name] = (t * 1000).to(torch.float8_e4m3fn)
            elif name.endswith("_scale_inv"):
                tensors[name] = t.abs().float() + 0.001
        save_file(tensors, folder / "model.safetensors", {"format": "pt"})
        (folder / "config.json").write_text(json.dumps(self.config))


LLAMA = dict(
    model_type="llama", hidden_size=256, intermediate_size=512, num_hidden_layers=2, num_attention_heads=4,
    num_key_value_heads=2, max_position_embeddings=512, rms_norm_eps=1e-6, rope_theta=10000.0,
)
EXPERTS_OF_GPT_OSS = {
    "gate_up_proj_blocks": [4, 512, 8, 16], "gate_up_proj_scales": [4, 512, 8], "gate_up_proj_bias": [4, 512],
    "down_proj_blocks": [4, 256, 8, 16], "down_proj_scales": [4, 256, 8], "down_proj_bias": [4, 256],
}

MODELS = {
    "apertus": Model("ApertusForCausalLM"),
    "arcee": Model("ArceeForCausalLM"),
    "bamba": Model("BambaForCausalLM", mamba_n_heads=8, mamba_d_head=64, mamba_d_state=32, mamba_n_groups=1,
                   attn_layer_indices=[1]),
    "bert": Model("BertModel"),
    "bert-mlm": Model("BertForMaskedLM"),
    "bloom": Model("BloomForCausalLM", n_layer=2, n_head=4),
    "cohere": Model("CohereForCausalLM"),
    "cohere2": Model("Cohere2ForCausalLM", config={"rotary_pct": 1.0}),
    "deepseek-v2": Model("DeepseekV2ForCausalLM", **{**MLA, "q_lora_rank": 64}),
    "deepseek-v2-lite": Model("DeepseekV2ForCausalLM", **{**MLA, "q_lora_rank": None}, config={"q_lora_rank": None}),
    "deepseek-v3": Model("DeepseekV3ForCausalLM", **{**MLA, "q_lora_rank": 64}),
    "distilbert": Model("DistilBertModel", dim=256, n_heads=4, n_layers=2, hidden_dim=512),
    "dots1": Model("Dots1ForCausalLM", n_routed_experts=4, moe_intermediate_size=256, n_shared_experts=1,
                   first_k_dense_replace=1, num_experts_per_tok=2, n_group=1, topk_group=1),
    "ernie4_5": Model("Ernie4_5ForCausalLM"),
    "exaone4": Model("Exaone4ForCausalLM"),
    "falcon-40b": Model("FalconForCausalLM", num_kv_heads=2, new_decoder_architecture=True, head_dim=None),
    "falcon-7b": Model("FalconForCausalLM", multi_query=True, parallel_attn=True, head_dim=None, num_kv_heads=1),
    "falcon-h1": Model("FalconH1ForCausalLM", mamba_d_ssm=256, mamba_n_heads=4, mamba_d_head=64, mamba_d_state=32,
                       mamba_n_groups=1, mamba_chunk_size=32),
    "falcon-mamba": Model("FalconMambaForCausalLM", state_size=16),
    "gemma": Model("GemmaForCausalLM"),
    "gemma2": Model("Gemma2ForCausalLM"),
    "gemma2-f16": Model("Gemma2ForCausalLM", dtype=torch.float16),
    "gemma3": Model("Gemma3ForCausalLM", files={"tokenizer.json": TOKENIZER}),
    "gemma3n": Model("Gemma3nForCausalLM", vocab_size_per_layer_input=256, hidden_size_per_layer_input=64,
                     num_kv_shared_layers=0, laurel_rank=32, intermediate_size=[512, 512],
                     activation_sparsity_pattern=[0.0, 0.0], layer_types=["sliding_attention", "full_attention"]),
    "glm": Model("GlmForCausalLM"),
    "glm4": Model("Glm4ForCausalLM"),
    "glm4-moe": Model("Glm4MoeForCausalLM", n_routed_experts=4, moe_intermediate_size=256, n_shared_experts=1,
                      first_k_dense_replace=1, num_experts_per_tok=2, n_group=1, topk_group=1, use_qk_norm=True,
                      config={"num_nextn_predict_layers": 1},
                      predicts=lambda name: "model.layers.2." + name,
                      more={"model.layers.2." + k: v for k, v in {
                          "eh_proj.weight": [256, 512], "enorm.weight": [256], "hnorm.weight": [256],
                          "embed_tokens.weight": [VOCAB, 256], "shared_head.norm.weight": [256],
                          "shared_head.head.weight": [VOCAB, 256]}.items()}),
    "gpt-bigcode": Model("GPTBigCodeForCausalLM", **GPT2, multi_query=True),
    "gpt-neox": Model("GPTNeoXForCausalLM", num_key_value_heads=None, head_dim=None, config={"rotary_pct": 0.25}),
    "gpt-oss": Model("GptOssForCausalLM", num_local_experts=4, num_experts_per_tok=2, intermediate_size=256,
                     layer_types=["sliding_attention", "full_attention"]),
    "gpt2": Model("GPT2LMHeadModel", **GPT2),
    "granite": Model("GraniteForCausalLM"),
    "granite-moe": Model("GraniteMoeForCausalLM", num_local_experts=4),
    "granite-moe-shared": Model("GraniteMoeSharedForCausalLM", num_local_experts=4, shared_intermediate_size=256),
    "granite-moe-hybrid": Model("GraniteMoeHybridForCausalLM", num_local_experts=4, shared_intermediate_size=256,
                                mamba_n_heads=8, mamba_d_head=64, mamba_d_state=32, mamba_n_groups=1,
                                layer_types=["mamba", "attention"], config={"layer_types": ["mamba", "attention"]}),
    "hunyuan": Model("HunYuanDenseV1ForCausalLM"),
    "jamba": Model("JambaForCausalLM", num_experts=4, attn_layer_period=2, attn_layer_offset=1, expert_layer_period=2,
                   expert_layer_offset=1, mamba_d_state=16, mamba_dt_rank=16),
    "lfm2": Model("Lfm2ForCausalLM", layer_types=["conv", "full_attention"]),
    "llama": Model("LlamaForCausalLM"),
    "llama-bias": Model("LlamaForCausalLM", attention_bias=True, mlp_bias=True),
    "llama-f32": Model("LlamaForCausalLM", dtype=torch.float32),
    "llama-tied": Model("LlamaForCausalLM", tie_word_embeddings=True),
    "llama-rope": Model("LlamaForCausalLM", config={"rope_scaling": {
        "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 128}}),
    "llama4": Model("Llama4ForCausalLM", num_local_experts=4, intermediate_size_mlp=512, intermediate_size=256,
                    interleave_moe_layer_step=2),
    "mamba": Model("MambaForCausalLM", state_size=16),
    "mamba2": Model("Mamba2ForCausalLM", num_heads=8, head_dim=64, state_size=32, n_groups=1),
    "mistral": Model("MistralForCausalLM"),
    "mixtral": Model("MixtralForCausalLM", num_local_experts=4),
    "modern-bert": Model("ModernBertModel", global_attn_every_n_layers=2),
    "mpt": Model("MptForCausalLM", d_model=256, n_heads=4, n_layers=2, max_seq_len=512,
                 config={"architectures": ["MPTForCausalLM"]}),
    "nemotron": Model("NemotronForCausalLM"),
    "olmo": Model("OlmoForCausalLM"),
    "olmo2": Model("Olmo2ForCausalLM"),
    "olmo3": Model("Olmo3ForCausalLM"),
    "olmoe": Model("OlmoeForCausalLM", num_experts=4),
    "phi": Model("PhiForCausalLM", num_key_value_heads=4),
    "phi3": Model("Phi3ForCausalLM"),
    "phimoe": Model("PhimoeForCausalLM", num_local_experts=4, original_max_position_embeddings=512,
                    config={"architectures": ["PhiMoEForCausalLM"]}),
    "qwen2": Model("Qwen2ForCausalLM"),
    "qwen2-moe": Model("Qwen2MoeForCausalLM", **MOE, shared_expert_intermediate_size=256),
    "qwen3": Model("Qwen3ForCausalLM"),
    "qwen3-moe": Model("Qwen3MoeForCausalLM", **MOE),
    "qwen3-next": Model("Qwen3NextForCausalLM", **MOE, shared_expert_intermediate_size=256, linear_num_key_heads=2,
                        linear_num_value_heads=4, linear_key_head_dim=64, linear_value_head_dim=64,
                        layer_types=["linear_attention", "full_attention"],
                        predicts=lambda name: "mtp.layers.0." + name,
                        more={"mtp.fc.weight": [256, 512], "mtp.pre_fc_norm_embedding.weight": [256],
                              "mtp.pre_fc_norm_hidden.weight": [256], "mtp.norm.weight": [256]}),
    "seed-oss": Model("SeedOssForCausalLM"),
    "smollm3": Model("SmolLM3ForCausalLM"),
    "stablelm": Model("StableLmForCausalLM"),
    "starcoder2": Model("Starcoder2ForCausalLM"),
    "t5": Model("T5ForConditionalGeneration", d_model=256, d_kv=64, d_ff=512, num_layers=2, num_heads=4,
                feed_forward_proj="gated-gelu", tie_word_embeddings=False, decoder_start_token_id=0),
    "t5-relu": Model("T5ForConditionalGeneration", d_model=256, d_kv=64, d_ff=512, num_layers=2, num_heads=4,
                     decoder_start_token_id=0),
    "xlm-roberta": Model("XLMRobertaModel", type_vocab_size=1, pad_token_id=1),

    "chatglm": Handmade(
        "ChatGLMModel",
        dict(model_type="chatglm", hidden_size=256, ffn_hidden_size=512, num_layers=2, num_attention_heads=4,
             multi_query_group_num=2, padded_vocab_size=VOCAB, seq_length=512, layernorm_epsilon=1e-5),
        {"transformer.embedding.word_embeddings.weight": [VOCAB, 256], "transformer.output_layer.weight": [VOCAB, 256],
         "transformer.encoder.final_layernorm.weight": [256], "transformer.rotary_pos_emb.inv_freq": [16]},
        {"transformer.encoder.layers.#." + k: v for k, v in {
            "input_layernorm.weight": [256], "post_attention_layernorm.weight": [256],
            "self_attention.query_key_value.weight": [512, 256], "self_attention.query_key_value.bias": [512],
            "self_attention.dense.weight": [256, 256], "mlp.dense_h_to_4h.weight": [1024, 256],
            "mlp.dense_4h_to_h.weight": [256, 512]}.items()}),
    "exaone": Handmade(
        "ExaoneForCausalLM",
        {**LLAMA, "model_type": "exaone", "num_layers": 2, "activation_function": "silu", "layer_norm_epsilon": 1e-5},
        {"transformer.wte.weight": [VOCAB, 256], "transformer.ln_f.weight": [256], "lm_head.weight": [VOCAB, 256]},
        {"transformer.h.#." + k: v for k, v in {
            "ln_1.weight": [256], "ln_2.weight": [256], "attn.attention.q_proj.weight": [256, 256],
            "attn.attention.k_proj.weight": [128, 256], "attn.attention.v_proj.weight": [128, 256],
            "attn.attention.out_proj.weight": [256, 256], "mlp.c_fc_0.weight": [512, 256],
            "mlp.c_fc_1.weight": [512, 256], "mlp.c_proj.weight": [256, 512]}.items()}),
    "gpt-oss-mxfp4": Handmade(
        "GptOssForCausalLM",
        {**LLAMA, "model_type": "gpt_oss", "num_local_experts": 4, "num_experts_per_tok": 2, "head_dim": 64,
         "intermediate_size": 256, "sliding_window": 128, "layer_types": ["sliding_attention", "full_attention"],
         "quantization_config": {"quant_method": "mxfp4"},
         "rope_scaling": {"rope_type": "yarn", "factor": 32.0, "original_max_position_embeddings": 512}},
        {"model.embed_tokens.weight": [VOCAB, 256], "model.norm.weight": [256], "lm_head.weight": [VOCAB, 256]},
        {"model.layers.#." + k: v for k, v in {
            "input_layernorm.weight": [256], "post_attention_layernorm.weight": [256], "self_attn.sinks": [4],
            **{f"self_attn.{p}_proj.weight": [n, 256] for p, n in zip("qkvo", (256, 128, 128, 256))},
            **{f"self_attn.{p}_proj.bias": [n] for p, n in zip("qkvo", (256, 128, 128, 256))},
            "mlp.router.weight": [4, 256], "mlp.router.bias": [4],
            **{"mlp.experts." + k: v for k, v in EXPERTS_OF_GPT_OSS.items()}}.items()}),
    "internlm2": Handmade(
        "InternLM2ForCausalLM", {**LLAMA, "model_type": "internlm2", "rope_scaling": None},
        {"model.tok_embeddings.weight": [VOCAB, 256], "model.norm.weight": [256], "output.weight": [VOCAB, 256]},
        {"model.layers.#." + k: v for k, v in {
            "attention_norm.weight": [256], "ffn_norm.weight": [256], "attention.wqkv.weight": [512, 256],
            "attention.wo.weight": [256, 256], "feed_forward.w1.weight": [512, 256],
            "feed_forward.w3.weight": [512, 256], "feed_forward.w2.weight": [256, 512]}.items()}),
    "llama-fp8": Handmade(
        "LlamaForCausalLM",
        {**LLAMA, "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128], "fmt": "e4m3",
                                          "activation_scheme": "dynamic"}},
        {"model.embed_tokens.weight": [VOCAB, 256], "model.norm.weight": [256], "lm_head.weight": [VOCAB, 256]},
        {"model.layers.#." + k: v for k, v in {
            "input_layernorm.weight": [256], "post_attention_layernorm.weight": [256],
            **{f"self_attn.{p}_proj.weight": [n, 256] for p, n in zip("qkvo", (256, 128, 128, 256))},
            **{f"self_attn.{p}_proj.weight_scale_inv": [n // 128, 2] for p, n in zip("qkvo", (256, 128, 128, 256))},
            "mlp.gate_proj.weight": [512, 256], "mlp.gate_proj.weight_scale_inv": [4, 2],
            "mlp.up_proj.weight": [512, 256], "mlp.up_proj.weight_scale_inv": [4, 2],
            "mlp.down_proj.weight": [256, 512], "mlp.down_proj.weight_scale_inv": [2, 4]}.items()}),
    "minicpm": Handmade(
        "MiniCPMForCausalLM",
        {**LLAMA, "model_type": "minicpm", "scale_emb": 12, "scale_depth": 1.4, "dim_model_base": 256},
        {"model.embed_tokens.weight": [VOCAB, 256], "model.norm.weight": [256], "lm_head.weight": [VOCAB, 256]},
        {"model.layers.#." + k: v for k, v in {
            "input_layernorm.weight": [256], "post_attention_layernorm.weight": [256],
            **{f"self_attn.{p}_proj.weight": [n, 256] for p, n in zip("qkvo", (256, 128, 128, 256))},
            "mlp.gate_proj.weight": [512, 256], "mlp.up_proj.weight": [512, 256],
            "mlp.down_proj.weight": [256, 512]}.items()}),
}
