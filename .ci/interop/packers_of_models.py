"""Packers that export a whole model. Each function yields names with functions that write a folder."""

import torch

from packers_model import tiny

MODELOPT = """FP8_DEFAULT_CFG FP8_PER_CHANNEL_PER_TOKEN_CFG FP8_2D_BLOCKWISE_WEIGHT_ONLY_CFG INT8_SMOOTHQUANT_CFG
INT8_WEIGHT_ONLY_CFG INT4_AWQ_CFG W4A8_AWQ_BETA_CFG NVFP4_DEFAULT_CFG NVFP4_MLP_ONLY_CFG W4A16_NVFP4_CFG
W4A8_NVFP4_FP8_CFG MXFP4_DEFAULT_CFG MXFP8_DEFAULT_CFG W4A8_MXFP4_FP8_CFG"""


def modelopt():
    import modelopt.torch.quantization as quantization
    from modelopt.torch.export import export_hf_checkpoint

    def write(name, folder):
        model, right = tiny()
        ids = torch.randint(0, 512, (2, 16))
        model = quantization.quantize(model, getattr(quantization, name), lambda m: m(ids))
        with torch.inference_mode():
            export_hf_checkpoint(model, export_dir=str(folder))
        return right

    for name in MODELOPT.split():
        yield name, lambda folder, n=name: write(n, folder)


def quark():
    from quark.torch import ModelQuantizer, export_safetensors
    from quark.torch.quantization.config.template import LLMTemplate

    def write(name, folder):
        model, right = tiny()
        quantizer = ModelQuantizer(LLMTemplate.get("llama").get_config(scheme=name))
        model = quantizer.freeze(quantizer.quantize_model(model, [torch.randint(0, 512, (2, 16))]))
        with torch.no_grad():
            export_safetensors(model, str(folder))
        return right

    for name in LLMTemplate.get_supported_schemes():
        yield name, lambda folder, n=name: write(n, folder)


PACKERS = [modelopt, quark]
