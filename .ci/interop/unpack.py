"""Lets packers that are installed quantize a small model, replaces all numbers by random ones, and compares what weigh
unpacks with the weights that the program which defines the scheme computes in float32. All bits have to be equal.

    python unpack.py --weigh PROGRAM --work FOLDER [--seconds N] [--seed N] [--all] [--only NAMES]

Without --all, outputs are taken in random order until the time is over. Exits with code 1 if a value differs.
"""

import collections
import contextlib
import io
import json
import random
import shutil
import subprocess
import sys
import time

try:
    import torch
    from safetensors.torch import load_file, save_file
except ImportError as e:
    print(f"unpack: skipped: {e}")
    sys.exit(0)

import compare
import packers_absent
import packers_model
import packers_of_weights
import unpack_cases


def outputs(o):
    """Returns packers with names of outputs and functions that make them."""
    todo = []
    for packer in packers_of_weights.PACKERS:
        name = packer.__name__
        if name not in unpack_cases.REFERENCES or o.only and name not in o.only.split(","):
            continue
        try:
            todo += [(name, how, make) for how, make in packer()]
        except ImportError as e:
            print(f"unpack: not installed: {name} ({e})")
    return todo


def unpacked(o, folder, tensors, c):
    """Writes a model, and returns what weigh unpacks of it."""
    folder.mkdir()
    save_file(tensors, folder / "model.safetensors", {"format": "pt"} | c.metadata)
    (folder / "config.json").write_text(json.dumps(c.config, default=str))
    r = subprocess.run([o.weigh, "edit", "--unpack", folder, "-o", folder / "plain"], capture_output=True, text=True)
    plain = folder / "plain/model.safetensors"
    return load_file(plain) if plain.exists() else {}, (r.stderr + r.stdout).strip()


def compare_values(o, packer, how, c):
    """Returns what is right or wrong about an output."""
    folder = o.work / f"{packer}-{how}".replace(" ", "-")
    tensors = unpack_cases.shuffled_case(c)
    got, said = unpacked(o, folder, tensors, c)
    shutil.rmtree(folder)
    q = unpack_cases.config_of(packer, how, c) or {}
    linear = packers_model.llama(**packers_model.ODD if how.endswith("odd") else {})[0]
    for m, parts in unpack_cases.modules(tensors).items():
        if m + ".weight" not in got:
            print(f"unpack: {packer} {how}: {said[-300:]}")
            return "left packed"
        metadata = json.loads(c.metadata.get(m + ".weight", "{}"))
        want = unpack_cases.reference(packer, how)(parts, q | {"inputs": linear[m][1]}, metadata)
        have = got[m + ".weight"]
        if have.shape != want.shape or not torch.equal(unpack_cases.bits_of(have), unpack_cases.bits_of(want)):
            print(f"unpack: {packer} {how}: {m} differs: {tuple(have.shape)}, right is {tuple(want.shape)}")
            return "wrong"
    return "equal"


def main():
    o = compare.options("unpack", "packers by name, separated by commas")
    packers_absent.install()
    torch.manual_seed(o.seed)
    torch.set_num_threads(1)
    torch._dynamo.config.disable = True
    with contextlib.redirect_stderr(io.StringIO()):
        todo = outputs(o)
    if not o.all:
        random.shuffle(todo)
    end, count = time.monotonic() + o.seconds, collections.defaultdict(collections.Counter)
    for packer, how, make in todo:
        if not o.all and time.monotonic() > end - 2:
            break
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                c = make()
        except Exception as e:  # some need a GPU
            count[packer][f"not packed ({type(e).__name__})"] += 1
            continue
        if unpack_cases.reference(packer, how):
            count[packer][compare_values(o, packer, how, c)] += 1
    shutil.rmtree(o.work, ignore_errors=True)
    for packer, n in sorted(count.items()):
        print(f"unpack: {packer}: " + ", ".join(f"{v} {k}" for k, v in sorted(n.items())))
    print(f"unpack: seed {o.seed}")
    sys.exit(any(n["wrong"] for n in count.values()))


main()
