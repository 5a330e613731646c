"""Builds models of diffusers, transformers, sd_mecha and spandrel without data, and asks weigh id what they are.

    python identity.py --weigh PROGRAM --work FOLDER [--seconds N] [--seed N] [--all] [--write FOLDER]

Each specimen is the names and shapes of a published configuration, by the classes of another project. weigh has to name
its kind, family and versions. --write FOLDER writes all specimens as text for the tests of package model/identity,
without biases and with one line for tensors that differ only in a number.

Without --all, specimens are taken in random order until the time is over. Exits with code 1 if weigh is wrong.
"""

import argparse
import collections
import inspect
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import time
import warnings

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_VERBOSITY"] = "critical"
warnings.simplefilter("ignore")
try:
    import diffusers
    import torch
    import transformers
except ImportError as e:
    print(f"identity: skipped: {e}")
    sys.exit(0)

SPECIMENS = {}


def specimen(name, want, make, config=None):
    SPECIMENS[name] = (want, make, config)


def meta(cls, *args, **options):
    """Returns a function that returns the names and shapes of a model of a class."""
    def make():
        with torch.device("meta"):
            return {n: list(t.shape) for n, t in cls(*args, **options).state_dict().items()}
    return make


def below(prefix, make):
    return lambda: {prefix + n: s for n, s in make().items()}


def together(*makes):
    return lambda: {n: s for make in makes for n, s in make().items()}


def diffusion():
    D = diffusers
    unet = D.UNet2DConditionModel
    xl = dict(block_out_channels=(320, 640, 1280), down_block_types=("DownBlock2D",) + ("CrossAttnDownBlock2D",) * 2,
              up_block_types=("CrossAttnUpBlock2D",) * 2 + ("UpBlock2D",), cross_attention_dim=2048,
              addition_embed_type="text_time", addition_time_embed_dim=256, projection_class_embeddings_input_dim=2816,
              use_linear_projection=True, attention_head_dim=[5, 10, 20])
    layers = {"transformer_layers_per_block": [1, 2, 10]}
    sd1, sd2 = dict(cross_attention_dim=768), dict(cross_attention_dim=1024, use_linear_projection=True,
                                                   attention_head_dim=[5, 10, 20, 20])
    m = "diffusion model"
    specimen("sd1", (m, "Stable Diffusion 1", "1.x"), meta(unet, **sd1))
    specimen("sd1-inpaint", (m, "Stable Diffusion 1", "1.x inpaint"), meta(unet, in_channels=9, **sd1))
    specimen("sd1-ip2p", (m, "Stable Diffusion 1", "1.x InstructPix2Pix"), meta(unet, in_channels=8, **sd1))
    specimen("sd2", (m, "Stable Diffusion 2", "2.0 or 2.1"), meta(unet, **sd2))
    specimen("sd2-inpaint", (m, "Stable Diffusion 2", "2 inpaint"), meta(unet, in_channels=9, **sd2))
    specimen("sd2-depth", (m, "Stable Diffusion 2", "2 depth"), meta(unet, in_channels=5, **sd2))
    specimen("sd2-unclip", (m, "Stable Diffusion 2", "2.1 unCLIP ViT-H"),
             meta(unet, class_embed_type="projection", projection_class_embeddings_input_dim=2048, **sd2))
    specimen("sd-x4", (m, "Stable Diffusion 2", "x4 upscaler"), meta(
        unet, in_channels=7, block_out_channels=(256, 512, 512, 1024), num_class_embeds=1000, attention_head_dim=8,
        down_block_types=("DownBlock2D",) + ("CrossAttnDownBlock2D",) * 3, use_linear_projection=True,
        up_block_types=("CrossAttnUpBlock2D",) * 3 + ("UpBlock2D",), cross_attention_dim=1024,
        only_cross_attention=(True, True, True, False)))
    specimen("marigold", (m, "Marigold", "depth or normals or Lotus G"), meta(unet, in_channels=8, **sd2))
    specimen("sdxl", (m, "Stable Diffusion XL", "base"), meta(unet, **xl, **layers))
    specimen("sdxl-inpaint", (m, "Stable Diffusion XL", "inpaint"), meta(unet, in_channels=9, **xl, **layers))
    specimen("sdxl-refiner", (m, "Stable Diffusion XL", "refiner"), meta(
        unet, block_out_channels=(384, 768, 1536, 1536), transformer_layers_per_block=4, cross_attention_dim=1280,
        down_block_types=("DownBlock2D",) + ("CrossAttnDownBlock2D",) * 2 + ("DownBlock2D",),
        up_block_types=("UpBlock2D",) + ("CrossAttnUpBlock2D",) * 2 + ("UpBlock2D",), addition_embed_type="text_time",
        addition_time_embed_dim=256, projection_class_embeddings_input_dim=2560, use_linear_projection=True,
        attention_head_dim=[6, 12, 24, 24]))
    specimen("ssd-1b", (m, "SSD-1B", "1B"), meta(
        unet, mid_block_type="UNetMidBlock2D", transformer_layers_per_block=[1, [2, 2], [4, 4]],
        reverse_transformer_layers_per_block=[[4, 4, 10], [2, 1, 1], 1], **xl))
    specimen("segmind-vega", (m, "Segmind Vega", "1.0"), meta(
        unet, mid_block_type="UNetMidBlock2D", transformer_layers_per_block=[1, [1, 1], [2, 2]],
        reverse_transformer_layers_per_block=[[2, 2, 2], [1, 1, 1], 1], **xl))
    specimen("koala-700m", (m, "KOALA", "700M"), meta(
        unet, mid_block_type=None, layers_per_block=1, transformer_layers_per_block=[1, 2, 5], **xl))
    specimen("koala-1b", (m, "KOALA", "1B"), meta(
        unet, layers_per_block=1, transformer_layers_per_block=[1, 2, 6], **xl))
    specimen("kolors", (m, "Kolors", "1.0"), meta(
        unet, encoder_hid_dim=4096, encoder_hid_dim_type="text_proj", **{**xl, "projection_class_embeddings_input_dim": 5632},
        **layers))
    specimen("svd", (m, "Stable Video Diffusion", "img2vid or img2vid-xt"), meta(D.UNetSpatioTemporalConditionModel))
    specimen("text2video", (m, "ModelScope text-to-video", ""), meta(D.UNet3DConditionModel))
    specimen("i2vgen-xl", (m, "I2VGen-XL", "1.0"), meta(D.I2VGenXLUNet))
    specimen("ddpm", (m, "unconditional UNet", ""), meta(D.UNet2DModel))
    specimen("kandinsky-3", (m, "Kandinsky 3", "3.0"), meta(D.Kandinsky3UNet))
    specimen("kandinsky-2.2", (m, "Kandinsky 2", "2.2"), meta(
        unet, block_out_channels=(384, 768, 1152, 1536), out_channels=8, cross_attention_dim=768, attention_head_dim=64,
        down_block_types=("ResnetDownsampleBlock2D",) + ("SimpleCrossAttnDownBlock2D",) * 3, layers_per_block=3,
        up_block_types=("SimpleCrossAttnUpBlock2D",) * 3 + ("ResnetUpsampleBlock2D",), addition_embed_type="image",
        mid_block_type="UNetMidBlock2DSimpleCrossAttn", resnet_time_scale_shift="scale_shift", encoder_hid_dim=1280,
        encoder_hid_dim_type="image_proj"))
    specimen("prior-2.1", (m, "Kandinsky 2", "2.1 prior"), meta(D.PriorTransformer))
    specimen("prior-2.2", (m, "Kandinsky 2", "2.2 prior"), meta(D.PriorTransformer, embedding_dim=1280))
    cascade = D.StableCascadeUNet
    specimen("cascade-c", (m, "Stable Cascade", "stage C"), meta(
        cascade, in_channels=16, out_channels=16, conditioning_dim=2048, block_out_channels=(2048, 2048),
        num_attention_heads=(32, 32), down_num_layers_per_block=(8, 24), up_num_layers_per_block=(24, 8),
        down_blocks_repeat_mappers=(1, 1), up_blocks_repeat_mappers=(1, 1), clip_text_in_channels=1280,
        clip_text_pooled_in_channels=1280, clip_image_in_channels=768, switch_level=[False]))
    specimen("cascade-b", (m, "Stable Cascade", "stage B"), meta(
        cascade, in_channels=4, out_channels=4, conditioning_dim=1280, patch_size=2,
        block_out_channels=(320, 640, 1280, 1280), num_attention_heads=(0, 0, 20, 20), down_num_layers_per_block=(2, 6, 28, 6),
        up_num_layers_per_block=(6, 28, 6, 2), down_blocks_repeat_mappers=(1, 1, 1, 1),
        up_blocks_repeat_mappers=(3, 3, 2, 2), effnet_in_channels=16, pixel_mapper_in_channels=3,
        dropout=(0, 0, 0.1, 0.1), timestep_conditioning_type=("sca",), clip_text_pooled_in_channels=1280, clip_seq=4, switch_level=None,
        block_types_per_layer=(("SDCascadeResBlock", "SDCascadeTimestepBlock"),) * 2 +
        (("SDCascadeResBlock", "SDCascadeTimestepBlock", "SDCascadeAttnBlock"),) * 2))
    flux = D.FluxTransformer2DModel
    dev = "dev or Kontext dev or Krea dev"
    specimen("flux-schnell", (m, "Flux", "schnell"), meta(flux))
    specimen("flux-dev", (m, "Flux", dev), meta(flux, guidance_embeds=True))
    specimen("flux-fill", (m, "Flux", "Fill dev"), meta(flux, guidance_embeds=True, in_channels=384, out_channels=64))
    specimen("flux-control", (m, "Flux", "Canny dev or Depth dev"),
             meta(flux, guidance_embeds=True, in_channels=128, out_channels=64))
    flux2 = D.Flux2Transformer2DModel
    specimen("flux2-dev", (m, "Flux.2", "dev"), meta(flux2))
    specimen("flux2-klein-4b", (m, "Flux.2", "klein 4B"), meta(
        flux2, num_layers=5, num_single_layers=20, num_attention_heads=24, joint_attention_dim=7680, guidance_embeds=False))
    specimen("flux2-klein-9b", (m, "Flux.2", "klein 9B"), meta(
        flux2, num_layers=8, num_single_layers=24, num_attention_heads=32, joint_attention_dim=12288, guidance_embeds=False))
    sd3 = D.SD3Transformer2DModel
    big = dict(pooled_projection_dim=2048, joint_attention_dim=4096)
    specimen("sd3-medium", (m, "Stable Diffusion 3", "3.0 medium"), meta(
        sd3, num_layers=24, num_attention_heads=24, caption_projection_dim=1536, pos_embed_max_size=192, **big))
    specimen("sd3.5-medium", (m, "Stable Diffusion 3", "3.5 medium"), meta(
        sd3, num_layers=24, num_attention_heads=24, caption_projection_dim=1536, pos_embed_max_size=384,
        qk_norm="rms_norm", dual_attention_layers=tuple(range(13)), **big))
    specimen("sd3.5-large", (m, "Stable Diffusion 3", "3.5 large or 3.5 large turbo"), meta(
        sd3, num_layers=38, num_attention_heads=38, caption_projection_dim=2432, pos_embed_max_size=192,
        qk_norm="rms_norm", **big))
    wan = D.WanTransformer3DModel
    size14, size13 = dict(num_attention_heads=40, ffn_dim=13824, num_layers=40), dict(num_attention_heads=12, ffn_dim=8960, num_layers=30)
    image = dict(image_dim=1280, added_kv_proj_dim=5120)
    specimen("wan-t2v-1.3b", (m, "Wan", "2.1 t2v 1.3B"), meta(wan, **size13))
    specimen("wan-t2v-14b", (m, "Wan", "2.1 t2v 14B or 2.2 t2v A14B"), meta(wan, **size14))
    specimen("wan-2.1-i2v-14b", (m, "Wan", "2.1 i2v 14B"), meta(wan, in_channels=36, out_channels=16, **image, **size14))
    specimen("wan-2.1-flf2v", (m, "Wan", "2.1 flf2v 14B"),
             meta(wan, in_channels=36, out_channels=16, pos_embed_seq_len=514, **image, **size14))
    specimen("wan-2.2-i2v", (m, "Wan", "2.2 i2v A14B"), meta(wan, in_channels=36, out_channels=16, **size14))
    specimen("wan-2.2-ti2v", (m, "Wan", "2.2 ti2v 5B"), meta(
        wan, in_channels=48, out_channels=48, num_attention_heads=24, ffn_dim=14336, num_layers=30))
    specimen("wan-vace-14b", (m, "Wan", "2.1 VACE 14B"), meta(D.WanVACETransformer3DModel))
    specimen("wan-animate", (m, "Wan", "2.2 Animate 14B"), meta(D.WanAnimateTransformer3DModel))
    specimen("skyreels-2", (m, "SkyReels", "2"), meta(D.SkyReelsV2Transformer3DModel))
    ltx = D.LTXVideoTransformer3DModel
    specimen("ltx-2b", (m, "LTX-Video", "2B 0.9 to 0.9.8"), meta(ltx))
    specimen("ltx-13b", (m, "LTX-Video", "13B 0.9.7 or 13B 0.9.8"), meta(
        ltx, num_attention_heads=32, attention_head_dim=128, num_layers=48, cross_attention_dim=4096))
    specimen("ltx-2", (m, "LTX-2", "19B"), meta(D.LTX2VideoTransformer3DModel))
    hunyuan = D.HunyuanVideoTransformer3DModel
    specimen("hunyuan-video", (m, "HunyuanVideo", "t2v or i2v with a reference token"), meta(hunyuan))
    specimen("hunyuan-video-i2v", (m, "HunyuanVideo", "i2v"),
             meta(hunyuan, in_channels=33, out_channels=16, guidance_embeds=False))
    specimen("skyreels-1", (m, "SkyReels", "1 i2v"), meta(hunyuan, in_channels=32, out_channels=16))
    specimen("hunyuan-video-1.5", (m, "HunyuanVideo", "1.5"), meta(D.HunyuanVideo15Transformer3DModel))
    specimen("framepack", (m, "FramePack", "i2v HY"), meta(
        D.HunyuanVideoFramepackTransformer3DModel, has_clean_x_embedder=True, has_image_proj=True, image_proj_dim=1152))
    specimen("hunyuan-image", (m, "HunyuanImage", "2.1"), meta(D.HunyuanImageTransformer2DModel))
    dit = dict(num_attention_heads=16, attention_head_dim=88, in_channels=4, patch_size=2, activation_fn="gelu-approximate",
               hidden_size=1408, sample_size=128, mlp_ratio=4.3637, num_layers=40, cross_attention_dim=1024)
    specimen("hunyuan-dit-1.1", (m, "Hunyuan-DiT", "1.0 or 1.1"), meta(D.HunyuanDiT2DModel, use_style_cond_and_image_meta_size=True, **dit))
    specimen("hunyuan-dit-1.2", (m, "Hunyuan-DiT", "1.2"), meta(D.HunyuanDiT2DModel, use_style_cond_and_image_meta_size=False, **dit))
    qwen = D.QwenImageTransformer2DModel
    specimen("qwen-image", (m, "Qwen-Image", "1 or Edit or Edit 2509 or Edit Plus"), meta(qwen))
    pixart = dict(num_layers=28, caption_channels=4096, cross_attention_dim=1152)
    specimen("pixart-alpha", (m, "PixArt", "Alpha 1024"), meta(D.PixArtTransformer2DModel, sample_size=128, **pixart))
    specimen("pixart-sigma", (m, "PixArt", "Sigma or Alpha 512"),
             meta(D.PixArtTransformer2DModel, sample_size=128, use_additional_conditions=False, **pixart))
    specimen("auraflow-0.2", (m, "AuraFlow", "0.1 or 0.2 or 0.3"), meta(D.AuraFlowTransformer2DModel))
    specimen("auraflow-0.3", (m, "AuraFlow", "0.3"), meta(D.AuraFlowTransformer2DModel, pos_embed_max_size=9216))
    specimen("lumina-2", (m, "Lumina", "Image 2.0"), meta(D.Lumina2Transformer2DModel, cap_feat_dim=2304))
    specimen("lumina-next", (m, "Lumina", "Next"), meta(D.LuminaNextDiT2DModel, cross_attention_dim=2048, num_kv_heads=8))
    specimen("z-image", (m, "Z-Image", "Turbo or Base"), meta(D.ZImageTransformer2DModel))
    specimen("hidream", (m, "HiDream", "I1 Full or I1 Dev or I1 Fast or E1"), meta(
        D.HiDreamImageTransformer2DModel, patch_size=2, in_channels=16, num_layers=16, num_single_layers=32,
        caption_channels=[4096, 4096], llama_layers=list(range(48)), max_resolution=(128, 128)))
    specimen("chroma", (m, "Chroma", "1"), meta(D.ChromaTransformer2DModel))
    cosmos = D.CosmosTransformer3DModel
    specimen("cosmos-1-7b", (m, "Cosmos", "1.0 Text2World 7B"), meta(cosmos))
    specimen("cosmos-1-v2w-14b", (m, "Cosmos", "1.0 Video2World 14B"),
             meta(cosmos, in_channels=17, out_channels=16, num_attention_heads=40, num_layers=36))
    specimen("cosmos-2-2b", (m, "Cosmos", "Predict2 Text2Image 2B"), meta(
        cosmos, num_attention_heads=16, num_layers=28, extra_pos_embed_type=None))
    specimen("cosmos-2-v2w-14b", (m, "Cosmos", "Predict2 Video2World 14B"), meta(
        cosmos, in_channels=17, out_channels=16, num_attention_heads=40, num_layers=36, extra_pos_embed_type=None))
    cog = D.CogVideoXTransformer3DModel
    five = dict(num_attention_heads=48, num_layers=42, use_rotary_positional_embeddings=True)
    specimen("cogvideox-2b", (m, "CogVideoX", "2B"), meta(cog))
    specimen("cogvideox-5b", (m, "CogVideoX", "5B"), meta(cog, **five))
    specimen("cogvideox-5b-i2v", (m, "CogVideoX", "5B I2V"), meta(cog, in_channels=32, **five))
    specimen("cogvideox-1.5", (m, "CogVideoX", "1.5 5B"), meta(cog, patch_size_t=2, **five))
    specimen("cogview-3-plus", (m, "CogView", "3 Plus"), meta(D.CogView3PlusTransformer2DModel))
    specimen("cogview-4", (m, "CogView", "4"), meta(D.CogView4Transformer2DModel, num_layers=28))
    specimen("mochi", (m, "Mochi", "1 preview"), meta(D.MochiTransformer3DModel))
    sana = D.SanaTransformer2DModel
    specimen("sana-1.6b", (m, "Sana", "1.6B"), meta(sana))
    specimen("sana-0.6b", (m, "Sana", "0.6B"), meta(
        sana, num_attention_heads=36, attention_head_dim=32, num_layers=28, num_cross_attention_heads=16,
        cross_attention_head_dim=72, cross_attention_dim=1152))
    specimen("sana-4.8b", (m, "Sana", "1.5 4.8B"), meta(sana, num_layers=60))
    specimen("stable-audio", (m, "Stable Audio", "Open 1.0"), meta(D.StableAudioDiTModel))
    specimen("allegro", (m, "Allegro", ""), meta(D.AllegroTransformer3DModel))
    specimen("amused", (m, "aMUSEd", ""), meta(D.UVit2DModel))
    specimen("dit", (m, "DiT", "XL/2"), meta(D.DiTTransformer2DModel))
    specimen("bria", (m, "Bria", "3.2"), meta(D.BriaTransformer2DModel))
    specimen("bria-fibo", (m, "Bria FIBO", "1"), meta(D.BriaFiboTransformer2DModel))
    specimen("ovis-image", (m, "Ovis-Image", "7B"), meta(D.OvisImageTransformer2DModel))
    specimen("longcat-image", (m, "LongCat-Image", ""), meta(D.LongCatImageTransformer2DModel))
    specimen("kandinsky-5", (m, "Kandinsky 5", "Lite 2B"), meta(
        D.Kandinsky5Transformer3DModel, model_dim=1792, ff_dim=7168, num_text_blocks=2, num_visual_blocks=32))
    specimen("animatediff", (m, "AnimateDiff", ""), meta(D.UNetMotionModel))
    specimen("krea-2", (m, "Krea 2", ""), meta(D.Krea2Transformer2DModel))
    specimen("ernie-image", (m, "ERNIE-Image", ""), meta(D.ErnieImageTransformer2DModel))
    specimen("ace-step-1.5", (m, "ACE-Step", "1.5"), meta(D.AceStepTransformer1DModel))


def autoencoders():
    D = diffusers
    kl = dict(block_out_channels=(128, 256, 512, 512), down_block_types=("DownEncoderBlock2D",) * 4,
              up_block_types=("UpDecoderBlock2D",) * 4, layers_per_block=2)
    both = "Stable Diffusion 1 and 2 or Stable Diffusion XL"
    specimen("vae-4", ("VAE", "AutoencoderKL", both), meta(D.AutoencoderKL, **kl))
    specimen("vae-sd1", ("VAE", "AutoencoderKL", "Stable Diffusion 1 and 2"), meta(D.AutoencoderKL, **kl),
             {"_class_name": "AutoencoderKL", "scaling_factor": 0.18215})
    specimen("vae-sdxl", ("VAE", "AutoencoderKL", "Stable Diffusion XL"), meta(D.AutoencoderKL, **kl),
             {"_class_name": "AutoencoderKL", "scaling_factor": 0.13025})
    bare = dict(latent_channels=16, use_quant_conv=False, use_post_quant_conv=False)
    specimen("vae-16", ("VAE", "AutoencoderKL", "Stable Diffusion 3 or Flux.1"), meta(D.AutoencoderKL, **bare, **kl))
    specimen("vae-flux", ("VAE", "AutoencoderKL", "Flux.1"), meta(D.AutoencoderKL, **bare, **kl),
             {"_class_name": "AutoencoderKL", "scaling_factor": 0.3611})
    specimen("vae-x4", ("VAE", "AutoencoderKL", "Stable Diffusion x4 upscaler"), meta(D.AutoencoderKL, **{
        **kl, "block_out_channels": (128, 256, 512), "down_block_types": ("DownEncoderBlock2D",) * 3,
        "up_block_types": ("UpDecoderBlock2D",) * 3}))
    for name, cls, family, version in [
            ("vae-flux2", "AutoencoderKLFlux2", "AutoencoderKL", "Flux.2"),
            ("vae-asymmetric", "AsymmetricAutoencoderKL", "Asymmetric AutoencoderKL", ""),
            ("vae-temporal", "AutoencoderKLTemporalDecoder", "AutoencoderKL with temporal decoder", "Stable Video Diffusion"),
            ("vqgan", "VQModel", "VQ-GAN", ""),
            ("taesd", "AutoencoderTiny", "TAESD", both),
            ("wan-vae", "AutoencoderKLWan", "Wan VAE", "Wan 2.1 or Qwen-Image"),
            ("ltx-vae", "AutoencoderKLLTXVideo", "LTX VAE", "LTX-Video"),
            ("ltx-2-vae", "AutoencoderKLLTX2Video", "LTX VAE", "LTX-2"),
            ("ltx-2-audio-vae", "AutoencoderKLLTX2Audio", "LTX audio VAE", "LTX-2"),
            ("hunyuan-video-vae", "AutoencoderKLHunyuanVideo", "HunyuanVideo VAE", "HunyuanVideo"),
            ("hunyuan-video-1.5-vae", "AutoencoderKLHunyuanVideo15", "HunyuanVideo VAE", "HunyuanVideo 1.5 or HunyuanImage refiner"),
            ("mochi-vae", "AutoencoderKLMochi", "Mochi VAE", "Mochi 1 preview"),
            ("cosmos-vae", "AutoencoderKLCosmos", "Cosmos tokenizer", ""),
            ("cogvideox-vae", "AutoencoderKLCogVideoX", "CogVideoX VAE", "CogVideoX"),
            ("allegro-vae", "AutoencoderKLAllegro", "Allegro VAE", "Allegro"),
            ("magvit-vae", "AutoencoderKLMagvit", "Magvit VAE", "EasyAnimate"),
            ("dc-ae", "AutoencoderDC", "DC-AE", ""),
            ("oobleck", "AutoencoderOobleck", "Oobleck", "Stable Audio"),
            ("consistency-decoder", "ConsistencyDecoderVAE", "Consistency decoder", "DALL-E 3"),
            ("qwen-image-2.1-vae", "AutoencoderKLQwenImage21", "Qwen-Image VAE", "Qwen-Image 2.1")]:
        specimen(name, ("VAE", family, version), meta(getattr(D, cls)))
    specimen("taesd3", ("VAE", "TAESD", "Stable Diffusion 3 or Flux.1"), meta(D.AutoencoderTiny, latent_channels=16))
    specimen("wan-vae-config", ("VAE", "Wan VAE", "Wan 2.1"), meta(D.AutoencoderKLWan), {"_class_name": "AutoencoderKLWan"})
    specimen("qwen-image-vae", ("VAE", "Wan VAE", "Qwen-Image"), meta(D.AutoencoderKLQwenImage), {"_class_name": "AutoencoderKLQwenImage"})
    specimen("wan-2.2-vae", ("VAE", "Wan VAE", "Wan 2.2"), meta(
        D.AutoencoderKLWan, base_dim=160, decoder_base_dim=256, z_dim=48, in_channels=12, out_channels=12,
        is_residual=True, patch_size=2))
    specimen("movq", ("VAE", "MoVQ", "Kandinsky 2 or Kandinsky 3"), meta(
        D.VQModel, block_out_channels=(128, 256, 256, 512), norm_type="spatial", num_vq_embeddings=16384, vq_embed_dim=4,
        latent_channels=4, layers_per_block=2, up_block_types=("AttnUpDecoderBlock2D",) + ("UpDecoderBlock2D",) * 3,
        down_block_types=("DownEncoderBlock2D",) * 3 + ("AttnDownEncoderBlock2D",)))


def controls():
    D = diffusers
    xl = dict(block_out_channels=(320, 640, 1280), down_block_types=("DownBlock2D",) + ("CrossAttnDownBlock2D",) * 2,
              cross_attention_dim=2048, addition_embed_type="text_time", addition_time_embed_dim=256,
              projection_class_embeddings_input_dim=2816, use_linear_projection=True, attention_head_dim=[5, 10, 20],
              transformer_layers_per_block=[1, 2, 10])
    c = "ControlNet"
    specimen("controlnet-sd1", (c, "Stable Diffusion 1", ""), meta(D.ControlNetModel, cross_attention_dim=768))
    specimen("controlnet-sd2", (c, "Stable Diffusion 2", ""), meta(
        D.ControlNetModel, cross_attention_dim=1024, use_linear_projection=True, attention_head_dim=[5, 10, 20, 20]))
    specimen("controlnet-sdxl", (c, "Stable Diffusion XL", ""), meta(D.ControlNetModel, **xl))
    specimen("controlnet-union", (c, "Stable Diffusion XL", "Union or ProMax"), meta(D.ControlNetUnionModel, **xl))
    for name, cls, family, version in [
            ("controlnet-flux", "FluxControlNetModel", "Flux", ""), ("controlnet-sd3", "SD3ControlNetModel", "Stable Diffusion 3", ""),
            ("controlnet-qwen-image", "QwenImageControlNetModel", "Qwen-Image", ""), ("controlnet-sana", "SanaControlNetModel", "Sana", ""),
            ("controlnet-cosmos", "CosmosControlNetModel", "Cosmos", ""), ("sparse-controlnet", "SparseControlNetModel", "AnimateDiff", "SparseCtrl"),
            ("controlnet-xs", "ControlNetXSAdapter", "Stable Diffusion", "ControlNet-XS")]:
        specimen(name, (c, family, version), meta(getattr(D, cls)))
    specimen("t2i-adapter-sd1", ("T2I adapter", "Stable Diffusion 1", ""), meta(D.T2IAdapter))
    specimen("t2i-adapter-sdxl", ("T2I adapter", "Stable Diffusion XL", ""),
             meta(D.T2IAdapter, channels=[320, 640, 1280, 1280], downscale_factor=16, adapter_type="full_adapter_xl"))
    specimen("motion-v2", ("motion module", "AnimateDiff for Stable Diffusion 1", "2"), meta(D.MotionAdapter))
    specimen("motion-v1", ("motion module", "AnimateDiff for Stable Diffusion 1", "1 or 3"),
             meta(D.MotionAdapter, use_motion_mid_block=False))
    specimen("motion-sdxl", ("motion module", "AnimateDiff for Stable Diffusion XL", "beta"),
             meta(D.MotionAdapter, block_out_channels=(320, 640, 1280), use_motion_mid_block=False))


def transformer(cls, config, **sizes):
    T = transformers
    return meta(getattr(T, cls), getattr(T, config)(**sizes))


def encoders():
    t = "text encoder"
    for name, version, h, n, ff, heads in [
            ("clip-l", "ViT-L/14", 768, 12, 3072, 12), ("clip-h", "OpenCLIP ViT-H/14", 1024, 23, 4096, 16),
            ("clip-g", "OpenCLIP ViT-bigG/14", 1280, 32, 5120, 20), ("clip-b", "ViT-B", 512, 12, 2048, 8)]:
        specimen(name, (t, "CLIP", version), transformer(
            "CLIPTextModel", "CLIPTextConfig", hidden_size=h, num_hidden_layers=n, intermediate_size=ff, num_attention_heads=heads))
    for name, version, h, n, ff, p in [
            ("clip-vision-l", "ViT-L/14", 1024, 24, 4096, 14), ("clip-vision-h", "ViT-H/14", 1280, 32, 5120, 14),
            ("clip-vision-g", "ViT-bigG/14", 1664, 48, 8192, 14), ("clip-vision-b", "ViT-B", 768, 12, 3072, 32)]:
        specimen(name, ("vision encoder", "CLIP", version), transformer(
            "CLIPVisionModel", "CLIPVisionConfig", hidden_size=h, num_hidden_layers=n, intermediate_size=ff, patch_size=p,
            num_attention_heads=h // 64 if h % 104 else 16))
    specimen("clip", ("CLIP", "CLIP", "ViT-B"), transformer("CLIPModel", "CLIPConfig"))
    specimen("siglip-vision", ("vision encoder", "SigLIP", "so400m"), transformer(
        "SiglipVisionModel", "SiglipVisionConfig", hidden_size=1152, num_hidden_layers=27, intermediate_size=4304,
        num_attention_heads=16, patch_size=14, image_size=384))
    specimen("siglip", ("CLIP", "SigLIP", ""), transformer("SiglipModel", "SiglipConfig"))
    specimen("dinov2", ("vision encoder", "DINOv2", ""), transformer("Dinov2Model", "Dinov2Config"))
    for name, family, version, cls, config, sizes in [
            ("t5-xxl", "T5", "1.1 XXL", "T5EncoderModel", "T5Config", dict(d_model=4096, d_kv=64, d_ff=10240, num_layers=24, num_heads=64, feed_forward_proj="gated-gelu")),
            ("t5-xl", "T5", "1.1 XL", "T5EncoderModel", "T5Config", dict(d_model=2048, d_kv=64, d_ff=5120, num_layers=24, num_heads=32, feed_forward_proj="gated-gelu")),
            ("t5-base", "T5", "base", "T5EncoderModel", "T5Config", dict(d_model=768, d_kv=64, d_ff=3072, num_layers=12, num_heads=12)),
            ("umt5-xxl", "UMT5", "XXL", "UMT5EncoderModel", "UMT5Config", dict(d_model=4096, d_kv=64, d_ff=10240, num_layers=24, num_heads=64, vocab_size=256384)),
            ("byt5-small", "ByT5", "small", "T5EncoderModel", "T5Config", dict(d_model=1472, d_kv=64, d_ff=3584, num_layers=12, num_heads=6, vocab_size=384, feed_forward_proj="gated-gelu"))]:
        specimen(name, (t, family, version), transformer(cls, config, **sizes))


def language():
    def model(name, want, cls, kind, **sizes):
        config = {"model_type": kind, "architectures": [cls], **sizes}
        t = transformers
        specimen(name, want, meta(getattr(t, cls), getattr(t, cls).config_class(**sizes)), config)
    l = "language model"
    def sizes(h, n, ff, heads, kv, v):
        return dict(hidden_size=h, num_hidden_layers=n, intermediate_size=ff, num_attention_heads=heads, num_key_value_heads=kv, vocab_size=v)
    model("llama-3-8b", (l, "Llama", "3 8B or 3.1 8B"), "LlamaForCausalLM", "llama", **sizes(4096, 32, 14336, 32, 8, 128256))
    model("llama-2-7b", (l, "Llama", "1 7B or 2 7B or Vicuna 7B"), "LlamaForCausalLM", "llama", **sizes(4096, 32, 11008, 32, 32, 32000))
    model("llama-toy", (l, "Llama", ""), "LlamaForCausalLM", "llama", **sizes(64, 2, 128, 4, 2, 100))
    model("mistral-7b", (l, "Mistral", "7B 0.3"), "MistralForCausalLM", "mistral", **sizes(4096, 32, 14336, 32, 8, 32768))
    model("qwen2-7b", (l, "Qwen 2", "2 7B or 2.5 7B"), "Qwen2ForCausalLM", "qwen2", **sizes(3584, 28, 18944, 28, 4, 152064))
    model("qwen3-4b", (l, "Qwen 3", "4B"), "Qwen3ForCausalLM", "qwen3", **sizes(2560, 36, 9728, 32, 8, 151936))
    model("gemma2-2b", (l, "Gemma 2", "2B"), "Gemma2ForCausalLM", "gemma2", **sizes(2304, 26, 9216, 8, 4, 256000))
    model("gemma3-1b", (l, "Gemma 3", "1B"), "Gemma3ForCausalLM", "gemma3_text", **sizes(1152, 26, 6912, 4, 1, 262144))
    model("phi-3-mini", (l, "Phi 3", "3 mini or 3.5 mini"), "Phi3ForCausalLM", "phi3", **sizes(3072, 32, 8192, 32, 32, 32064))
    model("gpt2", (l, "GPT-2", "124M"), "GPT2LMHeadModel", "gpt2", n_embd=768, n_layer=12, n_head=12, vocab_size=50257)
    model("reranker", ("classifier", "XLM-RoBERTa", "base"), "XLMRobertaForSequenceClassification", "xlm-roberta",
          hidden_size=768, num_hidden_layers=12, vocab_size=250002)
    model("bert", (t := "text encoder", "BERT", "base"), "BertModel", "bert", hidden_size=768, num_hidden_layers=12, vocab_size=30522)
    model("whisper-tiny", ("speech model", "Whisper", "tiny"), "WhisperForConditionalGeneration", "whisper",
          d_model=384, encoder_layers=4, decoder_layers=4, encoder_attention_heads=6, decoder_attention_heads=6)
    model("wav2vec2", ("speech model", "Wav2Vec2", ""), "Wav2Vec2ForCTC", "wav2vec2")
    model("t5-lm", (l, "T5", "small"), "T5ForConditionalGeneration", "t5", d_model=512, num_layers=6, num_heads=8, d_ff=2048)


def single_files():
    """Names and shapes of single files, by the model configurations of sd_mecha."""
    try:
        import yaml
        folder = pathlib.Path(__import__("sd_mecha").__file__).parent / "extensions/builtin/model_configs"
    except ImportError:
        return
    def read(name):
        def make():
            found = {}
            for component in yaml.safe_load((folder / name).read_text())["components"].values():
                for key, value in component.items():
                    if isinstance(value, dict):
                        for k, v in value.items():
                            shape = v.get("shape") if isinstance(v, dict) else v[0] if isinstance(v[0], list) else v
                            found[k] = shape
            return found
        return make
    for file, name, want in [
            ("sd1-ldm.yaml", "single-sd1", ("checkpoint", "Stable Diffusion 1", "1.x")),
            ("sdxl-sgm.yaml", "single-sdxl", ("checkpoint", "Stable Diffusion XL", "base")),
            ("sd3-comfyui.yaml", "single-sd3", ("checkpoint", "Stable Diffusion 3", "3.0 medium")),
            ("flux-flux.yaml", "single-flux", ("checkpoint", "Flux", "dev or Kontext dev or Krea dev"))]:
        if (folder / file).exists():
            specimen(name, want, read(file))


def upscalers():
    try:
        import spandrel.architectures as A
    except ImportError:
        return
    def arch(module, cls, **options):
        def make():  # some need data
            c = getattr(__import__(f"spandrel.architectures.{module}", fromlist=[cls]), cls)
            return {n: list(t.shape) for n, t in c(**options).state_dict().items()}
        return make
    u = "upscaler"
    specimen("esrgan", (u, "ESRGAN", ""), arch("ESRGAN", "ESRGAN"))
    specimen("compact", (u, "Real-ESRGAN Compact", ""), arch("Compact", "Compact"))
    for name in "SwinIR", "Swin2SR":
        specimen(name.lower(), (u, name, ""), arch(name, name, window_size=8))
    for name, family in [("HAT", "HAT"), ("DAT", "DAT"), ("ATD", "ATD"), ("RGT", "RGT"),
                         ("DRCT", "DRCT"), ("OmniSR", "OmniSR"), ("GRL", "GRL"), ("CRAFT", "CRAFT"), ("RCAN", "RCAN"),
                         ("MoSR", "MoSR")]:
        specimen(name.lower(), (u, family, ""), arch(name, name))
    for name, family in [("NAFNet", "NAFNet"), ("SCUNet", "SCUNet"), ("DRUNet", "DRUNet"), ("FBCNN", "FBCNN")]:
        specimen(name.lower(), ("restorer", family, ""), arch(name, name))
    specimen("realcugan", (u, "Real-CUGAN", ""), arch("RealCUGAN", "UpCunet2x"))
    specimen("span", (u, "SPAN", ""), arch("SPAN", "SPAN", num_in_ch=3, num_out_ch=3))
    specimen("safmn", (u, "SAFMN", ""), arch("SAFMN", "SAFMN", dim=36))
    specimen("plksr", (u, "PLKSR", ""), arch("PLKSR", "PLKSR"))


def folded(tensors):
    """Returns lines for tensors without biases. Tensors that differ in numbers have one line if they are all there."""
    items = collections.OrderedDict()
    for n, shape in tensors.items():
        if not n.endswith(".bias") or n[:-4] + "weight" not in tensors:
            items[tuple((int(w),) if w.isdigit() else w for w in n.split(".")), tuple(shape)] = None
    most = max((len(words) for words, _ in items), default=0)
    for at in range(1, most + 1):  # the last number first
        groups = collections.OrderedDict()
        for words, shape in items:
            own = len(words) - at
            if own < 0 or isinstance(words[own], str):
                groups[words, shape] = None
                continue
            key = words[:own] + ("#",) + words[own + 1:], shape
            groups.setdefault(key, []).extend(words[own])
        items = collections.OrderedDict()
        for (words, shape), numbers in groups.items():
            if numbers is not None:
                words = tuple(tuple(sorted(numbers)) if w == "#" else w for w in words)
            items[words, shape] = None
    for words, shape in items:
        yield ".".join(w if isinstance(w, str) else runs(w) for w in words) + f" {list(shape)}"


def runs(numbers):
    """Returns numbers as text, such as 7 or {0-3,8}."""
    found = []
    for k in numbers:
        if found and k == found[-1][1] + 1:
            found[-1][1] = k
        else:
            found.append([k, k])
    text = ",".join(f"{a}-{b}" if a < b else str(a) for a, b in found)
    return text if len(numbers) == 1 else "{" + text + "}"


def write_text(folder, name, want, tensors, config, source):
    lines = [f"source: {source}", f"want: {' | '.join(want)}"]
    if config:
        lines.append("config: " + json.dumps(config))
    (folder / f"{name}.txt").write_text("\n".join(lines + [""] + list(folded(tensors))) + "\n")


def source(name):
    if name.startswith("single-"):
        return "sd_mecha 1.1.8"
    for f, text in SOURCES:
        if name in f:
            return text


def write_file(folder, tensors, config):
    """Writes a file of zeros with holes."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    header, at = {}, 0
    for n, shape in tensors.items():
        size = 2
        for d in shape:
            size *= d
        header[n] = {"dtype": "F16", "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(folder / "model.safetensors", "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        f.truncate(8 + len(text) + at)
    if config:
        (folder / "config.json").write_text(json.dumps(config))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--weigh")
    p.add_argument("--work", type=pathlib.Path)
    p.add_argument("--seconds", type=float, default=60)
    p.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    p.add_argument("--all", action="store_true")
    p.add_argument("--write", type=pathlib.Path)
    p.add_argument("--only", default="")
    o = p.parse_args()
    for fill, text in [(diffusion, f"diffusers {diffusers.__version__}"), (autoencoders, f"diffusers {diffusers.__version__}"),
                       (controls, f"diffusers {diffusers.__version__}"), (encoders, f"transformers {transformers.__version__}"),
                       (language, f"transformers {transformers.__version__}"), (single_files, ""), (upscalers, "spandrel 0.4.2")]:
        before = set(SPECIMENS)
        fill()
        SOURCES.append((set(SPECIMENS) - before, text))
    names = [n for n in SPECIMENS if re.search(o.only, n)]
    random.Random(o.seed).shuffle(names)
    end, wrong, done = time.monotonic() + o.seconds, 0, 0
    for name in names:
        if time.monotonic() > end and not o.all and not o.write:
            break
        want, make, config = SPECIMENS[name]
        try:
            tensors = make()
        except Exception as e:
            print(f"identity: {name} cannot be built: {type(e).__name__}: {str(e)[:150]}")
            continue
        done += 1
        if o.write:
            write_text(o.write, name, want, tensors, config, source(name))
            continue
        folder = o.work / name
        write_file(folder, tensors, config)
        r = subprocess.run([o.weigh, "id", "--json", folder], capture_output=True, text=True)
        try:
            one = json.loads(r.stdout)["models"][0]
            got = (one["kind"], one["family"], " or ".join(one["versions"]))
        except (ValueError, IndexError):
            got = r.stderr.strip()
        if got != want:
            wrong += 1
            print(f"identity: {name} is {want}, but weigh says {got}")
        shutil.rmtree(folder)
    print(f"identity: {done} of {len(SPECIMENS)} specimens, {wrong} wrong, seed {o.seed}")
    sys.exit(wrong > 0)


SOURCES = []
if __name__ == "__main__":
    main()
