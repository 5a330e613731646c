"""Lists which tensors the models of transformers and diffusers have, by building them without data.

    python names_collect.py transformers|diffusers OUT [TYPE...]

Writes JSON: for each type the class it was built of, its patterns with what is needed, the names in memory where others
are saved, embeddings and heads, and its classes.
"""

import collections
import functools
import json
import os
import re
import signal
import sys
import tempfile
import warnings

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_VERBOSITY"] = "critical"
warnings.simplefilter("ignore")
import torch

# The class of a type is the one with the first of these heads, otherwise any, and the model without a head last.
HEADS = ["PRETRAINING", "SEQ_TO_SEQ_CAUSAL_LM", "SPEECH_SEQ_2_SEQ", "IMAGE_TEXT_TO_TEXT", "MULTIMODAL_LM", "CAUSAL_LM",
         "MASKED_LM", "CTC", "ZERO_SHOT_IMAGE_CLASSIFICATION"]

# Classes of types for which that would not be the one with all tensors, and what their configurations need.
CLASSES = {"seamless_m4t_v2": "SeamlessM4Tv2Model", "clap": "ClapModel", "flava": "FlavaModel"}
ARGUMENTS = {
    "aya_vision": {"vision_config": {"num_attention_heads": 16}},
    "chameleon": {"vocabulary_map": {"<image>": 1}},
    "dots1": {"n_routed_experts": 4, "n_shared_experts": 2},
    "esm": {"vocab_size": 33, "pad_token_id": 1},
    "gemma3": {"vision_config": {"image_size": 896, "patch_size": 14}},
    "hunyuan_v1_dense": {"head_dim": 128}, "hunyuan_v1_moe": {"head_dim": 128}, "ministral": {"head_dim": 128},
    "lfm2_moe": {"num_hidden_layers": 4, "layer_types": ["conv", "full_attention"] * 2},
    "nemotron": {"num_key_value_heads": 8},
}

# Attributes of configurations that make models large, and sizes that show all kinds of tensors.
EXPERTS = ["num_experts", "n_routed_experts", "num_local_experts", "moe_num_experts", "n_experts"]
LAYERS = ["num_hidden_layers", "num_layers", "n_layer", "n_layers", "encoder_layers", "decoder_layers", "depth"]
PLACES = "nmlk"

# What makes models of diffusers like the published ones, if the defaults do not. A slash begins the name of a variant.
VAE = {"block_out_channels": (128, 256, 512, 512), "layers_per_block": 2,
       "down_block_types": ("DownEncoderBlock2D",) * 4, "up_block_types": ("UpDecoderBlock2D",) * 4}
XL = {"block_out_channels": (320, 640, 1280), "down_block_types": ("DownBlock2D", *["CrossAttnDownBlock2D"] * 2),
      "transformer_layers_per_block": [1, 2, 10], "attention_head_dim": [5, 10, 20], "cross_attention_dim": 2048,
      "addition_embed_type": "text_time", "addition_time_embed_dim": 256, "use_linear_projection": True,
      "projection_class_embeddings_input_dim": 2816}
PRESETS = {
    "AutoencoderKL": [VAE, VAE | {"use_quant_conv": False, "use_post_quant_conv": False}],
    "AutoencoderKLWan": [{}, {"is_residual": True}],
    "ControlNetModel": [{}, XL],
    "ControlNetUnionModel": [XL | {"num_control_type": 6}],
    "FluxControlNetModel": [{}, {"guidance_embeds": True}, {"num_mode": 10}],
    "FluxTransformer2DModel": [{"guidance_embeds": True}, {}],
    "HiDreamImageTransformer2DModel": [{"in_channels": 16, "patch_size": 2, "num_layers": 2, "num_single_layers": 2,
                                        "caption_channels": [4096, 4096], "text_emb_dim": 2048, "num_routed_experts": 4,
                                        "num_activated_experts": 2, "llama_layers": [0, 1, 2, 3],
                                        "axes_dims_rope": (64, 32, 32), "max_resolution": (128, 128)}],
    "HunyuanDiT2DModel": [{"sample_size": 128, "patch_size": 2, "activation_fn": "gelu-approximate",
                           "cross_attention_dim": 1024, "in_channels": 4, "hidden_size": 1408, "num_layers": 4}],
    "LatteTransformer3DModel": [{"in_channels": 4, "sample_size": 64, "patch_size": 2, "num_layers": 2,
                                 "caption_channels": 4096, "norm_type": "ada_norm_single"}],
    "LuminaNextDiT2DModel": [{"sample_size": 128, "num_kv_heads": 8, "qk_norm": True, "in_channels": 4, "num_layers": 2}],
    "OmniGenTransformer2DModel": [{"rope_scaling": {"long_factor": [1.0] * 48, "short_factor": [1.0] * 48}}],
    "PixArtTransformer2DModel": [{}, {"caption_channels": 4096, "use_additional_conditions": True, "sample_size": 128}],
    "SD3Transformer2DModel": [{}, {"qk_norm": "rms_norm"}, {"qk_norm": "rms_norm", "dual_attention_layers": (0, 1, 2)}],
    "UNet2DConditionModel": [{}, {"use_linear_projection": True, "attention_head_dim": [5, 10, 20, 20]}],
    "UNet2DConditionModel/xl": [XL | {"up_block_types": (*["CrossAttnUpBlock2D"] * 2, "UpBlock2D")}],
    "WanTransformer3DModel": [{}, {"image_dim": 1280, "added_kv_proj_dim": 5120}],
}


class Slow(Exception):
    """A model takes too long."""


def patterns(names, model):
    """Returns the pattern of each name: numbers of a list of modules become {n}, {m}..., those of experts {x}."""
    lists, sequences = set(), set()
    for path, module in model.named_modules():
        last = path.rsplit(".", 1)[-1]
        kinds = [type(m) for m in module] if isinstance(module, torch.nn.ModuleList) else []
        if isinstance(module, torch.nn.Sequential) or torch.nn.Dropout in kinds:
            sequences.add(last)
        elif len(kinds) > 1 and len(set(kinds)) == len(kinds) and last not in ("layers", "blocks", "block", "h"):
            sequences.add(last)  # parts of a layer
        elif isinstance(module, torch.nn.ModuleList):
            lists.add(last)
    result = {}
    for name in names:
        words, places = name.split("."), iter(PLACES)
        for i, word in enumerate(words):
            before = words[i - 1] if i else ""
            if not word.isdigit():
                continue
            if before in ("experts", "mlp_experts") and "{n}" in words:
                words[i] = "{x}"
            elif before not in sequences and (before in lists or before not in ("", "weight")):
                words[i] = "{" + next(places) + "}"
        result[name] = ".".join(words)
    return result


def counted(names, patterned):
    """Returns how many names each pattern has, and for patterns with {n} in how many of the layers before it."""
    layers, whole = collections.defaultdict(set), collections.defaultdict(set)
    for name in names:
        p = patterned[name]
        if "{n}" in p:
            stack, number = p.split("{n}")[0], name.split(".")[p.split(".").index("{n}")]
            layers[p].add(number)
            whole[stack].add(number)
    return {p: len(layers[p]) == len(whole[p.split("{n}")[0]]) if "{n}" in p else True for p in set(patterned.values())}


def path_of(model, module):
    """Returns the name of a module's weight, or nothing."""
    for name, m in model.named_modules():
        if m is module:
            return name + ".weight"
    return ""


@functools.lru_cache(maxsize=1)
def converted(model):
    """Returns the tensors of a model under the names that version 4 saves, where these are not those in memory."""
    result = {}
    for name, tensor in model.state_dict(keep_vars=True).items():
        for saved, pattern in model._checkpoint_conversion_mapping.items():
            new, count = re.subn(pattern, re.sub(r"\(.*\)", "", saved.lstrip("^")), name)
            if count:
                name = new
                break
        result[name] = tensor
    return result


class Writer:
    """Saves models of transformers without data, and returns the names that would be in the file."""

    def __init__(self):
        from transformers import modeling_utils

        self.written = {}
        modeling_utils.safe_save_file = lambda tensors, *_, **__: self.written.update(tensors)
        if hasattr(modeling_utils, "revert_weight_conversion"):
            revert = modeling_utils.revert_weight_conversion

            def convert(model, state):
                # Parts of one tensor would be taken for the same tensor.
                return {n: torch.empty(t.shape, dtype=t.dtype, device="meta") for n, t in revert(model, state).items()}

            modeling_utils.revert_weight_conversion = convert
        else:
            import transformers

            def get(model, name, of=torch.nn.Module.get_parameter):
                for find in of, torch.nn.Module.get_buffer, lambda model, name: converted(model)[name]:
                    try:
                        return find(model, name)
                    except (AttributeError, KeyError):
                        pass
                raise AttributeError(name)

            transformers.PreTrainedModel.get_parameter = get

    def names(self, model):
        self.written.clear()
        with tempfile.TemporaryDirectory() as folder:
            model.save_pretrained(folder, max_shard_size="100000GB")
        return sorted(self.written)


def build(cls, config):
    with torch.device("meta"):
        model = cls(config)
    if hasattr(model, "tie_weights"):
        model.tie_weights()
    return model


def small(make, layers=False):
    """Returns the arguments that make a configuration with few experts, if it has them, and few layers."""
    default, args = make(), {}
    for part in ["", "text_config"]:
        c = getattr(default, part, None) if part else default
        if c is None:
            continue
        few = {a: 4 for a in EXPERTS if isinstance(getattr(c, a, None), int) and getattr(c, a) > 4}
        if layers:
            few |= {a: 2 for a in LAYERS if isinstance(getattr(c, a, None), int) and getattr(c, a) > 2}
        if few and part:
            args[part] = few
        else:
            args |= few
    return args


def first(*attempts):
    """Returns what the first attempt returns that does not fail."""
    error = None
    for attempt in attempts:
        try:
            return attempt()
        except Slow:
            raise
        except (Exception, SystemExit) as e:
            error = e
    raise error


def flags(config):
    """Returns the options of a configuration and of its language model that are true or false, as arguments."""
    for part in ["", "text_config"]:
        c = getattr(config, part, None) if part else config
        if c is None or not hasattr(c, "to_dict"):
            continue
        for name, value in c.to_dict().items():
            if isinstance(value, bool) and name not in ("return_dict", "output_hidden_states", "torchscript"):
                yield name, ({part: {name: not value}} if part else {name: not value})


def merged(a, b):
    return {k: (merged(a[k], b[k]) if isinstance(a.get(k), dict) and isinstance(b.get(k), dict) else b.get(k, a.get(k)))
            for k in {**a, **b}}


def transformers_types():
    import transformers
    from transformers.models.auto import modeling_auto
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

    found = collections.defaultdict(list)
    for name in dir(modeling_auto):
        m = re.fullmatch(r"(?:MODEL_FOR_(.*)|MODEL)_MAPPING_NAMES", name)
        for kind, classes in getattr(modeling_auto, name).items() if m else ():
            for c in classes if isinstance(classes, (tuple, list)) else [classes]:
                rank = HEADS.index(m[1]) if m[1] in HEADS else len(HEADS) + (m[1] is None)
                found[kind].append((rank, c))
    for kind, classes in found.items():
        ranked = [CLASSES[kind]] if kind in CLASSES else list(dict.fromkeys(c for _, c in sorted(classes)))
        make = getattr(transformers, CONFIG_MAPPING_NAMES[kind])
        yield kind, ranked, functools.partial(make, **ARGUMENTS[kind]) if kind in ARGUMENTS else make


def of_transformers(kind, classes, make, writer):
    import transformers

    args, error = small(make), None
    for name in classes:
        try:
            cls = getattr(transformers, name)
            config = first(lambda: make(**args), make)
            model = build(cls, config)
            saved = writer.names(model)
            break
        except Slow:
            raise
        except (Exception, SystemExit) as e:
            error = e
    else:
        raise error
    state = sorted(model.state_dict())
    buffers = {n for n, _ in model.named_buffers()}
    byname = patterns(set(saved) | set(state), model)
    everywhere = counted(saved, {n: byname[n] for n in saved})
    need = {p: "required" if e else "some" for p, e in everywhere.items()}
    need |= {byname[n]: "buffer" for n in saved if n in buffers}
    module = sorted({byname[n] for n in state})
    result = {"class": name, "need": need, "module": module}
    result["head"] = path_of(model, first(model.get_output_embeddings, lambda: None))
    result["embedding"] = path_of(model, first(model.get_input_embeddings, lambda: None))
    result["ties"] = bool(getattr(config.get_text_config(), "tie_word_embeddings", False))
    tied = {}
    keys = getattr(model, "_tied_weights_keys", None) or []
    for n in state:
        if any(re.search(k, n) for k in keys) and byname[n] not in need:
            tied[byname[n]] = "tied"
    if transformers.__version__ >= "5":
        vary(cls, make, args, config, need, tied, writer)
    renamed = [p for p in module if p not in need and p not in tied]
    for p in [p for p in tied if renamed and any(q != p and q.endswith("." + p) for q in tied)]:
        del tied[p]  # the name in memory
    for k in keys:
        for n, p in byname.items():
            if re.search(k, n) and need.get(p) == "required" and "{" not in p:
                need[p] = "tied"
    result["need"] = need | {p: "tied" for p in tied}
    result["classes"] = siblings(cls, make, config, writer)
    return result


def vary(cls, make, args, config, need, tied, writer):
    """Changes each option of the configuration. Patterns that not all these models have are needed by some only."""
    few = small(make, True)
    try:
        base = set(patterned(writer, build(cls, make(**few))))
    except Slow:
        raise
    except (Exception, SystemExit):
        few = args
        base = set(patterned(writer, build(cls, make(**few))))
    for name, change in flags(config):
        try:
            have = set(patterned(writer, build(cls, make(**merged(few, change)))))
        except Slow:
            return
        except (Exception, SystemExit):
            continue
        for p in base ^ have:
            if name == "tie_word_embeddings":
                if p not in need or need[p] == "required":
                    tied[p] = "tied"
            elif need.get(p) != "buffer" and p not in tied:
                need[p] = "some"


def patterned(writer, model):
    saved = writer.names(model)
    return patterns(saved, model).values()


def siblings(cls, make, config, writer):
    """Returns the prefix and the heads of each class of models with the same configuration, in the same module."""
    import inspect
    import transformers

    found, bodies = {}, {}
    few = small(make, True)
    for name, c in inspect.getmembers(sys.modules[cls.__module__], inspect.isclass):
        if not issubclass(c, transformers.PreTrainedModel) or getattr(c, "config_class", None) is not type(config):
            continue
        if not hasattr(transformers, name) or name.endswith("PreTrainedModel"):
            continue
        try:
            model = first(lambda: build(c, make(**few)), lambda: build(c, make()))
            bodies[name] = sorted(set(patterned(writer, model)))
        except Slow:
            break
        except (Exception, SystemExit):
            continue
        found[name] = c.base_model_prefix
    return {name: [found[name], kept] for name, kept in bodies.items()}


def of_diffusers(cls, presets):
    """Unites what the models of some configurations have."""
    needs = []
    for args in presets:
        with torch.device("meta"):
            model = cls(**args)
        state = sorted(model.state_dict())
        byname = patterns(state, model)
        need = {p: "required" if e else "some" for p, e in counted(state, byname).items()}
        needs.append(need | {byname[n]: "buffer" for n, _ in model.named_buffers() if n in byname})
    need = {p: ({n[p] for n in needs if p in n} | {"some" for n in needs if p not in n}) for n in needs for p in n}
    need = {p: next(iter(kinds)) if len(kinds) == 1 else "some" for p, kinds in need.items()}
    return {"class": cls.__name__, "need": need, "module": sorted(need), "embedding": "", "head": "", "ties": False,
            "classes": {}}


def diffusers_types():
    import diffusers

    for name in dir(diffusers):
        cls = getattr(diffusers, name)
        if isinstance(cls, type) and issubclass(cls, diffusers.ModelMixin) and "Multi" not in name:
            for kind in [name, *[k for k in PRESETS if k.startswith(name + "/")]]:
                yield kind, cls, PRESETS.get(kind, [{}])


def main():
    library, out, only = sys.argv[1], sys.argv[2], sys.argv[3:]
    signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(Slow()))
    result, failed = {}, {}
    if library == "transformers":
        import transformers

        transformers.logging.disable_progress_bar()
        writer, version = Writer(), transformers.__version__
        todo = [(k, lambda k=k, c=c, m=m: of_transformers(k, c, m, writer)) for k, c, m in transformers_types()]
    else:
        import diffusers

        version = diffusers.__version__
        todo = [(k, lambda c=c, p=p: of_diffusers(c, p)) for k, c, p in diffusers_types()]
    for kind, of in sorted(todo, key=lambda x: x[0]):
        if only and kind not in only:
            continue
        try:
            signal.setitimer(signal.ITIMER_REAL, 90)
            result[kind] = of()
        except (Exception, SystemExit) as e:
            failed[kind] = f"{type(e).__name__}: {str(e)[:100]}"
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        print(kind, failed.get(kind, "ok"), flush=True)
    with open(out, "w") as f:
        json.dump({"library": library, "version": version, "types": result, "failed": failed}, f, indent=1)


if __name__ == "__main__":
    main()
