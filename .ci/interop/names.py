"""Compares the tables of model/names with independent witnesses.

    python names.py --tables FILE [--seconds N] [--seed N] [--all] [--others]

FILE has the tables as JSON. Models of transformers are built without data: each name that they save is in the table of
their type, and each tensor that the table requires is among them. With --others, also the names of the package gguf are
compared with the spellings "gguf", and models of diffusers are renamed to the spellings "original", which the functions
of diffusers must convert back.
"""

import argparse
import json
import random
import signal
import sys
import time

try:
    import names_collect as collect
except ImportError as e:
    print(f"names: skipped: {e}")
    sys.exit(0)
import torch


def key(name):
    """Returns a name with # for each number and each placeholder."""
    return ".".join("#" if w.isdigit() or len(w) == 3 and w[0] == "{" else w for w in name.split("."))


class Comparison:
    def __init__(self, tables):
        self.tables = {t["Type"]: t for t in tables}
        self.wrong = self.models = 0

    def fail(self, kind, what):
        self.wrong += 1
        print(f"names: {kind}: {what}", flush=True)

    def saved(self, kind, classes, make, writer):
        """Compares a model of transformers with its table."""
        import transformers

        table = self.tables[kind]
        name = table["Source"].split(", ")[-1]
        cls = getattr(transformers, name, None)
        if cls is None:
            return
        try:
            model = collect.build(cls, collect.first(lambda: make(**collect.small(make)), make))
            have = {key(n) for n in writer.names(model)}
        except collect.Slow:
            raise
        except (Exception, SystemExit):
            return  # needs another package or another configuration
        self.models += 1
        needs = {}
        for tensor, need in table["Needs"].items():
            needs.setdefault(key(tensor), set()).add(need)
        if more := have - needs.keys():
            self.fail(kind, f"{name} saves {sorted(more)[:5]}, which the table lacks")
        if less := {k for k, n in needs.items() if n == {"required"}} - have:
            self.fail(kind, f"{name} does not save {sorted(less)[:5]}, which the table requires")


def of_transformers(c, o):
    """Compares models in random order while there is time."""
    import transformers

    transformers.logging.disable_progress_bar()
    writer, todo = collect.Writer(), [t for t in collect.transformers_types() if t[0] in c.tables]
    random.shuffle(todo)
    end = time.monotonic() + o.seconds
    for kind, classes, make in todo:
        left = end - time.monotonic()
        if not o.all and left < 2:
            break
        try:
            signal.setitimer(signal.ITIMER_REAL, 60 if o.all else left)
            c.saved(kind, classes, make, writer)
        except collect.Slow:
            pass
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    print(f"names: transformers {transformers.__version__}: {c.models} models")


def gguf(c):
    """Compares spellings with the names that gguf gives: those of the architecture that knows most names."""
    try:
        from gguf import MODEL_ARCH, get_tensor_name_map
    except ImportError as e:
        return print(f"names: gguf: skipped: {e}")
    maps, types, names = [get_tensor_name_map(arch, 2) for arch in MODEL_ARCH], 0, 0
    for kind, table in c.tables.items():
        for spelling in table["Spellings"] or ():
            if spelling["Form"] != "gguf":
                continue
            pairs = [(r["From"][0], r["To"][0]) for r in spelling["Renames"] if r["Transform"] in ("", "stack", "add_one")]
            best = None
            for m in maps:
                right, unknown, others = 0, 0, []
                for own, to in pairs:
                    own = own.replace(".experts.{x}.", ".experts.").replace("{n}", "1")
                    got = m.get_name(own, try_suffixes=(".weight", ".bias")) or m.get_name(
                        own.split(".", 1)[-1], try_suffixes=(".weight", ".bias"))
                    want = to.replace("{n}", "1")
                    if got and not own.endswith((".weight", ".bias")):
                        got += want.removeprefix(got)  # a parameter of its own may become a weight
                    right += got == want
                    unknown += got is None
                    if got not in (None, want):
                        others.append(f"{own} is {got}, not {to}")
                best = max(best or (-1, 0, []), (right, unknown, others))
            types, names = types + 1, names + best[0]
            if best[2] or best[0] < len(pairs) / 2:
                c.fail(kind, f"gguf gives {best[0]} of {len(pairs)} names, does not know {best[1]}; {best[2][:3]}")
    print(f"names: gguf: {types} architectures, {names} names")


# The functions of diffusers that convert original names.
CONVERSIONS = {
    "ChromaTransformer2DModel": "convert_chroma_transformer_checkpoint_to_diffusers",
    "FluxTransformer2DModel": "convert_flux_transformer_checkpoint_to_diffusers",
    "HunyuanVideoTransformer3DModel": "convert_hunyuan_video_transformer_to_diffusers",
    "LTXVideoTransformer3DModel": "convert_ltx_transformer_checkpoint_to_diffusers",
    "SD3Transformer2DModel": "convert_sd3_transformer_checkpoint_to_diffusers",
    "WanTransformer3DModel": "convert_wan_transformer_to_diffusers",
    "ZImageTransformer2DModel": "convert_z_image_transformer_checkpoint_to_diffusers",
}


def diffusers(c):
    """Renames models by the tables, and has diffusers rename them back."""
    try:
        import diffusers
        from diffusers.loaders import single_file_utils
    except ImportError as e:
        return print(f"names: diffusers: skipped: {e}")
    count = 0
    for kind, function in CONVERSIONS.items():
        spelling = [s for s in c.tables[kind]["Spellings"] or () if s["Form"] == "original"]
        if not spelling:
            continue
        with torch.device("meta"):
            model = getattr(diffusers, kind)(**collect.PRESETS.get(kind, [{}])[0])
        state = model.state_dict()
        original = spelled(state, spelling[0]["Renames"])
        if isinstance(original, str):
            c.fail(kind, original)
            continue
        count += 1
        try:
            back = getattr(single_file_utils, function)(dict(original))
        except Exception as e:
            c.fail(kind, f"{function}: {type(e).__name__}: {str(e)[:100]}")
            continue
        if back.keys() != state.keys():
            c.fail(kind, f"diffusers makes {sorted(back.keys() - state.keys())[:3]} of the original names, and not "
                         f"{sorted(state.keys() - back.keys())[:3]}")
        for name in back.keys() & state.keys():
            if back[name].shape != state[name].shape:
                c.fail(kind, f"{name}: {list(back[name].shape)}, right is {list(state[name].shape)}")
    print(f"names: diffusers: {count} models converted from original names")


def spelled(state, renames):
    """Returns the tensors of a model under the names of a spelling, or what is wrong."""
    byname = {}
    for rename in renames:
        for i, own in enumerate(rename["From"] or ()):
            byname.setdefault(key(own), []).append((rename, i, own))
    parts, result = {}, {}
    for name, t in state.items():
        for rename, i, own in byname.get(key(name), ()):
            numbers = match(own, name)
            if numbers is not None:
                break
        else:
            return f"{name} has no original name"
        to = rename["To"][0]
        for place, number in numbers.items():
            to = to.replace(place, number)
        parts.setdefault(to, {})[i] = t
    for to, tensors in parts.items():
        result[to] = torch.cat([tensors[i] for i in sorted(tensors)]) if len(tensors) > 1 else tensors[min(tensors)]
    return result


def match(own, name):
    """Returns the numbers that placeholders stand for, or None if the name is another."""
    numbers = {}
    for a, b in zip(own.split("."), name.split(".")):
        if a[0] == "{":
            numbers[a] = b
        elif a != b:
            return None
    return numbers


def slow(*_):
    raise collect.Slow()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--tables", required=True)
    p.add_argument("--seconds", type=float, default=60)
    p.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    p.add_argument("--all", action="store_true")
    p.add_argument("--others", action="store_true")
    o = p.parse_args()
    random.seed(o.seed)
    signal.signal(signal.SIGALRM, slow)
    with open(o.tables) as f:
        c = Comparison(json.load(f))
    if o.others:
        gguf(c)
        diffusers(c)
    of_transformers(c, o)
    print(f"names: {c.wrong} wrong, seed {o.seed}")
    sys.exit(c.wrong > 0)


main()
