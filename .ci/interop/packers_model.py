"""A small model whose linear layers packers pack."""

import collections

import torch

# tensors are written with metadata; right is the number of parameters; config becomes config.json.
Case = collections.namedtuple("Case", "tensors right config metadata")

# Sizes that are no multiples of 64.
ODD = {"hidden": 96, "inner": 160, "heads": 3, "kv": 1}


def llama(hidden=128, inner=256, heads=4, kv=2, vocab=512, layers=2):
    """Returns the shapes of the linear layers, those of the other weights, and the configuration."""
    linear, plain = {}, {"model.embed_tokens.weight": (vocab, hidden), "model.norm.weight": (hidden,)}
    plain["lm_head.weight"] = (vocab, hidden)
    for i in range(layers):
        at = f"model.layers.{i}."
        plain[at + "input_layernorm.weight"] = plain[at + "post_attention_layernorm.weight"] = (hidden,)
        linear[at + "self_attn.q_proj"] = linear[at + "self_attn.o_proj"] = (hidden, hidden)
        linear[at + "self_attn.k_proj"] = linear[at + "self_attn.v_proj"] = (kv * hidden // heads, hidden)
        linear[at + "mlp.gate_proj"] = linear[at + "mlp.up_proj"] = (inner, hidden)
        linear[at + "mlp.down_proj"] = (hidden, inner)
    config = {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": hidden,
        "intermediate_size": inner, "num_attention_heads": heads, "num_key_value_heads": kv,
        "num_hidden_layers": layers, "vocab_size": vocab, "max_position_embeddings": 2048, "tie_word_embeddings": False,
    }
    return linear, plain, config


def case(pack, quantization=None, dtype=torch.bfloat16, metadata=None, **sizes):
    """Packs each linear layer: pack(weight) returns the tensors of the module by the ends of their names."""
    linear, plain, config = llama(**sizes)
    tensors = {n: torch.randn(shape).to(dtype) for n, shape in plain.items()}
    right = sum(t.numel() for t in tensors.values())
    for n, shape in linear.items():
        weight = torch.randn(shape) * 0.05
        right += weight.numel()
        for end, t in pack(weight).items():
            tensors[f"{n}.{end}"] = t
    if quantization is not None:
        config["quantization_config"] = quantization
    return Case(tensors, right, config, metadata or {})


def layer(weight, dtype=torch.float32):
    """Returns a module with a weight."""
    m = torch.nn.Linear(weight.shape[1], weight.shape[0], bias=False, dtype=dtype)
    m.weight.data = weight.to(dtype)
    return m


def tiny():
    """Returns a model of transformers, and its number of parameters."""
    import transformers

    config = {k: v for k, v in llama()[2].items() if k not in ("architectures", "model_type")}
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**config)).to(torch.bfloat16).eval()
    model.config.architectures = ["LlamaForCausalLM"]
    return model, sum(p.numel() for p in model.parameters())
