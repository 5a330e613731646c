"""The options of architectures.py, loads.py, origin.py and packers.py, and what weigh says about models in folders."""

import argparse
import json
import pathlib
import random
import shutil
import subprocess
import sys


def parser(name, only):
    """Returns the parser of the options that all have. The help of --only is only."""
    p = argparse.ArgumentParser(prog=name)
    p.add_argument("--weigh", required=True)
    p.add_argument("--work", required=True, type=pathlib.Path)
    p.add_argument("--seconds", type=float, default=60)
    p.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    p.add_argument("--all", action="store_true")
    p.add_argument("--only", default="", help=only)
    return p


def parsed(p):
    """Parses the command line, empties the folder for models, and seeds random."""
    o = p.parse_args()
    o.name = p.prog
    shutil.rmtree(o.work, ignore_errors=True)
    o.work.mkdir(parents=True)
    random.seed(o.seed)
    return o


def options(name, only):
    """Parses the command line of a program without options of its own."""
    return parsed(parser(name, only))


def weigh(o, *args):
    """Runs weigh and returns the object that it prints."""
    out = subprocess.run([o.weigh, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        return json.loads(out.stdout)
    except ValueError:
        sys.exit(f"{o.name}: weigh {' '.join(args)[:300]} exits with {out.returncode}: {out.stderr[:500]}")


def info(o, folders):
    """Returns the models in each of the folders."""
    models = {str(f): [] for f in folders}
    for m in weigh(o, "info", "--json", "--limit", "0", *models)["models"]:
        models.setdefault(str(pathlib.Path(m["name"]).parent), []).append(m)
    return models


def findings(o, folders, *options):
    """Returns the findings of check above a note."""
    found = weigh(o, "check", "--json", "--fail-on", "never", *options, *map(str, folders))["findings"]
    return [f for f in found if f["severity"] != "note"]
