#!/usr/bin/env python3
"""Makes the GGUF files of this directory with the Python package gguf 0.19.0 and NumPy 2.4.6.

    python3 testdata/gguf/make.py

tiny-Q8_0.gguf is a Llama model with one layer; split/ is the same model in two parts, as llama-gguf-split names them;
cut.gguf is its first 9,000 bytes.
source/ is the checkpoint of transformers that it is made of, and other/ is the same with one matrix exchanged.
values.txt has the first four values of each tensor, decoded by the package.
"""

from pathlib import Path

import json

import gguf
import ml_dtypes
import numpy as np
from safetensors.numpy import save_file

HERE = Path(__file__).resolve().parent
Q8 = gguf.GGMLQuantizationType.Q8_0

SHAPES = {"token_embd": (64, 32), "output_norm": (32,)}
for name, shape in {"attn_q": (32, 32), "attn_k": (32, 32), "attn_v": (32, 32), "attn_output": (32, 32),
                    "ffn_gate": (64, 32), "ffn_up": (64, 32), "ffn_down": (32, 64), "attn_norm": (32,),
                    "ffn_norm": (32,)}.items():
    SHAPES[f"blk.0.{name}"] = shape


def keys(w):
    w.add_name("Tiny")
    w.add_context_length(2048)
    w.add_block_count(1)
    w.add_embedding_length(32)
    w.add_feed_forward_length(64)
    w.add_head_count(4)
    w.add_head_count_kv(4)
    w.add_vocab_size(64)
    w.add_layer_norm_rms_eps(1e-5)
    w.add_file_type(7)
    w.add_quantization_version(2)
    w.add_tokenizer_model("gpt2")
    w.add_token_list([f"token{i}" for i in range(64)])
    w.add_token_types([1] * 64)
    w.add_token_merges(["t o", "to k"])
    w.add_bos_token_id(1)
    w.add_eos_token_id(2)
    w.add_chat_template("{% for m in messages %}{{ m.content }}{% endfor %}")


def write(path, names, with_keys=True, part=None):
    w = gguf.GGUFWriter(path, "llama")
    if with_keys:
        keys(w)
    if part:
        w.add_uint16("split.no", part[0])
        w.add_uint16("split.count", part[1])
        w.add_int32("split.tensors.count", len(SHAPES))
    for name in names:
        values = VALUES[name]
        if values.ndim == 1:
            w.add_tensor(name + ".weight", values)
        else:
            w.add_tensor(name + ".weight", gguf.quants.quantize(values, Q8), raw_dtype=Q8)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


random = np.random.default_rng(16)
VALUES = {name: random.standard_normal(shape).astype(ml_dtypes.bfloat16).astype(np.float32)
          for name, shape in SHAPES.items()}
NAMES = {"token_embd": "model.embed_tokens", "output_norm": "model.norm"}
for ours, theirs in {"attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
                     "attn_output": "self_attn.o_proj", "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj",
                     "ffn_down": "mlp.down_proj", "attn_norm": "input_layernorm",
                     "ffn_norm": "post_attention_layernorm"}.items():
    NAMES[f"blk.0.{ours}"] = f"model.layers.0.{theirs}"


def checkpoint(folder, exchanged=None):
    """Writes the checkpoint. In each of the 4 heads of queries and keys, GGUF has row i of the first half and of the
    second half side by side."""
    folder.mkdir(exist_ok=True)
    tensors = {}
    for name, values in VALUES.items():
        if name in ("blk.0.attn_q", "blk.0.attn_k"):
            values = values.reshape(4, 4, 2, 32).swapaxes(1, 2).reshape(32, 32)
        if name == exchanged:
            values = random.standard_normal(values.shape)
        tensors[NAMES[name] + ".weight"] = np.ascontiguousarray(values).astype(ml_dtypes.bfloat16)
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    config = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 32, "intermediate_size": 64,
              "num_hidden_layers": 1, "num_attention_heads": 4, "num_key_value_heads": 4, "vocab_size": 64,
              "max_position_embeddings": 2048, "tie_word_embeddings": True, "torch_dtype": "bfloat16"}
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")


if __name__ == "__main__":
    (HERE / "split").mkdir(exist_ok=True)
    names = list(SHAPES)
    write(HERE / "tiny-Q8_0.gguf", names)
    write(HERE / "split" / "tiny-Q8_0-00001-of-00002.gguf", names[:6], part=(0, 2))
    write(HERE / "split" / "tiny-Q8_0-00002-of-00002.gguf", names[6:], with_keys=False, part=(1, 2))
    (HERE / "cut.gguf").write_bytes((HERE / "tiny-Q8_0.gguf").read_bytes()[:9000])
    checkpoint(HERE / "source")
    checkpoint(HERE / "other", "blk.0.ffn_up")
    with open(HERE / "values.txt", "w") as out:
        for t in gguf.GGUFReader(HERE / "tiny-Q8_0.gguf").tensors:
            decoded = gguf.quants.dequantize(t.data, t.tensor_type).reshape(-1)[:4]
            print(t.name, *(repr(float(v)) for v in decoded), file=out)
