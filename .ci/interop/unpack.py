"""Lets packers that are installed quantize a small model, replaces all numbers by random ones, and compares what weigh
unpacks with the weights that the program which defines the scheme computes. All bits have to be equal.

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

def main():
    o = compare.options("unpack", "packers by name, separated by commas")
    torch.manual_seed(o.seed)
    torch.set_num_threads(1)
    packers_absent.install()
    todo = []
    for packer in packers_of_weights.PACKERS:
        name = packer.__name__
        if name not in unpack_cases.REFERENCES or o.only and name not in o.only.split(","):
            continue
        try:
            with contextlib.redirect_stderr(io.StringIO()):
                todo += [(name, how, make) for how, make in packer()]
        except ImportError as e:
            print(f"unpack: not installed: {name} ({e})")
    if not o.all:
        random.shuffle(todo)
    end, count = time.monotonic() + o.seconds, collections.defaultdict(collections.Counter)
    for packer, how, make in todo:
        if not o.all and time.monotonic() > end - 2:
            break
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                c = make()
        except Exception as e:
            count[packer][f"not packed ({type(e).__name__})"] += 1
            continue
        compare_values(o, packer, how, c, count[packer])
    shutil.rmtree(o.work, ignore_errors=True)
    for packer, n in sorted(count.items()):
        print(f"unpack: {packer}: " + ", ".join(f"{k} {v}" for v, k in sorted(n.items())))
    sys.exit(any(n["wrong"] for n in count.values()))


def compare_values(o, packer, how, c, count):
    folder = o.work / f"{packer}-{how}".replace(" ", "-")
    folder.mkdir()
    tensors = unpack_cases.shuffled_case(c)
    save_file(tensors, folder / "model.safetensors", {"format": "pt"} | c.metadata)
    (folder / "config.json").write_text(json.dumps(c.config, default=str))
    q = unpack_cases.config_of(packer, how, c)
    linear = packers_model.llama(**packers_model.ODD if how.endswith("odd") else {})[0]
    r = subprocess.run([o.weigh, folder, o.work / "out.safetensors"], capture_output=True, text=True)
    got = load_file(o.work / "out.safetensors")
    for m, parts in unpack_cases.modules(tensors).items():
        metadata = json.loads(c.metadata.get(m + ".weight", "{}"))
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                want = unpack_cases.reference(packer, how)(parts, (q or {}) | {"inputs": linear[m][1]}, metadata)
        except Exception as e:
            count["without a reference"] += 1
            print(f"unpack: {packer} {how}: {type(e).__name__}: {e}")
            return
        if m + ".weight" not in got:
            count["left packed"] += 1
            print(f"unpack: {packer} {how}: {r.stdout.splitlines()[:1]}")
            break
        have = got[m + ".weight"]
        if have.shape != want.shape or not torch.equal(unpack_cases.bits_of(have), unpack_cases.bits_of(want)):
            count["wrong"] += 1
            off = (have - want).abs().max() if have.shape == want.shape else (have.shape, want.shape)
            print(f"unpack: {packer} {how}: {m}: differs by {off}")
            break
    else:
        count["equal"] += 1
    shutil.rmtree(folder)


main()
