"""The cases of unpack.py: what packers wrote, with random numbers instead, and the reference for each."""

import collections
import json

import torch

import unpack_references as references

REFERENCES = {
    "compressed_tensors": references.compressed_tensors, "bitsandbytes": references.bitsandbytes,
    "quanto": references.quanto, "hqq": references.hqq, "mlx": references.mlx, "torchao": references.torchao,
    "auto_round": references.gptq,
}
KEPT = ("weight_shape", "shape", "weight.quant_map", "weight.nested_quant_map", "weight_format", "nbits")


def modules(tensors):
    """Returns the tensors of each linear layer by the ends of their names."""
    found = collections.defaultdict(dict)
    for name, t in tensors.items():
        module, dot, end = name.partition("_proj.")
        if dot:
            found[module + "_proj"][end] = t
    return {m: t for m, t in found.items() if list(t) != ["weight"] or not t["weight"].is_floating_point()}


def shuffled(end, t):
    """Returns a tensor with random numbers."""
    if end in KEPT or "quant_state" in end or t.numel() == 0:
        return t
    if end == "g_idx" or end == "weight_g_idx":
        return t[torch.randperm(len(t))]
    if t.dtype in (torch.float32, torch.float16, torch.bfloat16) and end not in ("W_q", "weight"):
        return (torch.randn(t.shape) * 0.02).to(t.dtype)
    if t.dtype == torch.uint8 and end in ("weight_scale", "scales"):
        return torch.randint(110, 140, t.shape, dtype=torch.uint8)
    bytes = torch.randint(0, 256, (t.numel() * t.element_size(),), dtype=torch.uint8)
    return bytes.view(t.dtype).reshape(t.shape)


def shuffled_case(c):
    """Returns the tensors of a case with random numbers."""
    tensors = {k: v.contiguous() for k, v in c.tensors.items()}
    for m, parts in modules(tensors).items():
        tensors |= {f"{m}.{end}": shuffled(end, t) for end, t in parts.items()}
    return tensors


def config_of(packer, how, c):
    """Returns the quantization_config of a case, and that of an output of MLX even if its model has none."""
    if packer == "mlx":
        mode, bits, group, _ = how.split()
        return {"mode": mode, "bits": int(bits), "group_size": int(group)}
    return json.loads(json.dumps(c.config.get("quantization_config"), default=str))


def reference(packer, how):
    """Returns the reference for an output, or None: AutoRound has formats of its own."""
    if packer == "auto_round" and how[:3] in ("awq", "mx_", "nv_"):
        return references.awq if how.startswith("awq 4") else None
    return REFERENCES[packer]


def bits_of(t):
    """Returns the bits of floats, with one NaN instead of all."""
    return torch.where(t.isnan(), torch.nan, t).contiguous().view(torch.int32)
