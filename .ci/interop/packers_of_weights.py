"""Packers that pack a weight. Each function yields names of outputs with functions that return a case."""

import itertools
import math
import pathlib
import tempfile

import torch

from packers_model import ODD, Case, case, layer, llama

SIZES = {"": {}, " odd": ODD}


def compressed_tensors():
    from compressed_tensors.compressors import compress_module
    from compressed_tensors.compressors.format import infer_module_format
    from compressed_tensors.quantization import QuantizationArgs as Args
    from compressed_tensors.quantization import QuantizationConfig, QuantizationScheme, preset_name_to_scheme
    from compressed_tensors.quantization.lifecycle.initialize import initialize_module_for_quantization
    from compressed_tensors.quantization.quant_scheme import PRESET_SCHEMES

    def weights(**args):
        return QuantizationScheme(targets=["Linear"], weights=Args(**args))

    schemes = {n: preset_name_to_scheme(n, ["Linear"]) for n in PRESET_SCHEMES if n != "UNQUANTIZED"}
    for bits, group, symmetric in itertools.product(range(2, 9), (32, 64, None), (True, False)):
        by = {"strategy": "group", "group_size": group} if group else {"strategy": "channel"}
        schemes[f"{bits} bits {group} {symmetric}"] = weights(num_bits=bits, symmetric=symmetric, **by)
    for by in ("channel", "tensor"):
        schemes[f"fp8 {by}"] = weights(num_bits=8, type="float", strategy=by)

    def pack(scheme, weight):
        m = layer(weight, torch.bfloat16)
        initialize_module_for_quantization(m, scheme)
        for name, p in m.named_parameters():
            if name != "weight":
                p.data = torch.full(p.shape, 0 if name.endswith("zero_point") else 0.02).to(p.dtype)
        compress_module(m)
        return {k: v.detach() for k, v in m.state_dict().items()}

    for (name, scheme), (size, sizes) in itertools.product(schemes.items(), SIZES.items()):
        by = scheme.weights and scheme.weights.group_size
        if by and by > 32 and sizes:
            continue  # groups have to be whole
        form = infer_module_format(torch.nn.Linear, scheme).value
        q = QuantizationConfig(config_groups={"group_0": scheme}, quantization_status="compressed", format=form)
        q = q.to_dict() | {"quant_method": "compressed-tensors"}
        yield name + size, lambda s=scheme, q=q, d=sizes: case(lambda w: pack(s, w), q, **d)


def bitsandbytes():
    import bitsandbytes as bnb

    def four(kind, block, nested, storage, weight):
        m = bnb.nn.Linear4bit(weight.shape[1], weight.shape[0], bias=False, device="meta")
        m.weight = bnb.nn.Params4bit(
            weight.to(torch.bfloat16), requires_grad=False, quant_type=kind, blocksize=block,
            compress_statistics=nested, quant_storage=storage,
        )._quantize("cpu")
        return m.state_dict()

    def eight(weight):
        m = bnb.nn.Linear8bitLt(weight.shape[1], weight.shape[0], bias=False, has_fp16_weights=False)
        m.weight = bnb.nn.Int8Params(weight.half(), has_fp16_weights=False, requires_grad=False)._quantize("cpu")
        return m.state_dict()

    storages = (torch.uint8, torch.bfloat16, torch.float32)
    every = itertools.product(("nf4", "fp4"), (32, 64, 128, 256, 512), (False, True), storages, SIZES.items())
    for kind, block, nested, storage, (size, sizes) in every:
        q = {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": kind,
             "bnb_4bit_use_double_quant": nested, "bnb_4bit_quant_storage": str(storage).removeprefix("torch.")}
        how = (kind, block, nested, storage)
        name = f"{kind} {block} {nested} {storage}{size}"
        yield name, lambda h=how, q=q, d=sizes: case(lambda w: four(*h, w), q, **d)
    for size, sizes in SIZES.items():
        q = {"quant_method": "bitsandbytes", "load_in_8bit": True}
        yield f"int8{size}", lambda q=q, d=sizes: case(eight, q, **d)


def quanto():
    import optimum.quanto

    def pack(kind, weight):
        m = torch.nn.Sequential(layer(weight, torch.bfloat16))
        optimum.quanto.quantize(m, weights=getattr(optimum.quanto, kind))
        optimum.quanto.freeze(m)
        return {k.removeprefix("0."): v for k, v in m.state_dict().items()}

    for kind, (size, sizes) in itertools.product(("qint2", "qint4", "qint8", "qfloat8", "qfloat8_e5m2"), SIZES.items()):
        q = {"quant_method": "quanto", "weights": kind.removeprefix("q").removesuffix("_e5m2")}
        yield kind + size, lambda k=kind, q=q, d=sizes: case(lambda w: pack(k, w), q, **d)


def hqq():
    from hqq.core.quantize import BaseQuantizeConfig, HQQLinear

    def pack(how, weight):
        m = HQQLinear(layer(weight), BaseQuantizeConfig(**how), compute_dtype=torch.bfloat16, device="cpu")
        return {k: v for k, v in m.state_dict().items() if isinstance(v, torch.Tensor)}

    every = itertools.product((1, 2, 3, 4, 8), (16, 64, None), (0, 1), (False, True), SIZES.items())
    for bits, group, axis, floats, (size, sizes) in every:
        if sizes and group == 64:
            continue
        how = {"nbits": bits, "group_size": group, "axis": axis, "view_as_float": floats}
        q = {"quant_method": "hqq", "quant_config": {"weight_quant_params": how}}
        name = f"{bits} {group} {axis} {floats}{size}"
        yield name, lambda h=how, q=q, d=sizes: case(lambda w: pack(h, w), q, **d)


def mlx():
    import mlx.core as mx
    import numpy as np

    def tensor(a):
        if a.dtype == mx.bfloat16:
            return torch.from_numpy(np.array(a.view(mx.uint16))).view(torch.bfloat16)
        return torch.from_numpy(np.array(a))

    def pack(how, weight):
        out = mx.quantize(mx.array(weight.numpy()).astype(mx.bfloat16), **how)
        return dict(zip(("weight", "scales", "biases"), map(tensor, out)))

    modes = [("affine", bits, group) for bits in (2, 3, 4, 5, 6, 8) for group in (32, 64, 128)]
    modes += [("mxfp4", 4, 32), ("mxfp8", 8, 32), ("nvfp4", 4, 16)]
    for (mode, bits, group), configured in itertools.product(modes, (True, False)):
        how = {"group_size": group, "bits": bits, "mode": mode}
        q, meta = how if configured else None, {"format": "mlx"}
        yield f"{mode} {bits} {group} {configured}", lambda h=how, q=q: case(lambda w: pack(h, w), q, metadata=meta)


def torchao():
    import torchao.quantization as tq
    from torchao.prototype import mx_formats
    from torchao.prototype.safetensors.safetensors_support import flatten_tensor_state_dict

    configs = {
        "int8": tq.Int8WeightOnlyConfig, "int8 dynamic": tq.Int8DynamicActivationInt8WeightConfig,
        "fp8": tq.Float8WeightOnlyConfig, "mxfp8": mx_formats.MXDynamicActivationMXWeightConfig,
        "nvfp4": mx_formats.NVFP4WeightOnlyConfig,
        "mxfp4": lambda: mx_formats.MXDynamicActivationMXWeightConfig(
            weight_dtype=torch.float4_e2m1fn_x2, activation_dtype=torch.float4_e2m1fn_x2),
    }
    for bits in range(1, 9):
        configs[f"intx {bits}"] = lambda b=bits: tq.IntxWeightOnlyConfig(
            weight_dtype=getattr(torch, f"int{b}"), granularity=tq.PerGroup(32))

    def make(config):
        linear, plain, c = llama()
        state = {n: torch.randn(s, dtype=torch.bfloat16) for n, s in plain.items()}
        right = sum(t.numel() for t in state.values())
        for n, s in linear.items():
            m = torch.nn.Sequential(layer(torch.randn(s), torch.bfloat16))
            tq.quantize_(m, config())
            state[n + ".weight"], right = m[0].weight.detach(), right + math.prod(s)
        tensors, metadata = flatten_tensor_state_dict(state)
        return Case(tensors, right, c | {"quantization_config": {"quant_method": "torchao"}}, metadata)

    for name, config in configs.items():
        yield name, lambda c=config: make(c)


def auto_round():
    from auto_round.export.export_to_autoround import qlinear_fp, qlinear_int
    from auto_round.export.export_to_awq.utils import WQLinear_GEMM
    from auto_round_extension.torch import qlinear_torch, qlinear_torch_zp

    def gptq(module, bits, group, symmetric, weight):
        out, inputs = weight.shape
        m = module.QuantLinear(bits, group, inputs, out, False)
        scales = torch.full((out, math.ceil(inputs / (group if group > 0 else inputs))), 0.05)
        zeros = 2 ** (bits - 1) if symmetric else torch.full(scales.shape, 2.0 ** (bits - 1))
        m.pack(layer(weight), scales, zeros, None, device="cpu")
        return {k: v for k, v in m.state_dict().items() if v is not None}

    every = itertools.product((qlinear_torch, qlinear_torch_zp), range(2, 9), (32, 128, -1), (True, False))
    for module, bits, group, symmetric in every:
        how = (module, bits, group, symmetric)
        q = {"quant_method": "auto-round", "bits": bits, "group_size": group, "sym": symmetric,
             "packing_format": "auto_round:auto_gptq"}
        if module is qlinear_torch_zp:
            q = {"quant_method": "gptq", "bits": bits, "group_size": group, "sym": symmetric, "desc_act": False}
        name = f"{q['quant_method']} {bits} {group} {symmetric}"
        yield name, lambda h=how, q=q: case(lambda w: gptq(*h, w), q, torch.float16)

    def awq(bits, group, points, weight):
        scales = torch.full((weight.shape[1] // (group if group > 0 else weight.shape[1]), weight.shape[0]), 0.05)
        zeros = torch.full(scales.shape, 2.0 ** (bits - 1)) if points else 2 ** (bits - 1)
        m = WQLinear_GEMM.from_linear(layer(weight), bits, group, scales=scales, zeros=zeros, device="cpu")
        return m.state_dict()

    for bits, group, points in itertools.product((4, 5, 6, 7), (32, 128, -1), (True, False)):
        q = {"quant_method": "awq", "bits": bits, "group_size": group, "zero_point": points, "version": "gemm"}
        how = (bits, group, points)
        yield f"awq {bits} {group} {points}", lambda h=how, q=q: case(lambda w: awq(*h, w), q, torch.float16)

    def micro(data, bits, group, weight):
        module = qlinear_int if "int" in data else qlinear_fp
        m = module.QuantLinear(bits, group, weight.shape[1], weight.shape[0], False, data_type=data, act_bits=bits)
        nv = data.startswith("nv")
        scales = torch.full((weight.shape[0], weight.shape[1] // group), 1.0 if nv else -3.0)
        global_scales = (torch.tensor(99.0), torch.tensor(3.0)) if nv else ()
        m.pack(layer(weight), scales, None, None, *global_scales, device="cpu")
        return {k: v for k, v in m.state_dict().items() if v is not None}

    for data, bits, group in (("mx_fp4", 4, 32), ("mx_fp8", 8, 32), ("nv_fp4", 4, 16), ("mx_int4", 4, 32)):
        q = {"quant_method": "auto-round", "bits": bits, "group_size": group, "data_type": data, "sym": True,
             "packing_format": "auto_round:llm_compressor"}
        yield data, lambda h=(data, bits, group), q=q: case(lambda w: micro(*h, w), q)


def sinq():
    from safetensors.torch import load_file
    from sinq import patch_model
    from sinq.sinqlinear_hf import SINQLinear, sinq_base_quant_config

    writer = [c for c in vars(patch_model).values() if hasattr(c, "save_weights_safetensors")][0]

    def pack(bits, group, method, weight):
        m = SINQLinear(
            in_features=weight.shape[1], out_features=weight.shape[0], bias=False, compute_dtype=torch.bfloat16,
            quant_config=sinq_base_quant_config(nbits=bits, group_size=group, method=method), device="cpu",
            use_unpack_kernel=False)
        m.quantize(weight)
        with tempfile.TemporaryDirectory() as d:
            writer.save_weights_safetensors({"m": m.state_dict()}, d)
            found = [load_file(f) for f in pathlib.Path(d).glob("*.safetensors")]
        return {k.removeprefix("m."): v for tensors in found for k, v in tensors.items()}

    for how in itertools.product((2, 3, 4, 5, 6, 8), (32, 64, 128), ("sinq", "dual")):
        q = {"quant_method": "sinq", "nbits": how[0], "group_size": how[1], "method": how[2]}
        yield " ".join(map(str, how)), lambda h=how, q=q: case(lambda w: pack(*h, w), q)


PACKERS = [compressed_tensors, bitsandbytes, quanto, hqq, mlx, torchao, auto_round, sinq]
