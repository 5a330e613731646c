"""Writes benign files with the libraries that people use, and checks what weigh scan says about them.

    python benign.py --weigh PROGRAM --work FOLDER [--count N] [--seconds N] [--seed N] [--keep] [--verbose]

Every library that is installed writes files: torch, numpy, scipy, joblib, scikit-learn, pandas, dill, cloudpickle,
lightning, transformers, accelerate, keras and Python itself. No file may be dangerous, with profiles or without. At
least 85 % of the torch files must be safe without a profile; files of the other libraries are counted with their
profiles. Exits with code 1 on a mismatch. --verbose also prints what made files suspicious, and --only selects writers.

The writers are in benign_*.py. Each is a function that takes a random generator and yields names of files with
functions that write them.
"""

import argparse
import collections
import gzip
import importlib
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time
import traceback
import warnings
import zipfile

WRITERS = ["python", "numpy", "torch", "sklearn", "pandas", "lightning", "transformers", "keras"]
PROFILES = ["torch-modules", "lightning", "transformers", "sklearn", "numpy-random", "pandas"]


def write(writers, folder, count, seconds, seed):
    """Writes up to count files, in turn from all writers, and returns their number and the errors of writers."""
    errors, made = [], 0
    streams = {}
    for name in writers:
        try:
            module = importlib.import_module("benign_" + name)
            streams[name] = module.files(random.Random(seed))
        except ImportError as e:
            errors.append(f"{name}: {e}")
    number = collections.Counter()
    end = time.monotonic() + seconds  # not counting imports, which take longer than many files
    while streams and made < count and time.monotonic() < end:
        for name in list(streams):
            if made >= count or time.monotonic() >= end:
                break
            try:
                file, save = next(streams[name])
            except StopIteration:
                del streams[name]
                continue
            except Exception as e:
                errors.append(f"{name}: {e!r}")
                del streams[name]
                continue
            # Some writers share a folder name with their file, so each file has its own.
            place = folder / name / f"{number[name]:04d}"
            place.mkdir(parents=True)
            number[name] += 1
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    save(place / file)
                made += 1
            except Exception as e:
                shutil.rmtree(place)
                errors.append(f"{name}/{file}: {type(e).__name__}: {str(e)[:200]}")
                if os.environ.get("BENIGN_TRACE"):
                    traceback.print_exc()
    return made, errors


def scan(weigh, folder, profiles):
    """Returns the results of weigh scan for the files in a folder."""
    args = [weigh, "scan", "--json"]
    for p in profiles:
        args += ["--profile", p]
    out = subprocess.run(args + [str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if out.returncode not in (0, 1, 3):
        sys.exit(f"benign: {' '.join(args)} exits with {out.returncode}: {out.stderr[:500]}")
    return json.loads(out.stdout)["files"]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--weigh", required=True)
    p.add_argument("--work", required=True, type=pathlib.Path)
    p.add_argument("--count", type=int, default=300)
    p.add_argument("--seconds", type=float, default=600)
    p.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    p.add_argument("--only", default="")
    p.add_argument("--golden", type=pathlib.Path)
    p.add_argument("--keep", action="store_true")
    p.add_argument("--verbose", action="store_true")
    o = p.parse_args()
    folder = o.work / "benign"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    writers = o.only.split(",") if o.only else WRITERS
    made, errors = write(writers, folder, o.count, o.seconds, o.seed)
    print(f"benign: {made} files, seed {o.seed}")
    for e in errors:
        print(f"benign: not written: {e}")
    bad = 0
    for name in writers:
        if (folder / name).exists():
            bad += judge(o, folder / name, name)
    if o.golden:
        golden(o, writers, folder)
    if not o.keep:
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if bad else 0)


def golden(o, writers, folder):
    """Writes the shortest pickles of each writer to a file, one for each set of imports. The file has no verdicts."""
    lines = []
    for name in writers:
        found = {}
        for f in scan(o.weigh, folder / name, PROFILES) if (folder / name).exists() else []:
            path = pathlib.Path(f["path"])
            names = frozenset(i["name"] for i in f["imports"])
            data = path.read_bytes()
            if zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as z:
                    inner = [n for n in z.namelist() if n.endswith("/data.pkl")]
                    data = z.read(inner[0]) if len(inner) == 1 and f["format"] == "pytorch-zip" else b""
            known = f["format"] in ("pickle", "pytorch-zip")
            if 0 < len(data) <= 2500 and data[:1] == b"\x80" and names and known and f["verdict"] != "unanalysed":
                found.setdefault(names, f"{name} {data.hex()}\n")
        lines += sorted(found.values(), key=len)[:40]
    with gzip.GzipFile(o.golden, "wb", mtime=0) as out:
        out.write("".join(lines).encode())


def judge(o, folder, name):
    """Scans the files of one writer, and prints and returns the number of faults."""
    alone = name in ("python", "numpy", "torch")
    files = scan(o.weigh, folder, [] if alone else PROFILES)
    verdicts = collections.Counter(f["verdict"] for f in files)
    why = collections.Counter(f"{f['verdict']}: {r}" for f in files if f["verdict"] != "safe" for r in reasons_of(f))
    dangerous = [f for f in files + ([] if alone else scan(o.weigh, folder, [])) if f["verdict"] == "dangerous"]
    for f in dangerous:
        print(f"benign: {f['path']} is dangerous: {'; '.join(sorted(reasons_of(f))[:4])}")
    total, bad = len(files), len(dangerous)
    print(f"benign: {name}: " + ", ".join(f"{n} {v}" for v, n in sorted(verdicts.items())))
    if o.verbose:
        for r, n in why.most_common(80):
            print(f"    {n:4d} {r}")
    if name == "torch" and verdicts["safe"] < 0.85 * total:
        print(f"benign: only {verdicts['safe']} of {total} torch files are safe")
        bad += 1
    return bad


def reasons_of(f):
    """Returns the imports and findings that made a file suspicious or dangerous."""
    found = {i["name"] for i in f.get("imports", []) if i["verdict"] != "safe"}
    for x in f.get("findings", []):
        named = x["message"].partition(" is imported")[0] in found
        if not named and x["severity"] != "note" or x["rule"] == "unanalysed":
            found.add(f"{x['rule']}: {x['message'][:150]}")
    return found


if __name__ == "__main__":
    main()
