"""Compares the verdicts of `weigh check --for` with what mlx-lm, llama.cpp and diffusers do.

Writes small models of transformers and pipelines of diffusers, changes them in ways that these programs notice or do
not, loads or converts each with the programs that are there, and checks the same folders. mlx-lm agrees with a model
only if its output is that of transformers. A folder that a program refuses, or reads wrongly, must have an error or a
warning for it, and a folder that it reads must have none above a note.

    readers.py --weigh PROGRAM [--seconds N] [--seed N] [--all] [--work FOLDER]

LLAMA_CPP   the folder with convert_hf_to_gguf.py. Without it, llama.cpp is left out, and that is reported.

Folders on which they disagree are kept, and their paths are printed.
"""

import argparse
import json
import logging
import os
import random
import shutil
import subprocess
import sys
import time
import warnings
from pathlib import Path

warnings.simplefilter("ignore")
logging.disable(logging.WARNING)
os.environ["HF_HUB_OFFLINE"] = "1"

import torch  # noqa: E402
import transformers  # noqa: E402
from safetensors.torch import load_file, save_file  # noqa: E402

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()
os.environ["TQDM_DISABLE"] = "1"

SIZES = dict(
    hidden_size=32, intermediate_size=64, num_hidden_layers=8, num_attention_heads=4, num_key_value_heads=2,
    vocab_size=64, max_position_embeddings=64, head_dim=8, pad_token_id=0, bos_token_id=1, eos_token_id=2,
)
# What some architectures need besides or instead.
ARCHITECTURES = {
    "llama": {}, "mistral": {}, "qwen2": {}, "qwen3": {}, "gemma": {}, "gemma2": {"query_pre_attn_scalar": 8},
    "gemma3_text": {}, "olmo2": {}, "granite": {}, "starcoder2": {}, "phi3": {}, "stablelm": {}, "cohere": {},
    "mixtral": {"num_local_experts": 4}, "qwen3_moe": {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16},
    "gpt_neox": {}, "smollm3": {}, "glm4": {}, "opt": {"ffn_dim": 64, "word_embed_proj_dim": 32},
}


def model(kind, folder, rng):
    """Writes a small model, and returns the output that it has for TOKENS."""
    config = transformers.AutoConfig.for_model(kind, **{**SIZES, **ARCHITECTURES[kind]})
    torch.manual_seed(rng.randrange(1 << 30))
    net = transformers.AutoModelForCausalLM.from_config(config, dtype=torch.float32).eval()
    with torch.no_grad():
        for name, p in net.named_parameters():
            if p.ndim > 1:
                p.normal_(0, 0.2)
            elif name.endswith("bias"):
                p.normal_(0, 0.1)
    net.save_pretrained(folder)
    with torch.no_grad():
        return net(TOKENS).logits[0]


TOKENS = torch.tensor([[3, 14, 15, 9, 26, 5, 35, 8, 9, 7, 9, 32, 38, 46, 26, 43]])


def rewrite(folder, change):
    path = folder / "config.json"
    config = json.loads(path.read_text())
    change(config)
    path.write_text(json.dumps(config, indent=1))


def tensors(folder, change):
    path = folder / "model.safetensors"
    save_file(change(load_file(path)), path, metadata={"format": "pt"})


def old(config):
    """Writes rope_theta where transformers 4 does."""
    rope = config.pop("rope_parameters", None)
    if isinstance(rope, dict) and "rope_theta" in rope:
        config["rope_theta"] = rope["rope_theta"]


def theta(config):
    rope = config.get("rope_parameters")
    if isinstance(rope, dict) and "rope_theta" in rope:
        rope["rope_theta"] = 777777.0


def without(*names):
    return lambda config: [config.pop(name, None) for name in names]


def nothing(folder):
    pass


CHANGES = {
    "as it is": nothing,
    "as of transformers 4": lambda f: rewrite(f, old),
    "no tie_word_embeddings": lambda f: rewrite(f, lambda c: (old(c), c.pop("tie_word_embeddings", None))),
    "no sizes": lambda f: rewrite(f, without("intermediate_size", "rms_norm_eps", "layer_norm_eps")),
    "no architectures": lambda f: rewrite(f, lambda c: (old(c), c.update(architectures=[]))),
    "another class": lambda f: rewrite(f, lambda c: (old(c), c.update(architectures=["MyForCausalLM"]))),
    "another type": lambda f: rewrite(f, lambda c: (old(c), c.update(model_type="mytype", architectures=["MyForCausalLM"]))),
    "another name": lambda f: (f / "model.safetensors").rename(f / "weights.safetensors"),
    "compiled": lambda f: (rewrite(f, old), tensors(f, lambda t: {"_orig_mod." + k: v for k, v in t.items()})),
    "bare": lambda f: (rewrite(f, old), tensors(f, lambda t: {k.removeprefix("model."): v for k, v in t.items()})),
    "a layer lacks a tensor": lambda f: (rewrite(f, old), tensors(f, lacking)),
    "float64": lambda f: (rewrite(f, old), tensors(f, lambda t: {k: v.double() for k, v in t.items()})),
    "awq": lambda f: rewrite(f, lambda c: (old(c), c.update(quantization_config={"quant_method": "awq", "bits": 4}))),
}


def lacking(t):
    """Leaves a matrix of the second layer out."""
    name = next(k for k in sorted(t) if ".1." in k and k.endswith("weight") and t[k].ndim == 2)
    return {k: v for k, v in t.items() if k != name}


class MLX:
    name = "mlx"

    def __init__(self):
        import mlx.core as mx
        from mlx_lm import utils

        self.mx, self.utils = mx, utils

    def read(self, folder, logits):
        """Returns why mlx-lm does not read a model, or None."""
        try:
            net, _ = self.utils.load_model(folder)
            out = net(self.mx.array(TOKENS.tolist())).astype(self.mx.float32)
            got = torch.tensor(out.tolist())[0]
        except Exception as e:
            return f"{type(e).__name__}: {str(e)[:100]}"
        far = (got - logits).abs().max() / logits.abs().max()
        return f"the output differs by {far:.2g}" if far > 0.02 else None


class LlamaCPP:
    name = "llama.cpp"

    def __init__(self):
        where = os.environ.get("LLAMA_CPP", "")
        if not where:
            raise ImportError("LLAMA_CPP is not set")
        sys.path[:0] = [where, where + "/gguf-py"]
        argv, sys.argv = sys.argv, ["convert"]
        import conversion
        import gguf

        sys.argv = argv
        self.conversion, self.gguf = conversion, gguf

    def read(self, folder, logits):
        """Returns why the converter of llama.cpp does not convert a model, or None."""
        c, out = self.conversion, folder.parent / "out.gguf"
        try:
            hparams = c.ModelBase.load_hparams(folder, False)
            of = c.get_model_class(c.get_model_architecture(hparams, c.ModelType.TEXT))
            kind = type(of.__name__, (of,), {"model_arch": of.model_arch, "set_vocab": lambda self: None})
            with torch.inference_mode():
                kind(folder, self.gguf.LlamaFileType.ALL_F32, out).write()
            got = len(self.gguf.GGUFReader(out).tensors)
        except (Exception, SystemExit) as e:
            return f"{type(e).__name__}: {str(e)[:100]}"
        return None if got else "there are no tensors"


class Diffusers:
    name = "diffusers"

    def __init__(self):
        import diffusers

        self.diffusers = diffusers

    def read(self, folder, _):
        try:
            of = self.diffusers.DiffusionPipeline.from_pretrained(folder)
        except Exception as e:
            return f"{type(e).__name__}: {str(e)[:100]}"
        return "the tokenizer has no tokens" if len(of.tokenizer) < 10 else None


def pipeline(folder):
    """Writes a small pipeline."""
    import diffusers as d

    unet = d.UNet2DConditionModel(
        block_out_channels=(32, 64), layers_per_block=1, sample_size=8, norm_num_groups=8, cross_attention_dim=32,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"), up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        attention_head_dim=8,
    )
    vae = d.AutoencoderKL(block_out_channels=(32,), norm_num_groups=8)
    text = transformers.CLIPTextModel(transformers.CLIPTextConfig(
        hidden_size=32, intermediate_size=37, num_hidden_layers=1, num_attention_heads=4, vocab_size=64))
    vocab = folder.parent / "vocab"
    vocab.mkdir(exist_ok=True)
    words = ["<|startoftext|>", "<|endoftext|>"] + [chr(c) for c in range(97, 123)] + [chr(c) + "</w>" for c in range(97, 123)]
    (vocab / "vocab.json").write_text(json.dumps({w: i for i, w in enumerate(words)}))
    (vocab / "merges.txt").write_text("#version: 0.2\n")
    tokenizer = transformers.CLIPTokenizer.from_pretrained(vocab)
    d.StableDiffusionPipeline(
        vae=vae, text_encoder=text, tokenizer=tokenizer, unet=unet, scheduler=d.DDIMScheduler(), safety_checker=None,
        feature_extractor=None, requires_safety_checker=False).save_pretrained(folder)


def index(folder, change):
    path = folder / "model_index.json"
    value = json.loads(path.read_text())
    change(value)
    path.write_text(json.dumps(value))


def variant(folder, name="unet/diffusion_pytorch_model"):
    (folder / (name + ".safetensors")).rename(folder / (name + ".fp16.safetensors"))


PIPELINES = {
    "as it is": nothing,
    "no unet": lambda f: shutil.rmtree(f / "unet"),
    "no weights": lambda f: (f / "vae/diffusion_pytorch_model.safetensors").unlink(),
    "no configuration": lambda f: (f / "text_encoder/config.json").unlink(),
    "no scheduler": lambda f: (f / "scheduler/scheduler_config.json").unlink(),
    "no tokens": lambda f: [p.unlink() for p in (f / "tokenizer").iterdir()],
    "a name of transformers": lambda f: (f / "unet/diffusion_pytorch_model.safetensors").rename(f / "unet/model.safetensors"),
    "only a variant": variant,
    "an unknown class": lambda f: index(f, lambda v: v.update(unet=["diffusers", "UNet9DConditionModel"])),
    "an unknown pipeline": lambda f: index(f, lambda v: v.update(_class_name="MyPipeline")),
    "null": lambda f: index(f, lambda v: v.update(vae=[None, None])),
    "not named": lambda f: index(f, lambda v: v.pop("scheduler")),
}


def verdicts(weigh, folder, program):
    """Returns the rules of the findings above a note that are about a program, or about every reader."""
    out = subprocess.run([weigh, "check", "--json", "--for", program, str(folder)], capture_output=True, text=True).stdout
    return [f["rule"] for f in json.loads(out)["findings"] if program in f.get("for", ()) and f["severity"] != "note" or
            "for" not in f and f["severity"] in ("invalid", "nonconforming", "error")]


# What is not compared: what the converter of llama.cpp leaves to its loader, a converter that reads the tokenizer, which
# is not there, and names that the tables of weigh do not have.
def left_out(program, kind, change):
    return program == "llama.cpp" and (change == "a layer lacks a tensor" or kind == "gemma3_text") or (
        change == "bare" and kind not in ("llama", "mistral", "qwen2"))


def compare(args, program, folder, what, logits, counts):
    if left_out(program.name, *what.split(", ", 1)):
        return
    counts["all"] += 1
    why, rules = program.read(folder, logits), verdicts(args.weigh, folder, program.name)
    if (why is None) == (not rules):
        return
    counts["bad"] += 1
    kept = args.work / f"bad-{counts['bad']}"
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(folder, kept)
    print(f"{kept}: {what}: {program.name}: {why or 'it reads it'}; weigh: {', '.join(rules) or 'nothing'}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weigh", required=True)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--work", type=Path, default=Path("readers-files"))
    parser.add_argument("--all", action="store_true", help="without the time limit")
    args = parser.parse_args()
    os.umask(0o022)
    end = time.monotonic() + (1e9 if args.all else args.seconds)
    rng = random.Random(args.seed)
    args.work.mkdir(parents=True, exist_ok=True)
    programs = []
    for of in (MLX, LlamaCPP, Diffusers):
        try:
            programs.append(of())
        except ImportError as e:
            print(f"readers: {of.name} is left out: {e}")
    counts = {"all": 0, "bad": 0}
    plan = [("", change) for change in PIPELINES if any(p.name == "diffusers" for p in programs)]
    plan += [(kind, change) for kind in ARCHITECTURES for change in CHANGES if len(programs) > 1]
    rng.shuffle(plan)
    for kind, change in plan:
        if time.monotonic() > end:
            break
        folder, logits = args.work / "case", None
        shutil.rmtree(folder, ignore_errors=True)
        if kind:
            logits = model(kind, folder, rng)
            CHANGES[change](folder)
        else:
            pipeline(folder)
            PIPELINES[change](folder)
        for path in folder.rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)
        for program in programs:
            if (program.name == "diffusers") == (not kind):
                compare(args, program, folder, f"{kind or 'pipeline'}, {change}", logits, counts)
    print(f"readers: compared {counts['all']} folders with {', '.join(p.name for p in programs)}, "
          f"{counts['bad']} disagree (seed {args.seed})")
    sys.exit(counts["bad"] > 0)


if __name__ == "__main__":
    main()
