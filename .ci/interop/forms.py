"""Compares `weigh edit --names` with the converters of other projects: names, shapes and values, in both directions.

    python forms.py --weigh PROGRAM --work FOLDER [--seed N] [diffusers] [megatron] [mistral] [mlx]

Small models of random values are made by the classes of diffusers and transformers. What weigh makes of them is given to
the converter of the other project, which must return the model. Then weigh must restore it, byte for byte.
Exits with code 1 if anything differs. A converter that cannot be imported is skipped, and reported.
"""

import argparse
import inspect
import json
import pathlib
import shutil
import subprocess
import sys
import warnings

warnings.simplefilter("ignore")
try:
    import torch
    from safetensors.torch import load_file, save_file
except ImportError as e:
    print(f"forms: skipped: {e}")
    sys.exit(0)

UNET = {"block_out_channels": (32, 64, 64, 64), "layers_per_block": 2, "cross_attention_dim": 16,
        "attention_head_dim": 8, "sample_size": 8}
SD2 = UNET | {"use_linear_projection": True, "attention_head_dim": (4, 8, 8, 8)}
XL = {"block_out_channels": (32, 64, 64), "down_block_types": ("DownBlock2D", *["CrossAttnDownBlock2D"] * 2),
      "up_block_types": ("CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"), "layers_per_block": 2,
      "transformer_layers_per_block": [1, 2, 3], "attention_head_dim": [4, 8, 8], "cross_attention_dim": 16,
      "addition_embed_type": "text_time", "addition_time_embed_dim": 8, "use_linear_projection": True,
      "projection_class_embeddings_input_dim": 64, "sample_size": 8}
VAE = {"block_out_channels": (32, 32, 64, 64), "layers_per_block": 2, "sample_size": 8,
       "down_block_types": ("DownEncoderBlock2D",) * 4, "up_block_types": ("UpDecoderBlock2D",) * 4}
FLUX = {"num_layers": 2, "num_single_layers": 2, "attention_head_dim": 16, "num_attention_heads": 2,
        "joint_attention_dim": 32, "pooled_projection_dim": 32, "axes_dims_rope": (4, 6, 6), "in_channels": 16}
SD3 = {"num_layers": 3, "attention_head_dim": 8, "num_attention_heads": 4, "caption_projection_dim": 32, "in_channels": 4,
       "joint_attention_dim": 32, "pooled_projection_dim": 32, "pos_embed_max_size": 8, "sample_size": 8,
       "qk_norm": "rms_norm", "dual_attention_layers": (0,)}
FLUX2 = {"num_layers": 2, "num_single_layers": 2, "attention_head_dim": 16, "num_attention_heads": 2,
         "joint_attention_dim": 32, "axes_dims_rope": (4, 4, 4, 4), "in_channels": 16}
CHROMA = {"num_layers": 2, "num_single_layers": 2, "attention_head_dim": 16, "num_attention_heads": 2,
          "joint_attention_dim": 32, "axes_dims_rope": (4, 6, 6), "in_channels": 16, "approximator_num_channels": 16,
          "approximator_hidden_dim": 32, "approximator_layers": 2}
CLIP = {"hidden_size": 1280, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2,
        "vocab_size": 99, "projection_dim": 1280}


class Comparison:
    def __init__(self, weigh, work):
        self.weigh, self.work, self.wrong, self.done = weigh, work, [], 0

    def edit(self, source, target, form):
        run = subprocess.run([self.weigh, "edit", source, "-o", target, "--names", form, "-q"], capture_output=True, text=True)
        if run.returncode:
            raise AssertionError(f"weigh edit --names {form}: exit {run.returncode}: {run.stderr.strip()}")
        return {k: v for f in sorted(pathlib.Path(target).glob("*.safetensors")) for k, v in load_file(f).items()}

    def compare(self, name, model, there, back, convert, config=None, stem="model"):
        """Checks that convert turns what weigh makes of a model into the model, and weigh, too."""
        source, made, again = (self.work / name / part for part in ("source", "made", "again"))
        shutil.rmtree(self.work / name, ignore_errors=True)
        source.mkdir(parents=True)
        save_file(model, source / f"{stem}.safetensors", metadata={"format": "pt"})
        if config is not None:
            (source / "config.json").write_text(json.dumps(config))
        try:
            equal(model, convert(self.edit(source, made, there)), "the converter")
            equal(model, self.edit(made, again, back), "weigh")
            if (source / f"{stem}.safetensors").read_bytes() != (again / f"{stem}.safetensors").read_bytes():
                raise AssertionError("the file that went there and back has other bytes")
            self.done += 1
        except Exception as e:
            self.wrong.append(f"{name}: {e}")


def equal(want, got, who):
    missing, extra = sorted(want.keys() - got.keys()), sorted(got.keys() - want.keys())
    if missing or extra:
        raise AssertionError(f"{who} lacks {missing[:3]} ({len(missing)}) and has {extra[:3]} ({len(extra)})")
    for k, v in want.items():
        if v.shape != got[k].shape or v.dtype != got[k].dtype or not torch.equal(v, got[k]):
            raise AssertionError(f"{who} has other values for {k}, {list(v.shape)} and {list(got[k].shape)}")


def values(model):
    """Returns the tensors of a model, with random values everywhere: norms are all ones when they are made."""
    return {k: torch.randn_like(v) if v.is_floating_point() else v for k, v in model.state_dict().items()}


def diffusers(c):
    from diffusers import (AutoencoderKL, ChromaTransformer2DModel, Flux2Transformer2DModel, FluxTransformer2DModel,
                           SD3Transformer2DModel, UNet2DConditionModel)
    from diffusers.loaders import single_file_utils as s
    from transformers import CLIPTextConfig, CLIPTextModelWithProjection

    for name, config in ("sd1", UNET), ("sd2", SD2), ("sdxl", XL):
        model = UNet2DConditionModel(**config)
        c.compare(name, values(model), "checkpoint", "diffusers",
                  lambda t: s.convert_ldm_unet_checkpoint(t, model.config), stem="diffusion_pytorch_model")
    model = AutoencoderKL(**VAE)
    c.compare("vae", values(model), "checkpoint", "diffusers", lambda t: s.convert_ldm_vae_checkpoint(t, model.config),
              stem="diffusion_pytorch_model")
    # The converter has the width of the published model in it, with which a block would take a gigabyte.
    for function in s.convert_flux_transformer_checkpoint_to_diffusers, s.convert_chroma_transformer_checkpoint_to_diffusers:
        exec(inspect.getsource(function).replace("inner_dim = 3072", "inner_dim = 32"), s.__dict__)
    for guidance in True, False:
        c.compare(f"flux-{guidance}", values(FluxTransformer2DModel(guidance_embeds=guidance, **FLUX)), "original", "diffusers",
                  s.convert_flux_transformer_checkpoint_to_diffusers, stem="diffusion_pytorch_model")
    s.get_caption_projection_dim = lambda checkpoint: SD3["caption_projection_dim"]
    for cls, config, convert in (
        (SD3Transformer2DModel, SD3, s.convert_sd3_transformer_checkpoint_to_diffusers),
        (Flux2Transformer2DModel, FLUX2, s.convert_flux2_transformer_checkpoint_to_diffusers),
        (ChromaTransformer2DModel, CHROMA, s.convert_chroma_transformer_checkpoint_to_diffusers),
    ):
        c.compare(cls.__name__, values(cls(**config)), "original", "diffusers", convert, stem="diffusion_pytorch_model")
    clip = CLIPTextModelWithProjection(CLIPTextConfig(**CLIP))
    c.compare("openclip", values(clip), "checkpoint", "transformers",
              lambda t: s.convert_open_clip_checkpoint(clip, t, prefix="conditioner.embedders.1.model."))


def small(config_class, model_class, **more):
    config = config_class(hidden_size=64, intermediate_size=96, num_hidden_layers=2, num_attention_heads=8,
                          num_key_value_heads=4, vocab_size=128, head_dim=8, tie_word_embeddings=False, **more)
    return config, values(model_class(config))


def mistral(c):
    """As vllm 0.33.0 reads Mistral's names: models/mistral.py, MistralForCausalLM.maybe_remap_mistral."""
    from transformers import MistralConfig, MistralForCausalLM

    words = {"layers": "model.layers", "attention": "self_attn", "wq": "q_proj", "wk": "k_proj", "wv": "v_proj",
             "wo": "o_proj", "attention_norm": "input_layernorm", "feed_forward": "mlp", "w1": "gate_proj",
             "w2": "down_proj", "w3": "up_proj", "ffn_norm": "post_attention_layernorm",
             "tok_embeddings": "model.embed_tokens", "output": "lm_head", "norm": "model.norm"}

    def convert(tensors):
        out = {}
        for k, v in tensors.items():
            for word, heads in ("wq", 8), ("wk", 4):
                if word in k:
                    v = v.view(heads, v.shape[0] // heads // 2, 2, v.shape[1]).transpose(1, 2).reshape(v.shape)
            out[".".join(words.get(part, part) for part in k.split("."))] = v
        return out

    config, model = small(MistralConfig, MistralForCausalLM)
    for form in "mistral", "meta":
        c.compare(f"mistral-{form}", model, form, "transformers", convert, config.to_dict())


def megatron(c):
    """As megatron_core 0.19.2 takes apart what it has fused: attention.py, SelfAttention.get_query_key_value_tensors, and
    mlp.py, MLP.forward."""
    from transformers import LlamaConfig, LlamaForCausalLM, Qwen2Config, Qwen2ForCausalLM

    def convert(tensors):
        out = {}
        for k, v in tensors.items():
            k = k.replace("embedding.word_embeddings", "model.embed_tokens").replace("decoder.final_layernorm", "model.norm")
            k = k.replace("output_layer", "lm_head").replace("decoder.layers", "model.layers")
            k = k.replace("self_attention.linear_qkv.layer_norm_weight", "input_layernorm.weight")
            k = k.replace("mlp.linear_fc1.layer_norm_weight", "post_attention_layernorm.weight")
            k = k.replace("self_attention.linear_proj", "self_attn.o_proj").replace("mlp.linear_fc2", "mlp.down_proj")
            if "linear_qkv" in k:
                groups, queries, size = 4, 2, 8
                mixed = v.reshape(groups, (queries + 2) * size, *v.shape[1:])
                parts = torch.split(mixed, [queries * size, size, size], dim=1)
                for name, part in zip("qkv", parts):
                    out[k.replace("self_attention.linear_qkv", f"self_attn.{name}_proj")] = part.reshape(-1, *v.shape[1:])
            elif "linear_fc1" in k:
                for name, part in zip(("gate", "up"), torch.chunk(v, 2, dim=0)):
                    out[k.replace("linear_fc1", f"{name}_proj")] = part
            else:
                out[k] = v
        return out

    for name, classes in ("llama", (LlamaConfig, LlamaForCausalLM)), ("qwen2", (Qwen2Config, Qwen2ForCausalLM)):
        config, model = small(*classes)
        c.compare(f"megatron-{name}", model, "megatron", "transformers", convert, config.to_dict())


def mlx(c):
    """As mlx_lm sanitizes what transformers has saved. Its models are made, but not computed."""
    import importlib

    import mlx.core as mx
    import numpy
    import transformers

    tiny = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 8, "vocab_size": 128}
    moe = tiny | {"num_key_value_heads": 4, "moe_intermediate_size": 32, "num_experts": 4, "num_experts_per_tok": 2,
                  "shared_expert_intermediate_size": 32, "num_local_experts": 4, "tie_word_embeddings": False}
    for kind, config in {
        "mixtral": moe, "qwen2_moe": moe, "qwen3_moe": moe | {"head_dim": 8}, "olmoe": moe, "llama": moe,
        "mamba": {"hidden_size": 64, "num_hidden_layers": 2, "vocab_size": 128, "state_size": 8, "tie_word_embeddings": True},
        "gpt2": {"n_embd": 64, "n_layer": 2, "n_head": 4, "vocab_size": 128, "n_positions": 64},
        "gpt_neox": tiny | {"tie_word_embeddings": False},
        "qwen2": tiny | {"num_key_value_heads": 4, "tie_word_embeddings": False},
    }.items():
        try:
            reference = importlib.import_module(f"mlx_lm.models.{kind}")
            config = transformers.AutoConfig.for_model(kind, **config)
            model = transformers.AutoModelForCausalLM.from_config(config)
            saved = c.work / "saved"
            shutil.rmtree(saved, ignore_errors=True)
            model.load_state_dict(values(model))
            model.save_pretrained(saved)
            args = json.loads((saved / "config.json").read_text())
            # Members that version 5 of transformers names otherwise.
            args |= {"rope_theta": args.get("rope_parameters", {}).get("rope_theta", 10000.0),
                     "num_experts": args.get("num_experts", args.get("num_local_experts")), "n_ctx": 64,
                     "rotary_emb_base": 10000, "rotary_pct": 0.25}
            made = reference.Model(reference.ModelArgs.from_dict(args))
        except (ImportError, TypeError, ValueError) as e:
            print(f"forms: mlx {kind} skipped: {e}")
            continue
        tensors = load_file(saved / "model.safetensors")
        # It expects GPT-2 as it was published, without a prefix.
        sanitized = {k.removeprefix("transformer."): mx.array(v.numpy()) for k, v in tensors.items()}
        if hasattr(made, "sanitize"):
            sanitized = made.sanitize(sanitized)
        want = {k: torch.from_numpy(numpy.array(v)) for k, v in sanitized.items()}

        def convert(got):
            equal(want, got, "weigh, compared with mlx_lm,")
            return tensors

        c.compare(f"mlx-{kind}", tensors, "mlx", "transformers", convert, args)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weigh", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--seed", type=int)
    parser.add_argument("parts", nargs="*", default=["diffusers", "megatron", "mistral", "mlx"])
    args = parser.parse_args()
    seed = args.seed if args.seed is not None else torch.seed() % 2**31
    torch.manual_seed(seed)
    c = Comparison(args.weigh, args.work)
    for part in args.parts:
        try:
            globals()[part](c)
        except ImportError as e:
            print(f"forms: {part} skipped: {e}")
    for line in c.wrong:
        print(f"forms: {line}")
    print(f"forms: {c.done} models converted as the references do, and back; {len(c.wrong)} wrong; seed {seed}")
    sys.exit(len(c.wrong) > 0)


if __name__ == "__main__":
    main()
