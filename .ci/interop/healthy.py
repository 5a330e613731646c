"""Writes descriptions of healthy repositories, from the classes of transformers and published configurations.

    python healthy.py --write FOLDER [--only REGEXP]
    python healthy.py --compare FOLDER [--seconds N] [--seed N] [--all]

internal/specimen says what a description is. weigh must not complain about any of these repositories.
"""

import argparse
import importlib
import pathlib
import random
import re
import sys
import time

import healthy_habits as habits
import healthy_models
import healthy_save
import healthy_write
from healthy_write import Specimen


def short(config):
    """Drops keys that say nothing of tensors."""
    if not isinstance(config, dict):
        return config
    return {k: short(v) for k, v in config.items() if v is not None and not DULL.search(k)}


def published(config, options):
    """Changes what save_pretrained writes to what is published."""
    config = short(config)
    if "dtype" in config:
        config["torch_dtype"] = config.pop("dtype")
    return config | options.get("config", {})


def specimen(name):
    """Returns the description of a model of transformers."""
    cls, sizes, options = healthy_models.MODELS[name]
    dtype = options.get("dtype", "bfloat16")
    tensors, texts = healthy_save.model(cls, sizes, dtype)
    config = published(texts.pop("config.json"), options)
    text = config.get("text_config") or config
    layers = text.get("num_hidden_layers") or text.get("n_layer") or 0
    kinds = options.get("beside", "").split()
    if "mtp" in options:
        tensors = habits.mtp(tensors, options["mtp"])
    if options.get("fp8"):
        tensors = list(habits.block_fp8(tensors))
        config["quantization_config"] = {"activation_scheme": "dynamic", "fmt": "e4m3", "quant_method": "fp8",
                                         "weight_block_size": [128, 128]}
    if options.get("mxfp4"):
        tensors = list(habits.mxfp4(tensors))
        config["quantization_config"] = {"quant_method": "mxfp4", "modules_to_not_convert": [
            "model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"]}
    if "rename" in options:
        tensors = [(options["rename"](n), d, s) for n, d, s in tensors]
    for old in options.get("old", "").split():
        new, was = old.split("=")
        tensors = [(was + n.removeprefix(new) if n.startswith(new) else n, d, s) for n, d, s in tensors]
    if "add" in options:
        added, like = options["add"].split("=")
        tensors += [(added, d, s) for n, d, s in tensors if n == like]
    s = Specimen(name, source=f"transformers {healthy_save.transformers.__version__} {cls}", loaders=options["loaders"])
    s.json("config.json", config)
    if "generation_config.json" in texts:
        generation = texts["generation_config.json"]
        generation.pop("transformers_version", None)
        s.json("generation_config.json", generation)
    saved = tensors
    layout = {"max": options["shards"]} if "shards" in options else {}
    for kind in kinds:
        match kind:
            case "six-digits":
                layout["digits"] = 6
            case "gamma":
                saved = habits.gamma(saved)
            case "bin":
                s.text("pytorch_model.bin | torch", "")
            case "rotary" | "gpt2-buffers" | "neox-buffers" | "position-ids" | "position-ids-clip":
                saved = habits.buffers(saved, layers, kind)
            case _:
                if not habits.habit(s, kind, tensors, text):
                    sys.exit(f"healthy: {name}: unknown habit {kind}")
    if isinstance(text.get("vocab_size"), int):
        n = options.get("tokens", 3)
        habits.tokenizer(s, text["vocab_size"] - 1 + min(n, 0), max(n, 3))
    return s.weights("model.safetensors", saved, **layout)


# Keys of configurations that say nothing of tensors.
DULL = re.compile(r"initializer|dropout|layerdrop|init_std|id2label|label2id|transformers_version|_beams?|beam_|length_penalty|"
                  r"top_[kp]|temperature|ngram|diversity|output_scores|output_attentions|output_hidden|return_dict|chunk_size|finetuning|"
                  r"forced_|suppress|begin_suppress|exponential_decay|repetition|sampl|typical_p|torchscript|tf_legacy|pruned_heads|"
                  r"bad_words|cross_attention_hidden|min_length|max_length|remove_invalid|problem_type|_name_or_path|prefix|task_spec")


def makers(files):
    """Returns the functions that make the specimens, by name."""
    found = {} if files else {name: lambda name=name: specimen(name) for name in healthy_models.MODELS}
    for module in ("healthy_pipelines", "healthy_files"):
        try:
            found |= importlib.import_module(module).SPECIMENS
        except ImportError as e:
            print(f"healthy: {module} is skipped: {e}")
    return found


def weights(text, folder, seen):
    """Returns the lines about tensors in a description, with those of its parts."""
    inside, out = False, set()
    for line in text.splitlines():
        if line.startswith("-- "):
            inside = " | weights" in line
        elif inside and line.startswith("@"):
            part = line[1:].split()[0]
            made = healthy_write.PARTS[part] if seen else (folder / "parts" / f"{part}.txt").read_text()
            out |= {line} | set(made.splitlines())
        elif inside:
            out.add(line)
    return out


def compare(o, name, text):
    """Reports whether a committed description has the tensors of a new one."""
    file = o.compare / f"{name}.txt"
    if not file.exists() or file.read_text().splitlines()[0] != text.splitlines()[0]:
        return True  # written with another version, which stores some tensors otherwise
    a, b = weights(file.read_text(), o.compare, False), weights(text, o.compare, True)
    for line in sorted(a ^ b)[:5]:
        print(f"healthy: {name}: {'only in the file' if line in a else 'only in the class'}: {line}")
    return a == b


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--write", type=pathlib.Path)
    p.add_argument("--compare", type=pathlib.Path)
    p.add_argument("--only", default="")
    p.add_argument("--files", action="store_true", help="leave out the plain models of transformers")
    p.add_argument("--seconds", type=float, default=3600)
    p.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    p.add_argument("--all", action="store_true")
    o = p.parse_args()
    random.seed(o.seed)
    todo = [(name, make) for name, make in makers(o.files).items() if re.search(o.only, name)]
    if o.compare and not o.all:
        random.shuffle(todo)
    end, done, wrong = time.monotonic() + o.seconds, 0, 0
    for name, make in todo:
        if o.compare and not o.all and time.monotonic() > end:
            break
        try:
            text = make().render()
        except Exception as e:  # models that this version of transformers cannot build on the device "meta"
            print(f"healthy: {name}: {type(e).__name__}: {str(e)[:200]}", flush=True)
            continue
        done += 1
        if o.compare:
            wrong += not compare(o, name, text)
            continue
        (o.write / "parts").mkdir(parents=True, exist_ok=True)
        (o.write / f"{name}.txt").write_text(text)
        for part, lines in healthy_write.PARTS.items():
            (o.write / "parts" / f"{part}.txt").write_text(lines)
        print(f"{name} {len(text)} bytes", flush=True)
    if o.compare:
        print(f"healthy: {done} of {len(todo)} descriptions, {wrong} wrong, seed {o.seed}")
    sys.exit(wrong > 0)


main()
