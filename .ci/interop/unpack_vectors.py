"""Writes packed weights and their values to standard output, for the tests of package dequant.

    python unpack_vectors.py > ../../model/internal/dequant/testdata/vectors.jsonl

Each line is a module: how it was packed, the quantization_config, the tensors, and the SHA-256 of the values in float32
as unpack_references.py computes them. It needs the packages of requirements-packers.txt.
"""

import base64
import contextlib
import hashlib
import io
import json

import torch
from safetensors.torch import save

import packers_absent
import packers_model
import unpack_cases
import unpack_references as references

OUTPUTS = {
    "compressed_tensors": ["3 bits 32 False", "5 bits 32 True", "W8A8", "4 bits 32 False"],
    "bitsandbytes": ["nf4 64 True torch.uint8", "fp4 32 False torch.bfloat16", "int8"],
    "quanto": ["qint8"],
    "hqq": ["1 16 0 False", "3 16 1 True", "4 16 1 False", "8 None 1 False"],
    "mlx": ["affine 3 32 True", "affine 4 64 True", "affine 8 64 True", "mxfp4 4 32 True", "nvfp4 4 16 True",
            "mxfp8 8 32 True"],
    "torchao": ["int8", "intx 4", "nvfp4", "mxfp8"],
}
MODULE = "model.layers.0.self_attn.k_proj"


def line(name, parts, config, metadata, want):
    """Prints a module."""
    file = save({f"{MODULE}.{k}": v.contiguous() for k, v in parts.items()}, {MODULE + ".weight": metadata})
    print(json.dumps({
        "name": name, "config": {"hidden_size": 64, "quantization_config": config}, "shape": list(want.shape),
        "sha256": hashlib.sha256(unpack_cases.bits_of(want).numpy().tobytes()).hexdigest(),
        "file": base64.b64encode(file).decode(),
    }, default=str))


def words(rows, cols):
    return torch.randint(-(2**31), 2**31, (rows, cols), dtype=torch.int32)


def columns():
    """Prints modules of GPTQ and AWQ: any words are valid."""
    inputs, outputs, group = 64, 32, 32
    scales = (torch.randn(inputs // group, outputs) * 0.02).half()
    index = (torch.arange(inputs) // group).int()
    for bits, form, index in ((2, "gptq", index), (3, "gptq", index), (4, "gptq_v2", index[torch.randperm(inputs)]),
                              (4, "gptq", index), (8, "gptq", index)):
        q = {"quant_method": "gptq", "bits": bits, "group_size": group, "checkpoint_format": form}
        parts = {"qweight": words(inputs * bits // 32, outputs), "qzeros": words(2, outputs * bits // 32),
                 "scales": scales, "g_idx": index}
        line(f"{form} {bits}", parts, q, "{}", references.gptq(parts, q, {}))
    q = {"quant_method": "awq", "bits": 4, "group_size": group, "version": "gemm", "zero_point": True}
    parts = {"qweight": words(inputs, outputs // 8), "qzeros": words(2, outputs // 8), "scales": scales}
    line("awq 4", parts, q, "{}", references.awq(parts, q, {}))


def main():
    packers_model.llama.__defaults__ = (64, 64, 4, 1, 8, 1)
    packers_absent.install()
    torch.manual_seed(16)
    import packers_of_weights

    columns()
    for packer in packers_of_weights.PACKERS:
        if packer.__name__ not in OUTPUTS:
            continue
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            outputs = dict(packer())
        for how in OUTPUTS[packer.__name__]:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                c = outputs[how]()
                parts = unpack_cases.modules(unpack_cases.shuffled_case(c))[MODULE]
                q = unpack_cases.config_of(packer.__name__, how, c)
                metadata = c.metadata.get(MODULE + ".weight", "{}")
                want = unpack_cases.reference(packer.__name__, how)(parts, q, json.loads(metadata))
            line(f"{packer.__name__} {how}", parts, c.config.get("quantization_config"), metadata, want)


main()
