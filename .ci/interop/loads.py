"""Loads tiny models with transformers, whole and damaged, and compares with the verdicts of `weigh check`.

    python loads.py --weigh PROGRAM --work FOLDER [--seconds N] [--seed N] [--only REGEXP]

Transformers writes models of several architectures. Each is copied and changed in one way, and loaded with
AutoModelForCausalLM.from_pretrained. It is refused if that raises an exception, or if a weight is not found and would
be initialized at random. `weigh check --for transformers` must report an error if the model is refused, and none if it
is not.
"""

import json
import os
import pathlib
import random
import re
import shutil
import struct
import sys
import time
import warnings

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_VERBOSITY"] = "critical"
warnings.simplefilter("ignore")
try:
    import torch
    import transformers
    from safetensors.torch import load_file, save_file
except ImportError as e:
    print(f"loads: skipped: {e}")
    sys.exit(0)

import compare

transformers.utils.logging.disable_progress_bar()

SIZES = dict(vocab_size=128, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
             num_key_value_heads=2, max_position_embeddings=64, head_dim=8, pad_token_id=0)

# The models: a class of configurations, and what differs from SIZES.
MODELS = {
    "llama": ("LlamaConfig", {"tie_word_embeddings": False}),
    "llama-tied": ("LlamaConfig", {"tie_word_embeddings": True}),
    "mistral": ("MistralConfig", {"tie_word_embeddings": False}),
    "qwen2": ("Qwen2Config", {"tie_word_embeddings": False}),
    "qwen3": ("Qwen3Config", {"tie_word_embeddings": True}),
    "gemma2": ("Gemma2Config", {"tie_word_embeddings": True}),
    "phi3": ("Phi3Config", {"tie_word_embeddings": False}),
    "mixtral": ("MixtralConfig", {"tie_word_embeddings": False, "num_local_experts": 2}),
    "gpt2": ("GPT2Config", {"n_embd": 32, "n_head": 4, "n_layer": 2}),
}

SHARDED = "-sharded"
CONFIG, WEIGHTS, INDEX = "config.json", "model.safetensors", "model.safetensors.index.json"


def config(**members):
    """Sets members of config.json, or removes those that are None."""
    def change(folder):
        path = folder / CONFIG
        c = json.loads(path.read_text())
        c.update(members)
        path.write_text(json.dumps({k: v for k, v in c.items() if v is not None}))
    return change


def tensors(of):
    """Changes the tensors."""
    def change(folder):
        t = of(load_file(folder / WEIGHTS))
        save_file({k: v.contiguous() for k, v in t.items()}, folder / WEIGHTS, metadata={"format": "pt"})
    return change


def without(pattern):
    return tensors(lambda t: {k: v for k, v in t.items() if not re.search(pattern, k)})


def renamed(old, new):
    return tensors(lambda t: {re.sub(old, new, k): v for k, v in t.items()})


def moved(old, new):
    return lambda folder: (folder / old).rename(folder / new)


def removed(name):
    return lambda folder: (folder / name).unlink()


def written(name, text):
    return lambda folder: (folder / name).write_bytes(text.encode())


def both(*changes):
    return lambda folder: [change(folder) for change in changes]


def index(of):
    """Changes the index."""
    def change(folder):
        x = json.loads((folder / INDEX).read_text())
        of(x)
        (folder / INDEX).write_text(json.dumps(x))
    return change


def pickled(folder):
    torch.save(load_file(folder / WEIGHTS), folder / "pytorch_model.bin")
    (folder / WEIGHTS).unlink()


def six_bits(name):
    """Gives a tensor a dtype that torch does not have."""
    def change(folder):
        raw = (folder / WEIGHTS).read_bytes()
        n, = struct.unpack("<Q", raw[:8])
        header, data = json.loads(raw[8:8 + n]), raw[8 + n:]
        header[name] = {"dtype": "F6_E2M3", "shape": [4, 8], "data_offsets": [len(data), len(data) + 24]}
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        (folder / WEIGHTS).write_bytes(struct.pack("<Q", len(text)) + text + data + bytes(24))
    return change


def scaling(**members):
    return config(rope_parameters=None, rope_theta=10000.0, rope_scaling=members)


# The changes: a name, the models that they are for, and the change.
EVERY, LLAMAS = ".*", "^(llama|mistral|qwen2)$"
CHANGES = [
    ("nothing", EVERY, lambda folder: None),
    ("no config.json", EVERY, removed(CONFIG)),
    ("config.json with a byte order mark", EVERY, lambda f: (f / CONFIG).write_bytes(b"\xef\xbb\xbf" + (f / CONFIG).read_bytes())),
    ("half of config.json", EVERY, lambda f: (f / CONFIG).write_bytes((f / CONFIG).read_bytes()[:100])),
    ("Infinity", EVERY, config(limit=float("inf"))),
    ("an unknown member", EVERY, config(anything="else")),
    ("no model_type", EVERY, config(model_type=None)),
    ("no architectures", EVERY, config(architectures=None)),
    ("another architecture", EVERY, config(architectures=["Other"])),
    ("dtype bf16", EVERY, config(dtype="bf16")),
    ("dtype torch.float32", EVERY, config(dtype="torch.float32")),
    ("dtype float16", EVERY, config(dtype="float16")),
    ("hidden_size as a string", "^(llama|qwen)", config(hidden_size="32")),
    ("layers with a fraction", "^(llama|qwen)", config(num_hidden_layers=2.0)),
    ("a flag as a string", LLAMAS, config(tie_word_embeddings="false")),
    ("a larger vocabulary", LLAMAS, config(vocab_size=130)),
    ("a smaller vocabulary", LLAMAS, config(vocab_size=120)),
    ("a token to fill with beyond the vocabulary", LLAMAS, config(pad_token_id=128)),
    ("an end beyond the vocabulary", LLAMAS, config(eos_token_id=500)),
    ("more layers", LLAMAS, config(num_hidden_layers=3)),
    ("another intermediate_size", LLAMAS, config(intermediate_size=48)),
    ("other heads of keys", LLAMAS, config(num_key_value_heads=4)),
    ("linear scaling", LLAMAS, scaling(rope_type="linear", factor=2.0)),
    ("linear scaling, as it was called", LLAMAS, scaling(type="linear", factor=2.0)),
    ("linear scaling without a factor", LLAMAS, scaling(rope_type="linear")),
    ("llama3 without its factors", LLAMAS, scaling(rope_type="llama3", factor=8.0)),
    ("yarn", LLAMAS, scaling(rope_type="yarn", factor=4.0)),
    ("yarn without a factor", LLAMAS, scaling(rope_type="yarn")),
    ("longrope without its factors", LLAMAS, scaling(rope_type="longrope")),
    ("scaling of no known type", LLAMAS, scaling(rope_type="ntk", factor=2.0)),
    ("scaling without a type", LLAMAS, scaling(factor=2.0)),
    ("a quantization without a method", EVERY, config(quantization_config={"bits": 4})),
    ("quantization of MLX", EVERY, config(quantization={"bits": 4, "group_size": 64})),
    ("a name of its own", EVERY, moved(WEIGHTS, "my.safetensors")),
    ("a name of its own, in config.json", EVERY, both(moved(WEIGHTS, "my.safetensors"), config(transformers_weights="my.safetensors"))),
    ("a variant", EVERY, moved(WEIGHTS, "model.fp16.safetensors")),
    ("a variant beside it", EVERY, lambda f: shutil.copy(f / WEIGHTS, f / "model.fp16.safetensors")),
    ("a pickle", EVERY, pickled),
    ("a sidecar of macOS", EVERY, written("._model.safetensors", "\0\5\x16\7" + "\0" * 100)),
    ("an adapter's configuration", EVERY, written("adapter_config.json", '{"peft_type": "LORA", "base_model_name_or_path": "x"}')),
    ("no output layer", LLAMAS, without("^lm_head")),
    ("no embedding", LLAMAS, without("embed_tokens")),
    ("no tensor of one layer", EVERY, without(r"\.1\..*norm|\.1\.ln_1")),
    ("one tensor less in a layer", LLAMAS, without(r"\.1\.mlp\.up_proj")),
    ("names without a prefix", LLAMAS, renamed(r"^model\.", "")),
    ("names of torch.compile", EVERY, renamed("^", "_orig_mod.")),
    ("names of DataParallel", EVERY, renamed("^", "module.")),
    ("an unknown tensor", EVERY, tensors(lambda t: {**t, "other.weight": torch.zeros(2, 2)})),
    ("another dtype of one tensor", LLAMAS, tensors(lambda t: {**t, "model.norm.weight": t["model.norm.weight"].double()})),
    ("a tensor of six bits", LLAMAS, lambda f: both(without(r"^model\.norm"), six_bits("model.norm.weight"))(f)),
    ("no index", SHARDED, removed(INDEX)),
    ("an index without metadata", SHARDED, index(lambda x: x.pop("metadata"))),
    ("an index with empty metadata", SHARDED, index(lambda x: x.update(metadata={}))),
    ("a shard less", SHARDED, lambda f: sorted(f.glob("model-0*"))[1].unlink()),
    ("a shard more", SHARDED, lambda f: shutil.copy(sorted(f.glob("model-0*"))[0], f / "model-00099-of-00098.safetensors")),
]


def make(folder, name):
    """Writes a model, and a copy of it in shards."""
    kind, members = MODELS[name]
    torch.manual_seed(0)
    model = transformers.AutoModelForCausalLM.from_config(getattr(transformers, kind)(**{**SIZES, **members}))
    model.save_pretrained(folder / name)
    if name == "llama":
        model.save_pretrained(folder / (name + SHARDED), max_shard_size="40KB")


def refusal(folder):
    """Returns why transformers does not load a model, or ""."""
    try:
        _, found = transformers.AutoModelForCausalLM.from_pretrained(folder, output_loading_info=True, dtype="auto")
    except Exception as e:  # each refusal has a class of its own
        return f"{type(e).__name__}: {str(e).splitlines()[0][:100]}" if str(e) else type(e).__name__
    missing = sorted(found["missing_keys"])
    return f"{len(missing)} weights at random, the first {missing[0]}" if missing else ""


def main():
    o = compare.options("loads", "changes that contain a match of this regular expression")
    base, end = o.work / "models", time.monotonic() + o.seconds
    shutil.rmtree(o.work, ignore_errors=True)
    base.mkdir(parents=True)
    for name in MODELS:
        make(base, name)
    # A model in shards has one kind of changes, and the others have the rest.
    todo = [(what, model, change) for what, of, change in CHANGES for model in sorted(p.name for p in base.iterdir())
            if re.search(of, model) and (SHARDED in model) == (of == SHARDED or what == "nothing" and SHARDED in model)]
    random.shuffle(todo)
    done, wrong, refused = 0, 0, 0
    for what, model, change in todo:
        if time.monotonic() > end:
            break
        if o.only and not re.search(o.only, what):
            continue
        folder = o.work / "changed"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(base / model, folder)
        change(folder)
        found = [f for f in compare.findings(o, [folder], "--for", "transformers") if f["severity"] in ("error", "invalid")]
        why = refusal(folder)
        done, refused = done + 1, refused + bool(why)
        if bool(found) != bool(why):
            wrong += 1
            print(f"loads: {model}, {what}: transformers: {why or 'loads it'}; "
                  f"weigh: {'; '.join(f['rule'] + ': ' + f['message'] for f in found)[:200] or 'no error'}")
    print(f"loads: transformers {transformers.__version__}: {done} of {len(todo)} changed models, {refused} refused, "
          f"{wrong} wrong, seed {o.seed}")
    sys.exit(wrong > 0)


main()
