#!/usr/bin/env python3
"""Generates the input files of the benchmarks.

    gen.py FILE COUNT             write a file of COUNT tensors, with a hole as data
    gen.py FILE COUNT full        the same with random data, because copying can skip holes
    gen.py FILE COUNT DTYPE       write only COUNT elements of DTYPE, distributed like weights
    gen.py FOLDER COUNT SHARDS    write SHARDS such files of COUNT tensors in total, with index and configuration

Order and padding are those of the reference implementation. Names and shapes are those of real checkpoints: a dense
transformer up to 1,000 tensors (300 tensors make 4 GB), a mixture of experts above. A million entries with such names
would exceed the limit of 100,000,000 bytes for a header, so names and shapes are shorter above 500,000 tensors. The
data uses no space on file systems with sparse files.
"""

import itertools
import json
import math
import os
import random
import sys

DENSE = {"hidden": 2048, "inner": 8192, "experts": 0, "prefix": "model.", "feed": "mlp.", "end": "_proj.weight"}
SPARSE = DENSE | {"hidden": 1024, "inner": 256, "experts": 64}
WIDE = SPARSE | {"experts": 256}
TERSE = WIDE | {"hidden": 8, "inner": 8, "prefix": "", "feed": "", "end": ""}

# Sizes in bytes of the dtypes used here, in the order in which the reference implementation sorts tensors.
WIDTHS = {"F32": 4, "BF16": 2}


def main():
    path, count, *how = sys.argv[1], int(sys.argv[2]), *sys.argv[3:]
    if how and not how[0].isdigit() and how[0] != "full":
        replace(path, lambda f: f.write(weights(count, how[0])))
        return
    described = list(itertools.islice(tensors(count), count))
    if how and how[0].isdigit():
        write_set(path, described, int(how[0]))
    else:
        write(path, described, full=bool(how))


def write_set(folder, described, shards):
    """Writes shards with equal numbers of tensors, and their index."""
    os.makedirs(folder, exist_ok=True)
    weight_map, per = {}, -(-len(described) // shards)
    for shard in range(shards):
        part, name = described[shard * per : (shard + 1) * per], f"model-{shard + 1:05}-of-{shards:05}.safetensors"
        weight_map |= {tensor: name for tensor, _, _ in part}
        write(os.path.join(folder, name), part)
    layers = {name.split(".")[2] for name in weight_map if ".layers." in name}
    for name, value in (
        ("config.json", {"model_type": "bench", "num_hidden_layers": len(layers), "vocab_size": 32000}),
        ("model.safetensors.index.json", {"metadata": {}, "weight_map": weight_map}),
    ):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            json.dump(value, f, indent=2, sort_keys=True)  # as transformers does


def write(path, described, full=False):
    header, size = encode(described)
    block = random.Random(1).randbytes(1 << 20)

    def fill(f):
        f.write(len(header).to_bytes(8, "little"))
        f.write(header)
        for begin in range(0, size if full else 0, len(block)):
            f.write(block[: size - begin])
        f.truncate(8 + len(header) + size)

    replace(path, fill)


def replace(path, fill):
    """Writes a file and renames it when it is complete."""
    partial = path + ".partial"
    with open(partial, "wb") as f:
        fill(f)
    os.replace(partial, path)


def weights(count, dtype):
    """Returns normally distributed elements. A byte holds two elements of F4."""
    import ml_dtypes
    import numpy as np

    numbers = np.random.default_rng(1).standard_normal(count, np.float32)
    if dtype == "F4":
        low, high = numbers.astype(ml_dtypes.float4_e2m1fn).view(np.uint8).reshape(-1, 2).T
        return (low | high << 4).tobytes()
    kinds = {"BF16": ml_dtypes.bfloat16, "F16": np.float16, "F8_E4M3": ml_dtypes.float8_e4m3fn, "F32": np.float32}
    scale = 0.02 if dtype != "F8_E4M3" else 1
    return (numbers * np.float32(scale)).astype(kinds[dtype]).tobytes()


def tensors(count):
    """Yields name, dtype and shape of an endless sequence of tensors."""
    model = DENSE if count <= 1000 else SPARSE if count <= 20000 else WIDE if count <= 500000 else TERSE
    prefix, hidden = model["prefix"], model["hidden"]
    yield f"{prefix}embed_tokens.weight", "BF16", [32000, hidden]
    yield f"{prefix}norm.weight", "BF16", [hidden]
    yield "lm_head.weight", "BF16", [32000, hidden]
    for layer in itertools.count():
        for name, dtype, shape in block(model):
            yield f"{prefix}layers.{layer}.{name}", dtype, shape


def block(model):
    """Yields the tensors of one layer, a dense one if there are no experts."""
    hidden, feed, experts = model["hidden"], model["feed"], model["experts"]
    for norm in ("input_layernorm", "post_attention_layernorm"):
        yield f"{norm}.weight", "BF16", [hidden]
    for projection, rows in (("q", hidden), ("k", hidden // 8), ("v", hidden // 8), ("o", hidden)):
        yield f"self_attn.{projection}_proj.weight", "BF16", [rows, hidden]
    if not experts:
        yield from feed_forward(model, feed)
        return
    yield f"{feed}gate.weight", "BF16", [experts, hidden]
    yield f"{feed}gate.e_score_correction_bias", "F32", [experts]
    for expert in range(experts):
        yield from feed_forward(model, f"{feed}experts.{expert}.")


def feed_forward(model, prefix):
    hidden, inner = model["hidden"], model["inner"]
    for name, shape in (("gate", [inner, hidden]), ("up", [inner, hidden]), ("down", [hidden, inner])):
        yield f"{prefix}{name}{model['end']}", "BF16", shape


def encode(described):
    """Returns the header of a file of these tensors, and the number of bytes of data after it."""
    order = list(WIDTHS)
    described.sort(key=lambda tensor: (order.index(tensor[1]), tensor[0]))
    header, end = {"__metadata__": {"format": "pt"}}, 0
    for name, dtype, shape in described:
        begin = end
        end += WIDTHS[dtype] * math.prod(shape)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header, separators=(",", ":")).encode()
    return text + b" " * (-len(text) % 8), end


if __name__ == "__main__":
    main()
