"""Checkpoints, packed models and adapters of published layouts."""

import healthy_habits as habits
import healthy_models
import healthy_save
import healthy_single as single
from healthy_pipelines import CLIP_G, CLIP_L, T5_XXL, part
from healthy_write import Specimen, named, under

GB = 10**9
SPECIMENS = {}
SERVED = "transformers vllm sglang"


def files(name, loaders, source, **weights):
    """Returns a specimen of files without configuration. The keys are names, with _ for - and __ for /."""
    s = Specimen(name, source=source, loaders=loaders)
    for file, tensors in weights.items():
        s.weights(file.replace("__", "/") + ".safetensors", tensors)
    SPECIMENS[name] = lambda: s


clip_l = part("CLIPTextModel", "F16", **CLIP_L)[0]
t5 = part("T5EncoderModel", "F16", **T5_XXL)[0]
clip_ids = [("text_model.embeddings.position_ids", "I64", [1, 77])]
COMPVIS = "CompVis stable-diffusion, ldm/modules"
SGM = "Stability generative-models, sgm/modules"
DM, VAE = "model.diffusion_model.", "first_stage_model."
XL = named("ldm-sdxl", single.unet(2048, [1, 2, 4], [0, 2, 10], flat=True, adm=2816, middle=10))
SD15 = named("ldm-sd15", single.unet(768, [1, 2, 4, 4], [1, 1, 1, 0]))
SD21 = named("ldm-sd21", single.unet(1024, [1, 2, 4, 4], [1, 1, 1, 0], flat=True))
SCHEDULE = [(n, "F32", [1000]) for n in ("betas", "alphas_cumprod", "alphas_cumprod_prev", "sqrt_alphas_cumprod")]

files("checkpoint-sd-1-5", "comfyui diffusers", COMPVIS, **{"v1-5-pruned-emaonly": under(DM, SD15) + under(VAE, single.vae()) + SCHEDULE
      + under("cond_stage_model.transformer.", clip_l, "F32") + under("cond_stage_model.transformer.", clip_ids)
      + [("model_ema.decay", "F32", []), ("model_ema.num_updates", "I32", [])]})
files("checkpoint-sd-2-1", "comfyui diffusers", COMPVIS, **{"v2-1_768-ema-pruned": under(DM, SD21, "F16") + under(VAE, single.vae(), "F16")
      + under("cond_stage_model.model.", single.open_clip(1024, 24))})
files("checkpoint-sdxl", "comfyui diffusers", SGM, **{"sd_xl_base_1.0": under(DM, XL, "F16") + under(VAE, single.vae(), "F16")
      + under("conditioner.embedders.0.transformer.", clip_l) + under("conditioner.embedders.1.model.", single.open_clip())})
files("checkpoint-sdxl-with-v-pred", "comfyui", SGM, noobaiXLNAIXL_vPred10Version=under(DM, XL, "F16") + under(VAE, single.vae(), "F16")
      + under("conditioner.embedders.0.transformer.", clip_l) + under("conditioner.embedders.0.transformer.", clip_ids)
      + under("conditioner.embedders.1.model.", single.open_clip()) + [("v_pred", "F32", [0]), ("ztsnr", "F32", [0])])
files("checkpoint-sd3-medium", "comfyui diffusers", SGM, sd3_medium_incl_clips_t5xxlfp8=single.sd3() + under(VAE, single.vae(16, False), "F16")
      + under("text_encoders.clip_l.transformer.", clip_l) + under("text_encoders.t5xxl.transformer.", t5, "F8_E4M3")
      + under("text_encoders.clip_g.transformer.", part("CLIPTextModelWithProjection", "F16", **CLIP_G)[0]))
files("checkpoint-flux-fp8", "comfyui", "ComfyUI comfy/sd.py", **{"flux1-dev-fp8": under(DM, single.flux(), "F8_E4M3")
      + under("vae.", single.vae(16, False)) + under("text_encoders.clip_l.transformer.", clip_l)
      + under("text_encoders.t5xxl.transformer.", t5, "F8_E4M3") + [("text_encoders.clip_l.logit_scale", "F16", [])]})
files("models-of-comfyui", "comfyui", "ComfyUI comfy/model_detection.py", diffusion_models__flux1_schnell=single.flux(guidance=False),
      text_encoders__clip_l=clip_l, text_encoders__t5xxl_fp16=t5, vae__ae=single.vae(16, False))
scaled = [x for n, d, s in single.flux() for x in (
    [(n, "F8_E4M3", s), (n.removesuffix("weight") + "scale_weight", "F32", [])] if len(s) == 2 and "_blocks" in n else [(n, "BF16", s)])]
files("flux-fp8-scaled", "comfyui", "ComfyUI comfy/ops.py", flux1_dev_fp8_scaled=scaled + [("scaled_fp8", "F8_E4M3", [2])])
files("wan-2-1-original", "comfyui", "Wan2.1 wan/modules/model.py", **{"wan2.1_t2v_1.3B_bf16": single.wan()})
files("wan-2-2-two-experts", "comfyui", "Wan2.2 wan/modules/model.py", **{f"wan2.2_t2v_{k}_noise_14B_fp16": single.wan(
      "F16", "", 5120, 13824, 40) for k in ("high", "low")})
files("hunyuan-video-original", "comfyui", "HunyuanVideo hyvideo/modules/models.py", hunyuan_video_720_cfgdistill_bf16=single.hunyuan_video())
files("vae-of-flux", "comfyui diffusers", "flux src/flux/modules/autoencoder.py", ae=single.vae(16, False))
files("vae-of-sdxl", "comfyui diffusers", SGM, sdxl_vae=single.vae())
files("unet-alone-sdxl", "comfyui", SGM, unet=under("", XL, "F16"))


# Packings of linear layers. Each returns the tensors of one module with n inputs and m outputs.
def gptq(at, m, n):
    return [(at + "qweight", "I32", [n // 8, m]), (at + "qzeros", "I32", [n // 128, m // 8]),
            (at + "scales", "F16", [n // 128, m]), (at + "g_idx", "I32", [n])]


def awq(at, m, n):
    return [(at + "qweight", "I32", [n, m // 8]), (at + "qzeros", "I32", [n // 128, m // 8]), (at + "scales", "F16", [n // 128, m])]


def nf4(at, m, n):
    w = at + "weight"
    return [(w, "U8", [m * n // 2, 1]), (w + ".absmax", "U8", [m * n // 64]), (w + ".quant_map", "F32", [16]),
            (w + ".nested_absmax", "F32", [m * n // 64 // 256]), (w + ".nested_quant_map", "F32", [256]),
            (w + ".quant_state.bitsandbytes__nf4", "U8", [90])]


def int8(at, m, n):
    return [(at + "weight", "I8", [m, n]), (at + "SCB", "F32", [m]), (at + "weight_format", "U8", [])]


def fp8_dynamic(at, m, n):
    return [(at + "weight", "F8_E4M3", [m, n]), (at + "weight_scale", "BF16", [m, 1])]


def fp8_static(at, m, n):
    return [(at + "weight", "F8_E4M3", [m, n]), (at + "weight_scale", "F32", []), (at + "input_scale", "F32", [])]


def w8a8(at, m, n):
    return [(at + "weight", "I8", [m, n]), (at + "weight_scale", "BF16", [m, 1])]


def w4a16(at, m, n):
    return [(at + "weight_packed", "I32", [m, n // 8]), (at + "weight_scale", "BF16", [m, n // 128]), (at + "weight_shape", "I64", [2])]


def nvfp4(at, m, n):
    return [(at + "weight_packed", "U8", [m, n // 2]), (at + "weight_scale", "F8_E4M3", [m, n // 16]),
            (at + "weight_global_scale", "F32", [1]), (at + "input_global_scale", "F32", [1])]


def modelopt_fp4(at, m, n):
    return [(at + "weight", "U8", [m, n // 2]), (at + "weight_scale", "F8_E4M3", [m, n // 16]), (at + "weight_scale_2", "F32", []),
            (at + "input_scale", "F32", [])]


def mlx(bits, group=64):
    return lambda at, m, n: [(at + "weight", "U32", [m, n * bits // 32]), (at + "scales", "BF16", [m, n // group]),
                             (at + "biases", "BF16", [m, n // group])]


def mlx_mxfp4(at, m, n):
    return [(at + "weight", "U32", [m, n // 8]), (at + "scales", "U8", [m, n // 32])]


def fbgemm(at, m, n):
    return [(at + "weight", "F8_E4M3", [m, n]), (at + "weight_scale", "F32", [m, 1])]


def quanto(at, m, n):
    return [(at + "weight._data", "I8", [m, n]), (at + "weight._scale", "BF16", [m, 1]), (at + "input_scale", "BF16", []),
            (at + "output_scale", "BF16", [])]


def eetq(at, m, n):
    return [(at + "weight", "I8", [n, m]), (at + "weight_scales", "F16", [m])]


def pack(tensors, how, everything=False):
    """Packs the linear layers of the blocks, or all."""
    for name, dtype, shape in tensors:
        inner = everything or ".layers." in name or ".h." in name
        if name.endswith("weight") and len(shape) == 2 and inner and not any(w in name for w in ("norm", "mlp.gate.", "router")):
            yield from how(name.removesuffix("weight"), *shape)
        else:
            yield name, dtype, shape


COMPRESSED = {"quant_method": "compressed-tensors", "ignore": ["lm_head"], "kv_cache_scheme": None,
              "quantization_status": "compressed"}


def compressed(form, weights, inputs=None):
    return COMPRESSED | {"format": form, "config_groups": {"group_0": {
        "targets": ["Linear"], "weights": weights, "input_activations": inputs, "output_activations": None}}}


def scheme(bits, kind, strategy, **more):
    return {"num_bits": bits, "type": kind, "symmetric": True, "strategy": strategy, "dynamic": False} | more


TOKEN = scheme(8, "float", "token", dynamic=True)
BNB = {"quant_method": "bitsandbytes", "_load_in_4bit": True, "_load_in_8bit": False, "load_in_4bit": True, "load_in_8bit": False,
       "bnb_4bit_compute_dtype": "bfloat16", "bnb_4bit_quant_storage": "uint8", "bnb_4bit_quant_type": "nf4",
       "bnb_4bit_use_double_quant": True, "llm_int8_skip_modules": None}


def packed(name, base, how, config=None, loaders=SERVED, everything=False, key="quantization_config", extra=None, add=(), **layout):
    """A published model in a packing."""
    def make():
        cls, sizes, options = healthy_models.MODELS[base]
        tensors, texts = healthy_save.model(cls, sizes, options.get("dtype", "bfloat16"))
        found = {k: v for k, v in texts["config.json"].items() if v is not None and k not in ("dtype", "transformers_version")}
        found["torch_dtype"] = "bfloat16"
        rope = found.pop("rope_parameters")  # as version 5 writes them
        found["rope_theta"] = rope.pop("rope_theta")
        if rope["rope_type"] != "default":
            found["rope_scaling"] = rope
        if config:
            found[key] = config
        if key == "quantization":
            found["quantization_config"] = config
        s = Specimen(name, source=f"transformers {healthy_save.transformers.__version__} {cls}, packed", loaders=loaders)
        s.json("config.json", found).json("generation_config.json", {"bos_token_id": 1, "eos_token_id": 2})
        habits.tokenizer(s, found["vocab_size"] - 1, 3)
        for file, value in (extra or {}).items():
            s.json(file, value)
        return s.weights("model.safetensors", [*pack(tensors, how, everything), *add], **layout)
    SPECIMENS[name] = make


def shards(n=5):
    return {"max": n * GB}


packed("qwen2.5-7b-gptq-int4", "qwen2.5-7b-instruct", gptq, {"quant_method": "gptq", "bits": 4, "group_size": 128, "desc_act": False,
       "sym": True, "damp_percent": 0.01, "true_sequential": True}, **shards(4))
packed("qwen2.5-7b-awq", "qwen2.5-7b-instruct", awq, {"quant_method": "awq", "bits": 4, "group_size": 128, "version": "gemm",
       "zero_point": True, "modules_to_not_convert": None}, **shards(4))
packed("llama-2-7b-gptq-with-a-file-beside", "llama-2-7b", gptq, {"quant_method": "gptq", "bits": 4, "group_size": 128, "desc_act": False, "sym": True},
       extra={"quantize_config.json": {"bits": 4, "group_size": 128, "desc_act": False, "model_file_base_name": "model"}})
packed("llama-3.1-8b-bnb-nf4", "llama-3.1-8b", nf4, BNB, "transformers sglang", **shards())
packed("llama-3.1-8b-bnb-int8", "llama-3.1-8b", int8, BNB | {"load_in_4bit": False, "load_in_8bit": True, "_load_in_8bit": True,
       "_load_in_4bit": False}, "transformers sglang", **shards())
packed("llama-3.1-8b-fp8-dynamic", "llama-3.1-8b", fp8_dynamic, compressed("float-quantized", scheme(8, "float", "channel"), TOKEN),
       **shards())
packed("llama-3.1-8b-fp8-static", "llama-3.1-8b", fp8_static, {"quant_method": "fp8", "activation_scheme": "static",
       "ignored_layers": ["lm_head"]}, **shards())
packed("llama-3.1-8b-w8a8", "llama-3.1-8b", w8a8, compressed("int-quantized", scheme(8, "int", "channel"),
       scheme(8, "int", "token", dynamic=True)), **shards())
packed("llama-3.1-8b-w4a16", "llama-3.1-8b", w4a16, compressed("pack-quantized", scheme(4, "int", "group", group_size=128)), **shards())
packed("llama-3.1-8b-nvfp4", "llama-3.1-8b", nvfp4, compressed("nvfp4-pack-quantized", scheme(
       4, "float", "tensor_group", group_size=16), scheme(4, "float", "tensor_group", group_size=16, dynamic="local")), **shards())
packed("llama-3.1-8b-modelopt-fp8", "llama-3.1-8b", fp8_static, extra={"hf_quant_config.json": {"producer": {
       "name": "modelopt", "version": "0.19.0"}, "quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8", "exclude_modules": [
        "lm_head"]}}}, loaders="vllm sglang", add=[(f"model.layers.{i}.self_attn.{k}_proj.{k}_scale", "F32", []) for i in range(32) for k in "kv"],
       **shards())
packed("qwen3-30b-a3b-modelopt-nvfp4", "qwen3-30b-a3b", modelopt_fp4, {"quant_method": "modelopt", "quant_algo": "NVFP4",
       "ignore": ["lm_head", "model.layers.*.mlp.gate"], "config_groups": {"group_0": {"targets": ["Linear"], "weights": {
        "num_bits": 4, "type": "float", "group_size": 16, "dynamic": False}}}}, loaders="vllm sglang", **shards())
packed("qwen3-8b-fp8", "qwen3-8b", lambda at, m, n: [(at + "weight", "F8_E4M3", [m, n]), (
       at + "weight_scale_inv", "BF16", [-(-m // 128), -(-n // 128)])], {"quant_method": "fp8", "activation_scheme": "dynamic",
       "fmt": "e4m3", "weight_block_size": [128, 128], "modules_to_not_convert": ["lm_head"]}, **shards())
packed("llama-3.1-8b-fbgemm-fp8", "llama-3.1-8b", fbgemm, {"quant_method": "fbgemm_fp8", "activation_scale_ub": 1200.0,
       "modules_to_not_convert": ["lm_head"]}, "transformers sglang", **shards())
packed("mixtral-8x7b-awq", "mixtral-8x7b", awq, {"quant_method": "awq", "bits": 4, "group_size": 128, "version": "gemm",
       "zero_point": True, "modules_to_not_convert": ["gate"]}, **shards())
packed("qwen3-8b-mlx-4bit", "qwen3-8b", mlx(4), {"group_size": 64, "bits": 4}, "mlx", True, "quantization", format="mlx", **shards())
packed("llama-3.2-1b-mlx-8bit", "llama-3.2-1b", mlx(8), {"group_size": 64, "bits": 8}, "mlx", True, "quantization", format="mlx")
packed("qwen3-8b-mlx-mxfp4", "qwen3-8b", mlx_mxfp4, {"group_size": 32, "bits": 4, "mode": "mxfp4"}, "mlx", True, "quantization",
       format="mlx", **shards())
packed("llama-3.1-8b-quanto-int8", "llama-3.1-8b", quanto, loaders="", extra={"quanto_qmap.json": {}}, **shards())
packed("llama-3.1-8b-eetq", "llama-3.1-8b", eetq, {"quant_method": "eetq", "weights": "int8", "modules_to_not_convert": ["lm_head"]},
       "transformers", **shards())


# Adapters.
LLAMA = [(f"layers.{i}.{m}", a, b) for i in range(32) for m, a, b in (
    ("self_attn.q_proj", 4096, 4096), ("self_attn.k_proj", 4096, 1024), ("self_attn.v_proj", 4096, 1024),
    ("self_attn.o_proj", 4096, 4096), ("mlp.gate_proj", 4096, 14336), ("mlp.up_proj", 4096, 14336), ("mlp.down_proj", 14336, 4096))]
PEFT = {"peft_type": "LORA", "r": 16, "lora_alpha": 32, "lora_dropout": 0.05, "bias": "none", "task_type": "CAUSAL_LM",
        "base_model_name_or_path": "meta-llama/Llama-3.1-8B", "inference_mode": True, "rank_pattern": {}, "alpha_pattern": {},
        "target_modules": ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"], "use_rslora": False,
        "use_dora": False, "modules_to_save": None}


def adapter(name, tensors, config, loaders="transformers vllm sglang", extra=None):
    s = Specimen(name, source="peft 0.21.2", loaders=loaders)
    s.json("adapter_config.json", config).weights("adapter_model.safetensors", tensors)
    for file, value in (extra or {}).items():
        s.json(file, value)
    SPECIMENS[name] = lambda: s


def lora(rank=16, before="base_model.model.model.", modules=LLAMA, dtype="F32", names=("lora_A.weight", "lora_B.weight")):
    return [x for m, a, b in modules for x in ((f"{before}{m}.{names[0]}", dtype, [rank, a]), (f"{before}{m}.{names[1]}", dtype, [b, rank]))]


adapter("adapter-lora-llama", lora(), PEFT, extra={"trainer_state.json": {"epoch": 3}, "added_tokens.json": {"<x>": 128255}})
adapter("adapter-dora-llama", lora() + [(f"base_model.model.model.{m}.lora_magnitude_vector", "F32", [b]) for m, _, b in LLAMA],
        PEFT | {"use_dora": True}, "transformers")
adapter("adapter-rslora-with-embeddings", lora() + [("base_model.model.model.embed_tokens.weight", "BF16", [128258, 4096]),
        ("base_model.model.lm_head.weight", "BF16", [128258, 4096])], PEFT | {"use_rslora": True, "modules_to_save": ["embed_tokens", "lm_head"]},
        "transformers")
adapter("adapter-lora-embedding", lora() + [("base_model.model.model.embed_tokens.lora_embedding_A", "F32", [16, 128256]),
        ("base_model.model.model.embed_tokens.lora_embedding_B", "F32", [4096, 16])], PEFT | {
            "target_modules": PEFT["target_modules"] + ["embed_tokens"]}, "transformers")
adapter("adapter-lora-qwen2-vl", lora(8, "base_model.model.model.language_model.", [(m, 3584 if a == 4096 else a, b) for m, a, b in LLAMA[:6]]),
        PEFT | {"r": 8, "base_model_name_or_path": "Qwen/Qwen2-VL-7B-Instruct", "target_modules": ".*language_model.*proj"}, "transformers")
adapter("adapter-ia3", [(f"base_model.model.model.layers.{i}.{m}.ia3_l", "F32", s) for i in range(32) for m, s in (
        ("self_attn.k_proj", [1024, 1]), ("self_attn.v_proj", [1024, 1]), ("mlp.down_proj", [1, 14336]))],
        {"peft_type": "IA3", "target_modules": ["k_proj", "v_proj", "down_proj"], "feedforward_modules": ["down_proj"],
         "base_model_name_or_path": "meta-llama/Llama-3.1-8B", "task_type": "CAUSAL_LM"}, "transformers")
adapter("adapter-prompt-tuning", [("prompt_embeddings", "F32", [20, 4096])], {"peft_type": "PROMPT_TUNING", "num_virtual_tokens": 20,
        "token_dim": 4096, "num_layers": 32, "base_model_name_or_path": "meta-llama/Llama-3.1-8B", "task_type": "CAUSAL_LM"}, "transformers")
adapter("adapter-oft", [(f"base_model.model.model.{m}.oft_R.weight", "F32", [a // 32, 496]) for m, a, _ in LLAMA],
        {"peft_type": "OFT", "r": 0, "oft_block_size": 32, "target_modules": PEFT["target_modules"], "coft": False,
         "base_model_name_or_path": "meta-llama/Llama-3.1-8B"}, "transformers")
SPECIMENS["adapter-mlx"] = lambda: Specimen("adapter-mlx", source="mlx_lm 0.32.2 tuner/utils.py", loaders="mlx").json("adapter_config.json", {
    "fine_tune_type": "lora", "num_layers": 16, "model": "mlx-community/Llama-3.1-8B", "lora_parameters": {
        "rank": 8, "dropout": 0.0, "scale": 20.0, "keys": ["self_attn.q_proj", "self_attn.v_proj"]}}).weights("adapters.safetensors", [
            x for i in range(16, 32) for k, n in (("q_proj", 4096), ("v_proj", 1024)) for x in (
                (f"model.layers.{i}.self_attn.{k}.lora_a", "F32", [4096, 8]), (f"model.layers.{i}.self_attn.{k}.lora_b", "F32", [8, n]))],
        format="none")
UNET = [(f"down_blocks.{b}.attentions.{a}.transformer_blocks.0.attn{k}.to_{x}", c, c if k == 1 or x == "q" else 768)
        for b, c in ((0, 320), (1, 640), (2, 1280)) for a in (0, 1) for k in (1, 2) for x in "qkv"]
UNET = [(m, n, c) for m, c, n in UNET]
TEXT = [(f"text_model.encoder.layers.{i}.self_attn.{k}_proj", 768, 768) for i in range(12) for k in "qkv"]


def kohya(prefix, modules, rank=32, flat=lambda m: m.replace(".", "_")):
    return [x for m, a, b in modules for x in ((f"{prefix}{flat(m)}.alpha", "F16", []), (
        f"{prefix}{flat(m)}.lora_down.weight", "F16", [rank, a]), (f"{prefix}{flat(m)}.lora_up.weight", "F16", [b, rank]))]


KOHYA = kohya("lora_unet_", UNET) + kohya("lora_te_", TEXT)
FLUX = [(f"double_blocks.{i}.{k}_attn.{x}", 3072, n) for i in range(19) for k in ("img", "txt") for x, n in (("qkv", 9216), ("proj", 3072))]
FLUX_HF = [(f"transformer_blocks.{i}.attn.to_{x}", 3072, 3072) for i in range(19) for x in "qkv"] + [
    (f"single_transformer_blocks.{i}.attn.to_{x}", 3072, 3072) for i in range(38) for x in "qkv"]
SDS = "sd-scripts networks/lora.py"
files("lora-kohya-sd15", "comfyui diffusers", SDS, style=KOHYA)
files("lora-kohya-flux", "comfyui diffusers", SDS, flux_style=kohya("lora_unet_", FLUX))
files("lora-diffusers-flux", "comfyui diffusers", "diffusers 0.42.1 loaders", pytorch_lora_weights=lora(16, "transformer.", FLUX_HF, "BF16"))
files("lora-diffusers-sd15", "comfyui diffusers", "diffusers 0.42.1 loaders", pytorch_lora_weights=lora(64, "unet.", UNET)
      + lora(64, "text_encoder.", TEXT))
files("lora-diffusers-old", "diffusers", "diffusers 0.42.1 loaders", pytorch_lora_weights=[x for m, a, b in UNET for x in (
      (f"unet.{m.replace('.to_', '.processor.to_')}_lora.down.weight", "F32", [4, a]), (f"unet.{m.replace('.to_', '.processor.to_')}_lora.up.weight", "F32", [b, 4]))])
files("lora-comfyui-flux", "comfyui", "ComfyUI comfy/lora.py", flux_lora=lora(16, "diffusion_model.", FLUX, "BF16"))
files("lora-xlabs-flux", "comfyui diffusers", "x-flux", lora=[x for i in range(19) for k in (1, 2) for p in ("qkv", "proj") for x in (
      (f"double_blocks.{i}.processor.{p}_lora{k}.down.weight", "BF16", [16, 3072]),
      (f"double_blocks.{i}.processor.{p}_lora{k}.up.weight", "BF16", [9216 if p == "qkv" else 3072, 16]))])
files("lora-of-wan", "comfyui diffusers", "ComfyUI comfy/lora.py", wan_lora=lora(32, "diffusion_model.", [
      (f"blocks.{i}.{a}.{k}", 5120, 5120) for i in range(40) for a in ("self_attn", "cross_attn") for k in "qkvo"], "BF16"))
files("lora-of-flux-control", "diffusers", "flux", **{"flux1-canny-dev-lora": lora(128, "", FLUX, "BF16")
      + [(f"double_blocks.{i}.{k}_attn.norm.{x}_norm.scale", "BF16", [128]) for i in range(19) for k in ("img", "txt") for x in ("query", "key")]})
LYCORIS = "lycoris_lora 4.1.3"
files("loha-sd15", "comfyui", LYCORIS, loha=[x for m, a, b in UNET for f in ["lycoris_" + m.replace(".", "_")] for x in (
      (f + ".alpha", "F16", []), *((f"{f}.hada_w{i}_{k}", "F16", [b, 8] if k == "a" else [8, a]) for i in "12" for k in "ab"))])
files("lokr-sd15", "comfyui", LYCORIS, lokr=[x for m, a, b in UNET for f in ["lycoris_" + m.replace(".", "_")] for x in (
      (f + ".alpha", "F16", []), (f + ".lokr_w1", "F16", [4, 4]), (f + ".lokr_w2", "F16", [b // 4, a // 4]))])
files("oft-sd15", "comfyui", "sd-scripts networks/oft.py", oft=[x for m, a, b in UNET for f in ["lora_unet_" + m.replace(".", "_")] for x in (
      (f + ".alpha", "F32", []), (f + ".oft_blocks", "F32", [4, b // 4, b // 4]))])
files("dora-kohya", "comfyui", SDS, dora=KOHYA + [(f"lora_unet_{m.replace('.', '_')}.dora_scale", "F16", [b, 1]) for m, _, b in UNET])
files("embeddings", "comfyui diffusers", "ComfyUI comfy/sd1_clip.py", easynegative=[("emb_params", "F32", [8, 768])],
      negativeXL=[("clip_g", "F32", [8, 1280]), ("clip_l", "F32", [8, 768])])
files("ip-adapter-sd15", "", "IP-Adapter", **{"ip-adapter_sd15": [("image_proj.norm.weight", "F16", [768]), ("image_proj.norm.bias", "F16", [768]),
      ("image_proj.proj.weight", "F16", [3072, 1024]), ("image_proj.proj.bias", "F16", [3072]), *((f"ip_adapter.{i}.to_{k}_ip.weight", "F16",
      [n, 768]) for i, n in zip(range(1, 32, 2), [320] * 4 + [640] * 4 + [1280] * 8) for k in "kv")]})
