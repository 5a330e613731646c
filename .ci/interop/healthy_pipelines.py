"""Pipelines of diffusers and their parts, with published configurations."""

import warnings

import torch

warnings.simplefilter("ignore")
import diffusers

import healthy_models
import healthy_save
import healthy_single
from healthy_write import Specimen, named, under
from holes import dtype as dtype_of

GB = 10**9
DTYPES = {"F16": "float16", "F32": "float32", "BF16": "bfloat16"}
SPECIMENS = {}
built = {}


def specimen(f):
    SPECIMENS[f.__name__.replace("_", "-").strip("-")] = f
    return f


def part(name, dtype="F32", **sizes):
    """Returns the tensors and the configuration of a class of diffusers, or of transformers."""
    key = (name, repr(sizes))
    if key not in built:
        if hasattr(diffusers, name):
            with torch.device("meta"):
                m = getattr(diffusers, name)(**sizes)
            config = {"_class_name": name, "_diffusers_version": "0.31.0"} | {
                k: v for k, v in m.config.items() if not k.startswith("_") and v is not None}
            tensors = [(n, dtype_of(t), list(t.shape)) for n, t in m.state_dict().items()]
        else:
            tensors, texts = healthy_save.model(name, sizes, "float32")
            if name.startswith("CLIPText"):  # published names have a prefix, which version 5 does not
                tensors = [(n if n.startswith("text_") else "text_model." + n, d, s) for n, d, s in tensors]
            config = {k: v for k, v in texts["config.json"].items() if v is not None and k != "dtype"}
        if len(tensors) > 150:
            others = sum(k[0] == name for k in built)
            tensors = named(name.lower() + (f"-{others + 1}" if others else ""), tensors)
        built[key] = (tensors, config)
    tensors, config = built[key]
    config = config | ({} if "_class_name" in config else {"torch_dtype": DTYPES[dtype]})
    return (tensors if dtype == "F32" else under("", tensors, dtype)), config


def add(s, folder, made, file=None, **layout):
    """Adds a part of a pipeline."""
    tensors, config = made
    ours = "_class_name" in config
    s.json(f"{folder}/config.json", config)
    s.weights(f"{folder}/{file or ('diffusion_pytorch_model' if ours else 'model') + '.safetensors'}", tensors, **layout)
    return s


def pipeline(name, cls, loaders="diffusers", **components):
    """Returns a pipeline, whose components are pairs of library and class."""
    s = Specimen(name, source=f"diffusers {diffusers.__version__} {cls}", loaders=loaders)
    s.json("model_index.json", {"_class_name": cls, "_diffusers_version": "0.31.0", **components})
    s.json("scheduler/scheduler_config.json", {"_class_name": components["scheduler"][1], "num_train_timesteps": 1000})
    for key in components:
        if key.startswith("tokenizer"):
            s.json(f"{key}/tokenizer_config.json", {"tokenizer_class": components[key][1]})
            if "CLIP" in components[key][1]:
                s.json(f"{key}/vocab.json", {"!": 0, "<|endoftext|>": 49407}).text(f"{key}/merges.txt", "#version: 0.2")
            else:
                s.text(f"{key}/spiece.model", "\n\x0e\n\x05<pad>")
                s.json(f"{key}/tokenizer.json", {"version": "1.0", "model": {"type": "Unigram", "vocab": [["<pad>", 0.0]]}})
    return s


def cast(made, dtype):
    return under("", made[0], dtype), made[1]


CLIP_L = dict(hidden_size=768, intermediate_size=3072, num_hidden_layers=12, num_attention_heads=12, projection_dim=768,
              vocab_size=49408)
CLIP_G = dict(hidden_size=1280, intermediate_size=5120, num_hidden_layers=32, num_attention_heads=20, projection_dim=1280,
              vocab_size=49408)
T5_XXL = dict(d_model=4096, d_ff=10240, num_layers=24, num_heads=64, feed_forward_proj="gated-gelu", vocab_size=32128,
              tie_word_embeddings=False)
UNET_1 = dict(sample_size=64, cross_attention_dim=768, attention_head_dim=8)
UNET_XL = dict(
    sample_size=128, block_out_channels=(320, 640, 1280), cross_attention_dim=2048, attention_head_dim=[5, 10, 20],
    down_block_types=("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"), use_linear_projection=True,
    up_block_types=("CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"), transformer_layers_per_block=[1, 2, 10],
    addition_embed_type="text_time", addition_time_embed_dim=256, projection_class_embeddings_input_dim=2816)
VAE = dict(block_out_channels=(128, 256, 512, 512), layers_per_block=2, sample_size=512,
           down_block_types=("DownEncoderBlock2D",) * 4, up_block_types=("UpDecoderBlock2D",) * 4)
FLUX_VAE = VAE | dict(latent_channels=16, use_quant_conv=False, use_post_quant_conv=False, scaling_factor=0.3611,
                      shift_factor=0.1159)


@specimen
def pipeline_sd_1_5():
    """With files of two precisions, and checkpoints of one file beside."""
    s = pipeline("pipeline-sd-1-5", "StableDiffusionPipeline", unet=["diffusers", "UNet2DConditionModel"],
                 vae=["diffusers", "AutoencoderKL"], text_encoder=["transformers", "CLIPTextModel"],
                 tokenizer=["transformers", "CLIPTokenizer"], scheduler=["diffusers", "PNDMScheduler"],
                 safety_checker=["stable_diffusion", "StableDiffusionSafetyChecker"],
                 feature_extractor=["transformers", "CLIPImageProcessor"])
    text = part("CLIPTextModel", **CLIP_L)
    unet = part("UNet2DConditionModel", **UNET_1)
    for folder, made, name in (("unet", unet, "diffusion_pytorch_model"), ("vae", part("AutoencoderKL", **VAE), "diffusion_pytorch_model"),
                               ("text_encoder", text, "model")):
        add(s, folder, made)
        s.weights(f"{folder}/{name}.fp16.safetensors", cast(made, "F16")[0])
    s.text("unet/diffusion_pytorch_model.bin | torch", "")
    s.json("feature_extractor/preprocessor_config.json", {"crop_size": 224})
    s.json("safety_checker/config.json", {"architectures": ["StableDiffusionSafetyChecker"], "model_type": "clip"})
    return s.weights("safety_checker/model.safetensors", [
        ("concept_embeds", "F32", [17, 768]), ("concept_embeds_weights", "F32", [17]), ("special_care_embeds", "F32", [3, 768]),
        ("special_care_embeds_weights", "F32", [3]), ("visual_projection.weight", "F32", [768, 1024]),
        ("vision_model.vision_model.embeddings.position_ids", "I64", [1, 257]),
        *(("vision_model." + n, d, x) for n, d, x in part("CLIPVisionModel", hidden_size=1024, intermediate_size=4096,
          num_hidden_layers=24, num_attention_heads=16, patch_size=14)[0])])


@specimen
def pipeline_sdxl():
    s = pipeline("pipeline-sdxl", "StableDiffusionXLPipeline", unet=["diffusers", "UNet2DConditionModel"],
                 vae=["diffusers", "AutoencoderKL"], text_encoder=["transformers", "CLIPTextModel"],
                 text_encoder_2=["transformers", "CLIPTextModelWithProjection"], tokenizer=["transformers", "CLIPTokenizer"],
                 tokenizer_2=["transformers", "CLIPTokenizer"], scheduler=["diffusers", "EulerDiscreteScheduler"],
                 force_zeros_for_empty_prompt=True)
    add(s, "unet", part("UNet2DConditionModel", **UNET_XL), max=10 * GB)
    add(s, "vae", part("AutoencoderKL", **VAE)).text("vae_decoder/model.onnx | base64", "CAcSB3B5dG9yY2g=")
    add(s, "text_encoder", part("CLIPTextModel", **CLIP_L))
    return add(s, "text_encoder_2", part("CLIPTextModelWithProjection", **CLIP_G))


@specimen
def pipeline_sd3():
    s = pipeline("pipeline-sd3", "StableDiffusion3Pipeline", transformer=["diffusers", "SD3Transformer2DModel"],
                 vae=["diffusers", "AutoencoderKL"], text_encoder=["transformers", "CLIPTextModelWithProjection"],
                 text_encoder_2=["transformers", "CLIPTextModelWithProjection"], text_encoder_3=["transformers", "T5EncoderModel"],
                 tokenizer=["transformers", "CLIPTokenizer"], tokenizer_2=["transformers", "CLIPTokenizer"],
                 tokenizer_3=["transformers", "T5TokenizerFast"], scheduler=["diffusers", "FlowMatchEulerDiscreteScheduler"])
    add(s, "transformer", part("SD3Transformer2DModel", "F16", sample_size=128, num_layers=24, num_attention_heads=24,
        attention_head_dim=64, caption_projection_dim=1536, joint_attention_dim=4096, pooled_projection_dim=2048,
        out_channels=16, pos_embed_max_size=192))
    add(s, "vae", part("AutoencoderKL", "F16", **FLUX_VAE))
    add(s, "text_encoder", part("CLIPTextModelWithProjection", "F16", **CLIP_L))
    add(s, "text_encoder_2", part("CLIPTextModelWithProjection", "F16", **CLIP_G))
    t5 = part("T5EncoderModel", "F16", **T5_XXL)
    return add(s, "text_encoder_3", t5, "model.safetensors", max=5 * GB)


@specimen
def pipeline_flux_dev():
    s = pipeline("pipeline-flux-dev", "FluxPipeline", transformer=["diffusers", "FluxTransformer2DModel"],
                 vae=["diffusers", "AutoencoderKL"], text_encoder=["transformers", "CLIPTextModel"],
                 text_encoder_2=["transformers", "T5EncoderModel"], tokenizer=["transformers", "CLIPTokenizer"],
                 tokenizer_2=["transformers", "T5TokenizerFast"], scheduler=["diffusers", "FlowMatchEulerDiscreteScheduler"])
    add(s, "transformer", part("FluxTransformer2DModel", "BF16", guidance_embeds=True), max=10 * GB)
    add(s, "vae", part("AutoencoderKL", "BF16", **FLUX_VAE))
    add(s, "text_encoder", part("CLIPTextModel", "BF16", **CLIP_L))
    add(s, "text_encoder_2", part("T5EncoderModel", "BF16", **T5_XXL), max=5 * GB)
    return s.weights("flux1-dev.safetensors", healthy_single.flux()).weights("ae.safetensors", healthy_single.vae(16, False))


@specimen
def pipeline_pixart_sigma():
    s = pipeline("pipeline-pixart-sigma", "PixArtSigmaPipeline", transformer=["diffusers", "PixArtTransformer2DModel"],
                 vae=["diffusers", "AutoencoderKL"], text_encoder=["transformers", "T5EncoderModel"],
                 tokenizer=["transformers", "T5Tokenizer"], scheduler=["diffusers", "DPMSolverMultistepScheduler"])
    add(s, "transformer", part("PixArtTransformer2DModel", sample_size=128, out_channels=8, caption_channels=4096))
    add(s, "vae", part("AutoencoderKL", **VAE))
    return add(s, "text_encoder", part("T5EncoderModel", **T5_XXL), max=10 * GB)


@specimen
def pipeline_wan_2_1():
    s = pipeline("pipeline-wan-2-1", "WanPipeline", transformer=["diffusers", "WanTransformer3DModel"],
                 vae=["diffusers", "AutoencoderKLWan"], text_encoder=["transformers", "UMT5EncoderModel"],
                 tokenizer=["transformers", "T5TokenizerFast"], scheduler=["diffusers", "UniPCMultistepScheduler"])
    add(s, "transformer", part("WanTransformer3DModel", num_attention_heads=12, ffn_dim=8960, num_layers=30), max=10 * GB)
    add(s, "vae", part("AutoencoderKLWan"))
    return add(s, "text_encoder", part("UMT5EncoderModel", "BF16", **T5_XXL | dict(vocab_size=256384)), max=5 * GB)


@specimen
def pipeline_ltx_video():
    s = pipeline("pipeline-ltx-video", "LTXPipeline", transformer=["diffusers", "LTXVideoTransformer3DModel"],
                 vae=["diffusers", "AutoencoderKLLTXVideo"], text_encoder=["transformers", "T5EncoderModel"],
                 tokenizer=["transformers", "T5TokenizerFast"], scheduler=["diffusers", "FlowMatchEulerDiscreteScheduler"])
    add(s, "transformer", part("LTXVideoTransformer3DModel", "BF16"))
    add(s, "vae", part("AutoencoderKLLTXVideo", "BF16"))
    return add(s, "text_encoder", part("T5EncoderModel", "BF16", **T5_XXL), max=5 * GB)


@specimen
def pipeline_qwen_image():
    s = pipeline("pipeline-qwen-image", "QwenImagePipeline", transformer=["diffusers", "QwenImageTransformer2DModel"],
                 vae=["diffusers", "AutoencoderKLQwenImage"], text_encoder=["transformers", "Qwen2_5_VLForConditionalGeneration"],
                 tokenizer=["transformers", "Qwen2Tokenizer"], scheduler=["diffusers", "FlowMatchEulerDiscreteScheduler"])
    add(s, "transformer", part("QwenImageTransformer2DModel", "BF16"), max=5 * GB)
    cls, sizes, _ = healthy_models.MODELS["qwen2.5-vl-7b"]
    add(s, "text_encoder", part(cls, "BF16", **sizes), max=5 * GB)
    return add(s, "vae", part("AutoencoderKLQwenImage", "BF16"))


def one(name, cls, dtype="BF16", loaders="diffusers", max=10 * GB, **sizes):
    """A repository of one model of diffusers, without a pipeline."""
    def make():
        s = Specimen(name, source=f"diffusers {diffusers.__version__} {cls}", loaders=loaders)
        tensors, config = part(cls, dtype, **sizes)
        return s.json("config.json", config).weights("diffusion_pytorch_model.safetensors", tensors, max=max)
    SPECIMENS[name] = make


one("controlnet-canny-sd15", "ControlNetModel", "F32", cross_attention_dim=768)
one("controlnet-flux-union", "FluxControlNetModel", num_layers=5, num_single_layers=0, guidance_embeds=True, num_mode=10)
one("t2i-adapter-sdxl", "T2IAdapter", "F32", adapter_type="full_adapter_xl", in_channels=3, channels=[320, 640, 1280, 1280])
one("vae-ft-mse", "AutoencoderKL", "F32", **VAE)
one("vae-sdxl-fp16-fix", "AutoencoderKL", "F16", **VAE)
one("taesd", "AutoencoderTiny", "F32")
one("vae-dc-sana", "AutoencoderDC")
one("transformer-sana", "SanaTransformer2DModel")
one("transformer-hunyuan-video", "HunyuanVideoTransformer3DModel")
one("transformer-cogvideox", "CogVideoXTransformer3DModel")
one("transformer-mochi", "MochiTransformer3DModel")
one("transformer-auraflow", "AuraFlowTransformer2DModel")
one("transformer-lumina2", "Lumina2Transformer2DModel")
one("transformer-cogview4", "CogView4Transformer2DModel")
one("transformer-chroma", "ChromaTransformer2DModel")
