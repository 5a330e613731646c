"""The programs that names_witnesses.py asks: functions that get a model of transformers without data, and the shapes of the
tensors that it saves. They return the names that the program reads, or raise Absent or Differs."""

import collections
import functools
import importlib
import importlib.machinery
import os
import re
import sys
import types

import names_collect as collect
import torch


class Absent(Exception):
    """The program does not have the architecture."""


class Differs(Exception):
    """The program expects other tensors."""


# What published configurations have, and those of newer versions of transformers lack.
PUBLISHED = {"position_embedding_type": "absolute", "normalize_before": False, "normalize_embedding": True,
             "extra_pos_embeddings": 2, "scale_embedding": False, "rope_scaling": None, "rope_theta": 10000.0}


AS_PUBLISHED = {
    "apertus": {"mlp_bias": False, "post_norm": False, "qk_norm": True},
    "deepseek_v2": {"rope_scaling": {"type": "yarn", "factor": 40, "mscale": 0.7, "mscale_all_dim": 0.7}},
    "exaone4": {"sliding_window_pattern": "LLLG"},
    "glm4": {"partial_rotary_factor": 0.5},
    "glm4_moe": {"partial_rotary_factor": 0.5},
    "gpt_neox": {"rotary_emb_base": 10000, "rotary_pct": 0.25},
    "lfm2": {"block_dim": 2560},
    "mamba2": {"intermediate_size": 8192},
    "minimax_m2": {"shared_intermediate_size": 0, "rotary_dim": 64},
    "olmo3": {"rope_theta": 500000.0},
    "qwen3_next": {"partial_rotary_factor": 0.25},
    "stablelm": {"partial_rotary_factor": 0.25},
}


def dictionary(config, saved):
    """Returns the configuration as published files have it."""
    tied = not any(n.endswith(("lm_head.weight", "embed_out.weight", "output.weight")) for n in saved)
    c = config.to_dict()
    parts = [(c, config), *((v, getattr(config, k)) for k, v in c.items() if isinstance(v, dict))]
    for part, of in parts:
        rope = part.get("rope_parameters")
        if isinstance(rope, dict) and "rope_theta" in rope:
            part.setdefault("rope_theta", rope["rope_theta"])
            if rope.get("rope_type", "default") == "default":
                part.setdefault("rope_scaling", None)
        for new, old in getattr(of, "attribute_map", {}).items():
            for a, b in (new, old), (old, new):
                if a in part:
                    part.setdefault(b, part[a])
        if "n_positions" in part:
            part.setdefault("n_ctx", part["n_positions"])
        if "vocab_size" in part:
            part["tie_word_embeddings"] = tied
        if part.get("model_type") == c["model_type"] + "_vision":
            part["model_type"] = c["model_type"]
        heads, size = part.get("num_attention_heads"), part.get("hidden_size")
        if isinstance(heads, int) and isinstance(size, int) and not part.get("head_dim"):
            part["head_dim"] = size // heads
    for name, value in [*(c.get("text_config") or {}).items(), *AS_PUBLISHED.get(c["model_type"], {}).items()]:
        if c.get(name) is None:
            c[name] = value
    c["tie_word_embeddings"] = tied
    return c


def arrays(shapes):
    import mlx.core as mx

    return {n: mx.zeros(s) for n, s in shapes.items()}


def taken(make, saved):
    """Returns the saved tensors that a model of MLX reads. What its program makes of them must be what the model has. Make
    returns a new model, and the function that prepares tensors for it."""
    from mlx.utils import tree_flatten

    model, sanitize = make()
    got = {n: tuple(t.shape) for n, t in sanitize(arrays(saved)).items()}  # this may tie the head
    have = {n: tuple(t.shape) for n, t in tree_flatten(model.parameters())}
    if have.keys() != got.keys():
        raise Differs(f"lacks {sorted(have.keys() - got.keys())[:4]}, does not know {sorted(got.keys() - have.keys())[:4]}")
    if wrong := [n for n in have if have[n] != got[n]]:
        raise Differs(f"{wrong[0]} is {have[wrong[0]]}, not {got[wrong[0]]}")
    groups, read = collections.defaultdict(dict), set(saved)
    for name in saved:
        groups[".".join(name.split(".")[:2])][name] = saved[name]
    for group in groups.values() if len(groups) > 1 else ():
        try:
            if make()[1](arrays({n: s for n, s in saved.items() if n not in group})).keys() == have.keys():
                read -= group.keys()  # the program drops them
        except (KeyError, ValueError):
            pass
    return read


def mlx_lm(kind, config, model, saved):
    from mlx_lm import utils

    c = dictionary(config, saved)
    try:
        cls, args = utils._get_classes(c)
    except ValueError as e:
        raise Absent from e

    def make():
        model = cls(args.from_dict(dict(c)))
        return model, getattr(model, "sanitize", dict)

    return taken(make, saved)


def mlx_vlm(kind, config, model, saved):
    from mlx_vlm import utils

    c = dictionary(config, saved)
    try:
        module, _ = utils.get_model_and_args(c)
    except (ValueError, ImportError) as e:
        raise Absent from e
    c.setdefault("text_config", {})
    c.setdefault("vision_config", {})
    c.setdefault("audio_config", {})
    parts = ["text", "vision", "perceiver", "projector", "audio"]

    def make():
        model = module.Model(utils.update_module_configs(module.ModelConfig.from_dict(dict(c)), module, c, parts))

        def sanitize(weights):
            weights = utils.sanitize_weights(model, weights)
            for name, of in ("VisionModel", "vision_config"), ("LanguageModel", "text_config"), ("AudioModel", "audio_config"):
                part, of = getattr(module, name, None), getattr(model.config, of, None)
                if part and of is not None and hasattr(part, "sanitize"):
                    weights = utils.sanitize_weights(part, weights, of)
            return weights

        return model, sanitize

    return taken(make, saved)


@functools.cache
def gguf_maps():
    from gguf import MODEL_ARCH, get_tensor_name_map

    return {str(a.name).lower(): get_tensor_name_map(a, 8) for a in MODEL_ARCH}


GGUF = {"dt": "dt_proj.bias", "correction": "correction.bias"}


def gguf(kind, config, model, saved):
    """The names of the architecture of the package that knows most of them."""
    best = set()
    for m in gguf_maps().values():
        known = set()
        for name in saved:
            merged = re.sub(r"\.experts\.\d+\.", ".experts.", name)
            merged = re.sub(r"(dt|correction)_bias$", lambda m: GGUF[m[1]], merged)  # as the converter renames them
            for n in merged, merged.split(".", 1)[-1], "model." + merged:
                if m.get_name(n, try_suffixes=(".weight", ".bias")):
                    known.add(name)
                    break
        best = max(best, known, key=len)
    if len(best) < len(saved) / 2:
        raise Absent
    return best


class Readings:
    """Records which parameters are read from a model, under all their names."""

    def __init__(self, model):
        self.names, self.read = {}, set()
        for name, p in [*model.named_parameters(remove_duplicate=False), *model.named_buffers(remove_duplicate=False)]:
            self.names.setdefault(id(p), []).append(name)

    def __enter__(self):
        self.original = torch.nn.Module.__getattr__

        def get(module, name):
            value = self.original(module, name)
            if id(value) in self.names:
                self.read.update(self.names[id(value)])
            return value

        torch.nn.Module.__getattr__ = get
        return self

    def __exit__(self, *_):
        torch.nn.Module.__getattr__ = self.original


def ctranslate2(kind, config, model, saved):
    from ctranslate2.converters import transformers as converters

    import transformers

    for name, value in PUBLISHED.items():
        if not hasattr(config, name):
            setattr(config, name, value)
    loader = converters._MODEL_LOADERS.get(type(config).__name__)
    if loader is None:
        raise Absent
    cls = getattr(transformers, loader.architecture_name)
    if loader.architecture_name.startswith("AutoModel"):
        cls = type(model)
    made = collect.build(cls, config).to_empty(device="cpu").float()  # the converter removes modules that it has read
    made.tie_weights()
    with Readings(made) as r:
        loader.get_model_spec(made)
    return saved_as(made, r.read, saved)


def saved_as(model, names, saved):
    """Returns the names under which tensors of a model in memory are saved."""
    from transformers.core_model_loading import revert_weight_conversion

    result = set()
    for name in names:
        try:
            found = revert_weight_conversion(model, {name: model.get_parameter(name).to("meta")})
        except Exception:
            found = {name}
        for prefix in "", model.base_model_prefix + ".":
            result |= {prefix + n for n in found if prefix + n in saved}
    return result


class Unneeded:
    """Finds empty modules for packages that transformer-lens imports and its adapters do not need."""

    names = "wandb", "datasets", "transformers_stream_generator"

    @classmethod
    def install(cls):
        if not any(isinstance(f, cls) for f in sys.meta_path):
            sys.meta_path.append(cls())

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in self.names:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = types.ModuleType(spec.name)
        module.__getattr__ = lambda name: type(name, (), {}) if name[0] != "_" else self.absent(name)
        return module

    @staticmethod
    def absent(name):
        raise AttributeError(name)

    def exec_module(self, module):
        pass


def transformer_lens(kind, config, model, saved):
    Unneeded.install()
    from transformer_lens.factories.architecture_adapter_factory import SUPPORTED_ARCHITECTURES
    from transformer_lens.model_bridge.sources._bridge_builder import build_bridge_config_from_hf

    architecture = type(model).__name__
    if architecture not in SUPPORTED_ARCHITECTURES:
        raise Absent
    config.architectures = [architecture]
    c = build_bridge_config_from_hf(config, architecture, kind, torch.float32)
    adapter = SUPPORTED_ARCHITECTURES[architecture](c)
    adapter.prepare_model(model)
    named = set()

    def walk(components, prefix):
        for part in components.values():
            path = ".".join(x for x in (prefix, part.name) if x)
            if getattr(part, "is_list_item", False):
                try:
                    numbers = range(len(model.get_submodule(path)))
                except AttributeError:
                    numbers = ()
                for i in numbers:
                    walk(part.submodules, f"{path}.{i}")
            else:
                walk(part.submodules, path)
            named.add(path)

    walk(adapter.component_mapping, "")
    read = {n for n, _ in model.named_parameters(remove_duplicate=False) if n.rpartition(".")[0] in named or n in named}
    return saved_as(model, read, saved)


class Requested:
    """Stands for the files of a checkpoint, and records which tensors are requested."""

    def __init__(self, saved):
        self.saved, self.names, self.prefix = saved, set(), ""

    def get_tensor(self, name):
        import numpy

        full = next((n for n in (name, self.prefix + name) if n in self.saved), None)
        if full is None:
            full = next((n for n in self.saved if n.endswith("." + name)), None)
            if full is None:
                raise Differs(f"requests {name}")
            self.prefix = full.removesuffix(name)
        self.names.add(full)
        return numpy.zeros(self.saved[full], "float32")

    def port_weight(self, keras_variable, hf_weight_key, hook_fn=None):
        tensor = self.get_tensor(hf_weight_key)
        tensor = hook_fn(tensor, list(keras_variable.shape)) if hook_fn else tensor
        if tuple(tensor.shape) != tuple(keras_variable.shape):
            raise Differs(f"{hf_weight_key} has the shape {tensor.shape}, not {tuple(keras_variable.shape)}")


def keras_hub(kind, config, model, saved):
    os.environ["KERAS_BACKEND"] = "torch"
    from keras_hub.src.utils.transformers import preset_loader

    c = dictionary(config, saved)
    try:
        converter = preset_loader.TransformersPresetLoader("", c).converter
    except ValueError as e:
        raise Absent from e
    files = Requested(saved)
    backbone = converter.backbone_cls(**converter.convert_backbone_config(c))
    converter.convert_weights(backbone, files, c)
    return files.names


def curated_transformers(kind, config, model, saved):
    from curated_transformers import models

    made = next((m for m in vars(models).values() if isinstance(m, type) and hasattr(m, "is_supported") and
                 m.is_supported({"model_type": kind})), None)
    if made is None:
        raise Absent
    mine = made.from_hf_config(hf_config=dictionary(config, saved), device=torch.device("meta"))
    have = {n: tuple(t.shape) for n, t in mine.state_dict().items()}
    known = set()
    for name in saved:
        for own in made.state_dict_from_hf({name: 0}):
            if own in have:
                known.add(name)
                del have[own]
    if have:
        raise Differs(f"lacks {sorted(have)[:4]}")
    return known


# The quick ones first.
PROGRAMS = {"gguf": gguf, "mlx-lm": mlx_lm, "mlx-vlm": mlx_vlm, "curated-transformers": curated_transformers,
            "transformer-lens": transformer_lens, "ctranslate2": ctranslate2, "keras-hub": keras_hub}
