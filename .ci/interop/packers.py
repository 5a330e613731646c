"""Lets packers that are installed quantize small models, and checks what weigh says about them.

    python packers.py --weigh PROGRAM --work FOLDER [--seconds N] [--seed N] [--all] [--only NAMES]

The right number of parameters is that of the model before. A range has to contain it and is counted; a wrong count, and
a finding above a note in check --data, are failures. Without --all, outputs are taken in random order until the time is
over. Exits with code 1 if weigh is wrong.
"""

import collections
import contextlib
import io
import json
import pathlib
import random
import shutil
import sys
import time

try:
    import torch
    from safetensors.torch import save_file
except ImportError as e:
    print(f"packers: skipped: {e}")
    sys.exit(0)

import compare
import packers_absent


def write(make, folder):
    """Writes a model and returns its number of parameters."""
    c = make()
    folder.mkdir()
    tensors = {k: v.contiguous() for k, v in c.tensors.items()}
    save_file(tensors, folder / "model.safetensors", {"format": "pt"} | c.metadata)
    (folder / "config.json").write_text(json.dumps(c.config, default=str))
    return c.right


def judge(o, rights, count):
    """Compares what weigh says about folders with what is right."""
    if not rights:
        return
    found = compare.info(o, rights)
    for folder, right in rights.items():
        n = found[str(folder)][-1]["logical"] if found[str(folder)] else {"params": 0, "bounds": [0, 0]}
        packer = folder.name.partition("-")[0]
        if n["params"] == right:
            count[packer, "exact"] += 1
        elif n["params"] is None and n["bounds"][0] <= right <= n["bounds"][1]:
            count[packer, "range"] += 1
            print(f"packers: {folder.name}: a range, {n['bounds']}, for {right}")
        else:
            count[packer, "wrong"] += 1
            print(f"packers: {folder.name}: {n['params'] or n['bounds']} parameters, right are {right}")
    for f in compare.findings(o, rights, "--data"):
        count["check", "wrong"] += 1
        print(f"packers: {pathlib.Path(f['file']).parent.name}: {f['rule']}: {f['message']}")
    for folder in rights:
        shutil.rmtree(folder)


def outputs(o):
    """Returns names of outputs with functions that write them to a folder and return the right number."""
    import packers_of_models
    import packers_of_weights

    all, absent = [], []
    for packer in packers_of_weights.PACKERS + packers_of_models.PACKERS:
        if o.only and packer.__name__ not in o.only.split(","):
            continue
        whole = packer in packers_of_models.PACKERS
        try:
            for name, make in packer():
                name = f"{packer.__name__}-{name.replace(' ', '-')}"
                all.append((name, make if whole else lambda folder, m=make: write(m, folder)))
        except ImportError as e:
            absent.append(f"{packer.__name__} ({e})")
    if absent:
        print(f"packers: not installed: {', '.join(absent)}")
    return all


def main():
    o = compare.options("packers", "packers by name, separated by commas")
    packers_absent.install()
    torch.manual_seed(o.seed)
    torch.set_num_threads(1)
    with contextlib.redirect_stderr(io.StringIO()):
        todo = outputs(o)
    if not o.all:
        random.shuffle(todo)
    end, rights, count, failed = time.monotonic() + o.seconds, {}, collections.Counter(), collections.Counter()
    for name, make in todo:
        if not o.all and time.monotonic() > end - 2:
            break
        folder = o.work / name
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                right = make(folder)
            rights[folder] = right
        except Exception as e:  # some need a GPU
            shutil.rmtree(folder, ignore_errors=True)
            failed[f"{name.partition('-')[0]}: {type(e).__name__}: {str(e)[:120]}"] += 1
        if len(rights) == 40:
            judge(o, rights, count)
            rights = {}
    judge(o, rights, count)
    shutil.rmtree(o.work, ignore_errors=True)
    for why, n in failed.items():
        print(f"packers: {n} not packed: {why}")
    by = collections.defaultdict(list)
    for (packer, how), n in sorted(count.items()):
        by[packer].append(f"{n} {how}")
    print("packers: " + "; ".join(f"{k}: {', '.join(v)}" for k, v in by.items()) + f"; seed {o.seed}")
    sys.exit(any(how == "wrong" for _, how in count))


main()
