"""Compares the tables of model/names with programs that do not come from transformers.

    python names_witnesses.py --tables FILE [--write FILE] [TYPE...]

Each program gets a model of transformers without data, and the shapes of the tensors that it saves. It confirms an
architecture if it reads all tensors that the table requires of each class. Which it reads is found as follows:

    mlx-lm, mlx-vlm        their models must take the tensors as they are named, and no others
    gguf                   the tensors for which it has names
    ctranslate2            the parameters that its converter reads
    transformer-lens       the parameters of the modules that its adapters name
    keras-hub              the tensors that its converter requests
    curated-transformers   the parameters of its models, as its conversion names them

Exits with code 1 if fewer than 80 of the most used architectures are confirmed, or one of the given types is not.
"""

import argparse
import functools
import importlib.metadata
import json
import logging
import re
import signal
import sys

import names_collect as collect
from names_programs import PROGRAMS, Absent

# The architectures that most published models have, as far as we know: of language models, of models that take images or
# sound besides, of encoders, and of models of images and sound.
USED = """
apertus arcee bamba bloom codegen cohere cohere2 deepseek_v2 deepseek_v3 ernie4_5 exaone4 falcon falcon_h1 falcon_mamba
gemma gemma2 gemma3_text gemma4_text glm glm4 glm4_moe gpt2 gpt_bigcode gpt_neo gpt_neox gptj granite granitemoe helium
hunyuan_v1_dense lfm2 llama mamba mamba2 minimax_m2 ministral3 mistral mixtral mpt nemotron olmo olmo2 olmo3 olmoe opt
persimmon phi phi3 phimoe qwen2 qwen2_moe qwen3 qwen3_moe qwen3_next seed_oss smollm3 stablelm starcoder2 xglm
aya_vision gemma3 idefics2 idefics3 llava llava_next llava_onevision mistral3 mllama paligemma qwen2_5_vl qwen2_vl qwen3_vl
albert bart bert blenderbot camembert distilbert m2m_100 marian mbart modernbert mt5 pegasus roberta t5 umt5 xlm-roberta
deit dinov2 hubert siglip swin vit wav2vec2 whisper
""".split()

ENOUGH = 2  # programs


def key(name):
    return ".".join("#" if w.isdigit() or len(w) == 3 and w[0] == "{" else w for w in name.split("."))


class Judge:
    def __init__(self, tables):
        self.tables = {t["Type"]: t for t in tables}
        self.confirmed = {}

    def needed(self, table):
        """Returns the patterns that each model has, and those that only some classes have."""
        always = {key(n) for n, need in table["Needs"].items() if need == "required"}
        some = set()
        for c in table["Classes"] or ():
            for lack in c["Lacks"] or ():
                begin = key(lack.removesuffix("*"))
                some |= {p for p in always if p == begin or lack.endswith("*") and p.startswith(begin)}
        return always - some, some

    def judge(self, kind, cls, model, saved):
        """Asks each program about the tensors of a model."""
        always, some = self.needed(self.tables[kind])
        lines = []
        for name, of in PROGRAMS.items():
            read = None
            if len(self.confirmed.get(kind, ())) == ENOUGH:
                break
            for spelled in spellings(saved, cls.base_model_prefix + "."):
                try:
                    read = of(kind, model.config, model, spelled)
                    break
                except (Absent, ImportError, NotImplementedError):
                    break
                except collect.Slow:
                    raise
                except (Exception, SystemExit) as e:
                    lines.append(f"    {name}: {type(e).__name__}: {str(e)[:200]}")
            if read is None:
                continue
            have = {key(n) for n in read} | {key(f"{cls.base_model_prefix}.{n}") for n in read}
            unknown = {key(n) for n in read} - {key(n) for n in self.tables[kind]["Needs"]}
            if unknown and any(key(f"{cls.base_model_prefix}.{n}") not in self.tables[kind]["Needs"] for n in unknown):
                unknown -= {p.removeprefix(cls.base_model_prefix + ".") for p in map(key, self.tables[kind]["Needs"])}
            missing, patterns = always - have, {key(n) for n in spelled}
            if unknown:
                lines.append(f"    {name}: the table lacks {sorted(unknown)[:4]}")
            elif missing:
                lines.append(f"    {name}: {len(have & patterns)} of {len(patterns)} names, not {sorted(missing)[:3]}")
            elif len(have & patterns) * 2 > len(patterns):
                self.confirmed.setdefault(kind, []).append(f"{name} {importlib.metadata.version(name)}")
        print(f"{kind}: {', '.join(self.confirmed.get(kind, ['not confirmed']))}", *lines, sep="\n", flush=True)


def spellings(saved, prefix):
    """Yields the tensors as newer and older versions of transformers name them, and those of the model without a head."""
    yield saved
    older = {re.sub(r"\bvision_tower\.(?!vision_model)", "vision_tower.vision_model.", n): s for n, s in saved.items()}
    if older != saved:
        yield older
    if all(n.startswith(prefix) for n in saved):
        yield {n.removeprefix(prefix): s for n, s in saved.items()}


def fewer(make):
    """Returns the arguments that make a configuration with few layers, experts and tokens."""
    default, args = make(), collect.small(make, True)
    for part in "", "text_config":
        c = getattr(default, part, None) if part else default
        if isinstance(getattr(c, "vocab_size", None), int):
            args = collect.merged(args, {part: {"vocab_size": 1024}} if part else {"vocab_size": 1024})
    return args


def main():
    import transformers

    p = argparse.ArgumentParser()
    p.add_argument("--tables", required=True)
    p.add_argument("--write")
    p.add_argument("types", nargs="*", help="default: the most used")
    o = p.parse_args()
    with open(o.tables) as f:
        judge = Judge(json.load(f))
    logging.disable()
    transformers.logging.disable_progress_bar()
    signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(collect.Slow()))
    writer = collect.Writer()
    for kind, classes, make in sorted(collect.transformers_types(), key=lambda t: t[0]):
        if kind not in (o.types or USED):
            continue
        try:
            signal.setitimer(signal.ITIMER_REAL, 120)
            for name in classes:
                try:
                    cls = getattr(transformers, name)
                    model = collect.first(*(functools.partial(lambda args: collect.build(cls, make(**args)), args)
                                            for args in (fewer(make), collect.small(make), {})))
                    writer.names(model)
                    break
                except Exception as e:
                    if isinstance(e, collect.Slow):
                        raise
            else:
                continue
            judge.judge(kind, cls, model, {n: tuple(t.shape) for n, t in writer.written.items()})
        except (collect.Slow, SystemExit):
            print(f"{kind}: takes too long")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    lacking = [k for k in USED if k not in judge.confirmed and (not o.types or k in o.types)]
    print(f"names: {len(judge.confirmed)} architectures confirmed; of {len(USED)} most used ones not: {lacking}")
    if o.write:
        with open(o.write, "w") as f:
            print("# Generated by .ci/interop/names --witnesses. Programs that confirm the table of an architecture.", file=f)
            for kind, programs in sorted(judge.confirmed.items()):
                print(f"{kind}: {', '.join(programs)}", file=f)
    sys.exit(bool(lacking) if o.types else len(judge.confirmed) < 80)


if __name__ == "__main__":
    main()
