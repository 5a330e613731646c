"""What lies beside the weights of published models, and how stored tensors differ from those that save_pretrained writes."""



def scale(shape, block=128):
    return [-(-n // block) for n in shape]


def block_fp8(tensors):
    """Weights of linear layers as 8-bit floats with a scale for each tile."""
    for name, dtype, shape in tensors:
        plain = len(shape) != 2 or any(w in name for w in ("embed_tokens", "lm_head", "mlp.gate.", "norm", "eh_proj"))
        yield name, dtype if plain else "F8_E4M3", shape
        if not plain:
            yield name + "_scale_inv", "F32", scale(shape)


def mtp(tensors, layer):
    """A layer that predicts the token after the next one."""
    last, at = f"model.layers.{layer - 1}.", f"model.layers.{layer}."
    shapes = {n: (d, s) for n, d, s in tensors}
    dtype, embed = shapes["model.embed_tokens.weight"]
    hidden = embed[1]
    added = [(at + n.removeprefix(last), d, s) for n, d, s in tensors if n.startswith(last)]
    for name, shape in {"enorm.weight": [hidden], "hnorm.weight": [hidden], "eh_proj.weight": [hidden, 2 * hidden],
                        "embed_tokens.weight": embed, "shared_head.norm.weight": [hidden],
                        "shared_head.head.weight": embed}.items():
        added.append((at + name, dtype, shape))
    return [*tensors, *added]


def mxfp4(tensors):
    """Experts of gpt-oss: blocks of 32 elements, two in a byte, with a scale each."""
    for name, dtype, shape in tensors:
        if name.endswith(("gate_up_proj", "down_proj")):
            experts, n_in, n_out = shape
            yield name + "_blocks", "U8", [experts, n_out, n_in // 32, 16]
            yield name + "_scales", "U8", [experts, n_out, n_in // 32]
        else:
            yield name, dtype, shape


def mistral(tensors):
    """The names of Mistral's own format."""
    names = {"model.embed_tokens": "tok_embeddings", "model.norm": "norm", "lm_head": "output",
             "self_attn.q_proj": "attention.wq", "self_attn.k_proj": "attention.wk", "self_attn.v_proj": "attention.wv",
             "self_attn.o_proj": "attention.wo", "mlp.gate_proj": "feed_forward.w1", "mlp.down_proj": "feed_forward.w2",
             "mlp.up_proj": "feed_forward.w3", "input_layernorm": "attention_norm", "post_attention_layernorm": "ffn_norm",
             "model.layers.": "layers.", "block_sparse_moe.": "feed_forward."}
    for name, dtype, shape in tensors:
        for ours, theirs in names.items():
            name = name.replace(ours, theirs)
        yield name, dtype, shape


def buffers(tensors, layers, kind):
    """Adds buffers that older versions stored."""
    added = {
        "rotary": [(f"model.layers.{i}.self_attn.rotary_emb.inv_freq", "F32", [64]) for i in range(layers)],
        "gpt2-buffers": [(f"h.{i}.attn.bias", "F32", [1, 1, 1024, 1024]) for i in range(layers)],
        "neox-buffers": [x for i in range(layers) for x in (
            (f"gpt_neox.layers.{i}.attention.bias", "BOOL", [1, 1, 2048, 2048]),
            (f"gpt_neox.layers.{i}.attention.masked_bias", "F16", []),
            (f"gpt_neox.layers.{i}.attention.rotary_emb.inv_freq", "F16", [8]))],
        "position-ids": [("embeddings.position_ids", "I64", [1, 512])],
        "position-ids-clip": [("text_model.embeddings.position_ids", "I64", [1, 77]),
                              ("vision_model.embeddings.position_ids", "I64", [1, 257])],
    }
    return [*tensors, *added[kind]]


def gamma(tensors):
    return [(n.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"), d, s)
            for n, d, s in tensors]


def tokenizer(s, last, added):
    """A tokenizer whose last token has the number last, and which adds the given number of tokens."""
    s.text(f"tokenizer.json | tokenizer {last} {added}", "")


def habit(s, kind, tensors, config):
    """Adds what a habit leaves in the folder. Returns whether the habit is known."""
    hidden = config.get("hidden_size") or 64
    vocab = config.get("vocab_size") or 32000
    match kind:
        case "original":
            s.json("original/params.json", {"dim": 4096, "n_layers": 32, "n_heads": 32, "vocab_size": -1})
            s.text("original/tokenizer.model", "IQ== 0\nIg== 1")
        case "chat":
            s.text("chat_template.jinja", "{% for message in messages %}{{ message.content }}{% endfor %}")
            s.json("special_tokens_map.json", {"eos_token": "<|end|>"})
        case "bin-index":
            names = [n for n, _, _ in tensors[:3]]
            s.json("pytorch_model.bin.index.json", {"metadata": {"total_size": 9}, "weight_map": {
                n: "pytorch_model-00001-of-00002.bin" for n in names}})
        case "sentencepiece":
            s.text("tokenizer.model", "\n\x0e\n\x05<unk>")
            s.json("special_tokens_map.json", {"bos_token": "<s>", "eos_token": "</s>"})
        case "trainer":
            s.json("trainer_state.json", {"epoch": 1.0, "global_step": 100, "log_history": [{"loss": 0.5}]})
            s.json("all_results.json", {"eval_loss": 0.5})
            for name in ("training_args.bin", "optimizer.pt", "scheduler.pt", "rng_state.pth"):
                s.text(name + " | torch", "")
        case "onnx":
            s.text("onnx/model.onnx | base64", "CAcSB3B5dG9yY2g=")
        case "code":
            s.text("modeling_custom.py", "import torch\n").text("configuration_custom.py", "import transformers\n")
        case "added-tokens":
            s.json("added_tokens.json", {"<|pad|>": vocab - 1, "<|x|>": vocab - 2})
        case "added-token-beyond":
            s.json("added_tokens.json", {"<image_soft_token>": vocab})
        case "merges":
            s.json("vocab.json", {"!": 0, "a": 1}).text("merges.txt", "#version: 0.2\na b")
        case "vocab":
            s.text("vocab.txt", "[PAD]\n[UNK]\na")
            s.json("special_tokens_map.json", {"unk_token": "[UNK]"})
        case "flax":
            s.text("flax_model.msgpack | base64", "gaZwYXJhbXOA").text("tf_model.h5 | base64", "iUhERg0KGgoAAAAAAAgIAA==")
        case "processor":
            s.json("preprocessor_config.json", {"image_processor_type": "CLIPImageProcessor", "image_mean": [0.5] * 3})
            s.json("processor_config.json", {"processor_class": "LlavaProcessor"})
        case "consolidated":
            s.weights("consolidated.safetensors", mistral(tensors))
            s.json("params.json", {"dim": hidden, "n_layers": config["num_hidden_layers"], "vocab_size": vocab})
        case "lora":
            s.json("lora/adapter_config.json", {"peft_type": "LORA", "r": 16, "lora_alpha": 32, "target_modules": [
                "q_proj"], "base_model_name_or_path": "mistralai/Mistral-7B-v0.1", "task_type": "FEATURE_EXTRACTION"})
            s.weights("lora/adapter_model.safetensors", [(f"base_model.model.layers.{i}.self_attn.q_proj.lora_{x}.weight", "F32",
                      [16, hidden] if x == "A" else [hidden, 16]) for i in range(32) for x in "AB"])
        case "fp32-variant":
            s.weights("model.fp32.safetensors", [(n, "F32", d) for n, _, d in tensors])
        case "sentence-transformers" | "sentence-transformers-last" | "sentence-transformers-dense":
            modules = [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
                       {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}]
            if kind.endswith("dense"):
                modules.append({"idx": 2, "name": "2", "path": "2_Dense", "type": "sentence_transformers.models.Dense"})
                s.json("2_Dense/config.json", {"in_features": hidden, "out_features": 3072, "bias": False,
                                               "activation_function": "torch.nn.modules.linear.Identity"})
                s.weights("2_Dense/model.safetensors", [("linear.weight", "F32", [3072, hidden])])
            s.json("modules.json", modules).json("config_sentence_transformers.json", {"prompts": {}})
            s.json("1_Pooling/config.json", {"word_embedding_dimension": hidden, "pooling_mode_mean_tokens": True})
            s.json("sentence_bert_config.json", {"max_seq_length": 512, "do_lower_case": False})
        case "original-gpt-oss":
            s.json("original/config.json", {"num_hidden_layers": 24, "num_experts": 32, "vocab_size": 201088, "hidden_size": 2880})
            s.weights("original/model.safetensors", gpt_oss(config))
            s.json("original/dtypes.json", {"block.0.attn.norm.scale": "BF16"})
        case _:
            return False
    return True


def gpt_oss(config):
    """The names of OpenAI's own format."""
    hidden, experts = config["hidden_size"], config["num_local_experts"]
    yield "embedding.weight", "BF16", [config["vocab_size"], hidden]
    yield "unembedding.weight", "BF16", [config["vocab_size"], hidden]
    yield "norm.scale", "BF16", [hidden]
    for i in range(config["num_hidden_layers"]):
        for name, dtype, shape in (
                ("attn.norm.scale", "BF16", [hidden]), ("attn.qkv.weight", "BF16", [5120, hidden]),
                ("attn.qkv.bias", "BF16", [5120]), ("attn.sinks", "BF16", [64]), ("attn.out.weight", "BF16", [hidden, 4096]),
                ("attn.out.bias", "BF16", [hidden]), ("mlp.norm.scale", "BF16", [hidden]),
                ("mlp.gate.weight", "BF16", [experts, hidden]), ("mlp.gate.bias", "BF16", [experts]),
                ("mlp.mlp1_weight.blocks", "U8", [experts, 2 * hidden, hidden // 32, 16]),
                ("mlp.mlp1_weight.scales", "U8", [experts, 2 * hidden, hidden // 32]),
                ("mlp.mlp1_bias", "BF16", [experts, 2 * hidden]),
                ("mlp.mlp2_weight.blocks", "U8", [experts, hidden, hidden // 32, 16]),
                ("mlp.mlp2_weight.scales", "U8", [experts, hidden, hidden // 32]), ("mlp.mlp2_bias", "BF16", [experts, hidden])):
            yield f"block.{i}.{name}", dtype, shape
