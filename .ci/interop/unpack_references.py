"""The values of packed weights by the programs that define the schemes. Each function takes the tensors of a module by
the ends of their names, and the configuration, and returns the weight in float32."""

import json

import torch


def compressed_tensors(t, config, metadata):
    from compressed_tensors.compressors.base import BaseCompressor
    from compressed_tensors.quantization import QuantizationConfig

    q = QuantizationConfig.model_validate({k: v for k, v in config.items() if k not in ("quant_method", "inputs")})
    scheme = q.config_groups["group_0"]
    if "weight_global_scale" in t:  # by the formula of its dequantize, which rounds to bfloat16 after each operation
        from compressed_tensors.compressors.nvfp4.helpers import unpack_fp4_from_uint8

        packed = t["weight_packed"]
        codes = unpack_fp4_from_uint8(packed, packed.shape[0], packed.shape[1] * 2, torch.float32)
        scale = t["weight_scale"].float() / t["weight_global_scale"]
        return codes * scale.repeat_interleave(codes.shape[1] // scale.shape[1], 1)
    t = {k: v.float() if k == "weight_scale" and v.element_size() > 1 else v for k, v in t.items()}
    # What microscaling formats return in bfloat16 is exact.
    return BaseCompressor.get_value_from_registry(q.format).decompress(t, scheme)["weight"].float()


def gptq_codes(words, bits, down):
    """Returns the integers that fill words without gaps, along the columns or the rows, as Python's own integers have
    them."""
    words = words.t() if down else words
    rows = []
    for row in words.to(torch.int64).tolist():
        stream = sum((word & 0xFFFFFFFF) << 32 * i for i, word in enumerate(row))
        rows.append([stream >> bits * i & (1 << bits) - 1 for i in range(32 * len(row) // bits)])
    out = torch.tensor(rows, dtype=torch.float32)
    return out.t() if down else out


def gptq(t, config, metadata):
    """GPTQModel 7.7.0, utils/model_dequant.py, convert_gptq_file: by its formula, since the package needs a GPU."""
    bits = config["bits"]
    packing = config.get("packing_format", config.get("checkpoint_format", "gptq"))
    codes, zeros = gptq_codes(t["qweight"], bits, True), gptq_codes(t["qzeros"], bits, False)
    if packing in ("gptq", "auto_round:auto_gptq"):
        zeros = (zeros + 1) % 2**bits
    size = config["group_size"] if config["group_size"] > 0 else codes.shape[0]
    index = t["g_idx"].long() if "g_idx" in t else torch.arange(codes.shape[0]) // size
    return ((codes - zeros[index]) * t["scales"].float()[index]).t()


def awq(t, config, metadata):
    """AutoAWQ 0.2.9, awq/utils/packing_utils.py, dequantize_gemm."""
    def integers(words):
        shifts = torch.tensor([0, 4, 1, 5, 2, 6, 3, 7]) * 4
        return (words[:, :, None] >> shifts & 15).reshape(words.shape[0], -1).float()

    size = t["qweight"].shape[0] // t["scales"].shape[0]
    scales, zeros = (x.repeat_interleave(size, 0) for x in (t["scales"].float(), integers(t["qzeros"])))
    return ((integers(t["qweight"]) - zeros) * scales).t()


def bitsandbytes(t, config, metadata):
    import bitsandbytes.functional as F

    if "SCB" in t:
        return F.int8_vectorwise_dequant(t["weight"], t["SCB"])
    state = F.QuantState.from_dict({k: v for k, v in t.items() if k != "weight"}, device=torch.device("cpu"))
    absmax = F.dequantize_blockwise(state.absmax, state.state2) + state.offset if state.nested else state.absmax
    # Not dequantize_4bit: in 0.50.2 its CPU kernel is wrong if blocks go beyond rows.
    from bitsandbytes.backends.default.ops import _dequantize_4bit_compute as compute

    packed = t["weight"].view(torch.uint8).reshape(-1)
    return compute(packed, absmax, state.code, state.blocksize, state.shape, torch.float32)


def quanto(t, config, metadata):
    from optimum.quanto.tensor.packed import PackedTensor
    from optimum.quanto.tensor.weights.qbits import WeightQBitsTensor

    if "weight._data" in t:
        return t["weight._data"].float() * t["weight._scale"].float()
    import optimum.quanto

    scale, shift, group = t["weight._scale"].float(), t["weight._shift"].float(), t["weight._data._data"].shape[1]
    size = torch.Size([scale.numel() * group // config["inputs"], config["inputs"]])
    bits = 8 * t["weight._data._data"].shape[0] // scale.numel()
    data = PackedTensor(t["weight._data._data"], bits, torch.Size([scale.numel(), group]), (group, 1))
    kind = getattr(optimum.quanto, f"qint{bits}")
    return WeightQBitsTensor(kind, 0, group, size, (size[1], 1), data, scale, shift).dequantize()


def hqq(t, config, metadata):
    from hqq.core.quantize import Quantizer

    how = config["quant_config"]["weight_quant_params"]
    meta = {"compute_dtype": torch.float32, "nbits": how["nbits"], "axis": how["axis"],
            "view_as_float": how["view_as_float"],
            "packing": Quantizer.bit_to_packing[how["nbits"]], "shape": torch.Size(t["shape"].tolist()),
            "group_size": how["group_size"], "scale": t["scale"].float(), "zero": t["zero"].float()}
    meta["unpack_view_dtype"] = Quantizer.unpack_view_dtype[meta["packing"]]
    if meta["group_size"] is None:
        meta["group_size"] = meta["shape"][1 if how["axis"] == 1 else 0]
    return Quantizer.dequantize(t["W_q"], meta)


def mlx(t, config, metadata):
    """config is that of the output, even if the model has none."""
    import mlx.core as mx
    import numpy as np

    def array(x):
        return mx.array(x.float().numpy() if x.is_floating_point() else x.numpy())

    how = {k: config[k] for k in ("group_size", "bits", "mode")}
    if how["mode"] == "affine":
        w = mx.dequantize(array(t["weight"]), array(t["scales"]), array(t["biases"]), **how)
    else:
        w = mx.dequantize(array(t["weight"]), array(t["scales"]), **how, dtype=mx.float32)
    return torch.from_numpy(np.array(w))


def torchao(t, config, metadata):
    from torchao.prototype.safetensors.safetensors_support import unflatten_tensor_state_dict

    name = "m.weight"
    tensors = {f"m.{k}": v for k, v in t.items()}
    w = unflatten_tensor_state_dict(tensors, {name: json.dumps(metadata), "tensor_names": json.dumps([name])})[0][name]
    if type(w).__name__ == "IntxUnpackedToInt8Tensor":  # its own dequantize computes in the dtype of the scales
        from torchao.quantization.quant_primitives import dequantize_affine

        return dequantize_affine(w.qdata, w.block_size, w.scale.float(), w.zero_point, torch.int8, -128, 127,
                                 output_dtype=torch.float32)
    return w.dequantize(torch.float32)
