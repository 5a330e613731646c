#!/usr/bin/env python3
"""Writes GGUF files for the benchmarks.

    gen_gguf.py FILE          a model of 291 tensors and 16 GB whose data are holes, with a vocabulary of 128,256 tokens
    gen_gguf.py FILE TYPE     a tensor of 4,194,304 elements of the type, with random blocks
"""

import os
import struct
import sys

# Elements and bytes of a block, and the number of the type.
TYPES = {"Q8_0": (32, 34, 8), "Q4_0": (32, 18, 2), "Q4_K": (256, 144, 12), "Q6_K": (256, 210, 14),
         "IQ4_XS": (256, 136, 23), "IQ2_XXS": (256, 66, 16), "MXFP4": (32, 17, 39), "F16": (1, 2, 1)}


def text(s):
    return struct.pack("<Q", len(s)) + s.encode()


def key(name, kind, value):
    return text(name) + struct.pack("<I", kind) + value


def write(path, keys, tensors, fill):
    """Writes a file. Each tensor is a name, a type and dimensions, and fill returns its bytes, or None for a hole."""
    infos, offset, sizes = b"", 0, []
    for name, kind, dims in tensors:
        elements, size, number = TYPES[kind]
        n = 1
        for d in dims:
            n *= d
        infos += text(name) + struct.pack(f"<I{len(dims)}QIQ", len(dims), *dims, number, offset)
        sizes.append((offset, n // elements * size))
        offset += -(-sizes[-1][1] // 32) * 32
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys)) + b"".join(keys) + infos
    start = -(-len(head) // 32) * 32
    with open(path + ".part", "wb") as f:
        f.write(head)
        for at, n in sizes:
            data = fill(n)
            if data:
                f.seek(start + at)
                f.write(data)
        f.truncate(start + offset)
    os.rename(path + ".part", path)


def model(path):
    tokens = [text(f"token{i:06}") for i in range(128256)]
    merges = [text(f"ab{i % 1000} cd{i // 1000}") for i in range(280147)]
    arrays = [("tokens", 8, tokens), ("merges", 8, merges), ("token_type", 5, [struct.pack("<i", 1)] * len(tokens))]
    keys = [key("general.architecture", 8, text("llama")), key("llama.block_count", 4, struct.pack("<I", 32)),
            key("tokenizer.ggml.model", 8, text("gpt2"))]
    keys += [key("tokenizer.ggml." + name, 9, struct.pack("<IQ", kind, len(items)) + b"".join(items))
             for name, kind, items in arrays]
    tensors = [("token_embd.weight", "F16", (4096, 128256)), ("output_norm.weight", "F16", (4096,)),
               ("output.weight", "F16", (4096, 128256))]
    for i in range(32):
        b = f"blk.{i}."
        tensors += [(b + "attn_norm.weight", "F16", (4096,)), (b + "ffn_norm.weight", "F16", (4096,))]
        tensors += [(b + f"attn_{x}.weight", "F16", (4096, n)) for x, n in
                    (("q", 4096), ("k", 1024), ("v", 1024), ("output", 4096))]
        tensors += [(b + "ffn_gate.weight", "F16", (4096, 14336)), (b + "ffn_up.weight", "F16", (4096, 14336)),
                    (b + "ffn_down.weight", "F16", (14336, 4096))]
    write(path, keys, tensors, lambda n: None)


def main():
    path, *kind = sys.argv[1:]
    if not kind:
        return model(path)
    write(path, [key("general.architecture", 8, text("llama"))], [("t", kind[0], (4096, 1024))], os.urandom)


if __name__ == "__main__":
    main()
