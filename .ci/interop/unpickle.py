"""Compares the imports and calls that weigh scan finds in pickles with those that Python's C unpickler makes.

    unpickle.py --weigh PROGRAM [--work FOLDER] [--seconds N] [--seed N] [--seeds FOLDER]

Generates programs of all instructions, valid as far as the stack goes and then mutated, and mutates the pickles in the
folder --seeds. The C unpickler loads each in a child process, with find_class and persistent_load replaced by functions
that note what they are asked for and return objects that can be called, built and filled. Every import that C makes
must be in the report of the file, and every import that C calls must be reported as called. If C asked for a
persistent object or imported anything that is not safe, the file must not be safe.

Files that disagree are kept, and their paths are printed. Exits with code 1 if there are any.
"""

import argparse
import io
import json
import pathlib
import pickle
import random
import resource
import shutil
import subprocess
import sys
import time

from programs import Program, mutate


class Kind(type):
    """The type of what find_class returns."""

    def __call__(cls, *args, **kwargs):
        cls.log.append(("call", cls.module, cls.attribute))
        return Kind.made(cls)

    def made(cls):
        return object.__new__(cls)


def recorder(log, module, name):
    """Returns a class that notes its calls, and whose objects take whatever a pickle does to them."""

    def new(cls, *args, **kwargs):
        log.append(("call", module, name))
        return object.__new__(cls)

    def ignore(self, *args, **kwargs):
        return None

    def again(self, *args, **kwargs):
        log.append(("computed", module, name))
        return object.__new__(type(self))

    return Kind(
        "Recorder",
        (),
        {
            "log": log,
            "module": module,
            "attribute": name,
            "__new__": new,
            "__call__": again,
            "__setitem__": ignore,
            "append": ignore,
            "extend": ignore,
            "add": ignore,
            "__hash__": lambda self: 1,
            "__setstate__": ignore,
        },
    )


class Unpickler(pickle.Unpickler):
    """The C unpickler with its two hooks."""

    def __init__(self, data):
        super().__init__(io.BytesIO(data), buffers=[])
        self.log = []

    def find_class(self, module, name):
        self.log.append(("import", module, name))
        return recorder(self.log, module, name)

    def persistent_load(self, pid):
        self.log.append(("persistent", "", repr(pid)[:60]))
        return recorder(self.log, "", "persistent")


def child():
    """Loads the files named on standard input, and prints what each asked for."""
    resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
    sys.setrecursionlimit(5000)
    for line in sys.stdin:
        data = pathlib.Path(line.rstrip("\n")).read_bytes()
        u = Unpickler(data)
        try:
            u.load()
            end = "stop"
        except BaseException as e:
            end = type(e).__name__
        print(json.dumps([end, u.log]), flush=True)


def seeds(folder):
    """Returns small pickles to mutate."""
    found = [
        pickle.dumps(v, p)
        for p in range(6)
        for v in ([1, "a", None, {"k": (1.5, b"x")}], {1, 2}, OSError(2, "x"), slice(1, 2), "a" * 300)
    ]
    if folder:
        for f in sorted(pathlib.Path(folder).rglob("*")):
            if f.is_file() and f.stat().st_size < 1 << 14:
                found.append(f.read_bytes())
    return [f for f in found if f]


def compare(result, file):
    """Returns what is wrong with the report of a file, or ""."""
    end, log = result
    # In data that may be no pickle, names that are no identifiers are not reported.
    imports = {
        tuple(e[1:])
        for e in log
        if e[0] == "import"
        and (file and file["verdict"] == "safe" or all(p.isidentifier() for p in f"{e[1]}.{e[2]}".split(".")))
    }
    called = {tuple(e[1:]) for e in log if e[0] == "call" and e[1]}
    if file is None:
        return "there is no report" if imports else ""
    if file["omitted"] or file["limited"]:
        return ""
    # C drops the rest of a frame in which a line does not end, and Python refuses it: the names differ, and
    # the file is suspicious for that alone.
    if any(f["rule"] == "frame-violation" for f in file["findings"]) and file["verdict"] in ("suspicious", "dangerous"):
        return ""
    ours, ours_called = set(), set()
    for i in file["imports"]:
        for name in i["name"].split("=>") + [i["resolved"]]:
            ours.add(unquoted(name)[:SHOWN])
            if i["called"]:
                ours_called.add(unquoted(name)[:SHOWN])
    missing = sorted(shown(m, n) for m, n in imports if shown(m, n) not in ours)
    if missing:
        return "does not report the import of " + ", ".join(missing[:3])
    missing = sorted(shown(m, n) for m, n in called if shown(m, n) not in ours_called)
    if missing:
        return "does not report the call of " + ", ".join(missing[:3])
    if file["verdict"] == "safe" and any(e[0] in ("persistent", "computed") for e in log):
        return "is safe although it asks for a persistent object or calls a computed value"
    return ""


SHOWN = 100  # the reports shorten long names


def shown(module, name):
    """Returns a name as reports have it."""
    return (module + "." + name if module else name)[:SHOWN]


def unquoted(name):
    """Returns a name without the quotes that reports give to unusual ones."""
    if name.startswith('"'):
        try:
            return json.loads(name)
        except ValueError:
            pass
    return name


def round_of(o, r, pool, folder, process):
    """Makes, loads and scans a batch of files, and prints and returns the number of those that disagree."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for n in range(o.batch):
        data = Program(r).bytes() if r.random() < 0.6 else r.choice(pool)
        if r.random() < 0.5:
            data = mutate(r, data, r.choice(pool))
        if r.random() < 0.05:
            pool[r.randrange(len(pool))] = data or b"N."
        (folder / f"{n:05d}.pkl").write_bytes(data)
    paths = sorted(folder.iterdir())
    results = []
    for p in paths:
        process.stdin.write(f"{p}\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:
            sys.exit(f"unpickle: the unpickler ended at {p}")
        results.append(json.loads(line))
    out = subprocess.run(
        [o.weigh, "scan", "--json", str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    if out.returncode not in (0, 1, 3):
        sys.exit(f"unpickle: weigh exits with {out.returncode}: {out.stderr[:400]}")
    files = {pathlib.Path(f["path"]).name: f for f in json.loads(out.stdout)["files"]}
    bad = 0
    for p, result in zip(paths, results):
        what = compare(result, files.get(p.name))
        if what:
            bad += 1
            kept = o.work / "unpickle-kept" / f"{r.randrange(1 << 30):08x}.pkl"
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(p, kept)
            print(f"unpickle: {kept} {what} ({files.get(p.name, {}).get('verdict')}; C: {result[0]})", flush=True)
    imports = sum(1 for e, log in results if any(x[0] == "import" for x in log))
    return bad, imports, sum(1 for e, log in results if e == "stop")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--weigh")
    p.add_argument("--work", type=pathlib.Path, default=pathlib.Path("unpickle-files"))
    p.add_argument("--seconds", type=float, default=60)
    p.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    p.add_argument("--seeds")
    p.add_argument("--batch", type=int, default=500)
    p.add_argument("--child", action="store_true")
    o = p.parse_args()
    if o.child:
        return child()
    r, end, total = random.Random(o.seed), time.monotonic() + o.seconds, [0, 0, 0, 0]
    pool = seeds(o.seeds)
    process = subprocess.Popen(
        [sys.executable, __file__, "--child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    while time.monotonic() < end and total[0] < 20:
        for i, n in enumerate(round_of(o, r, pool, o.work / "unpickle", process)):
            total[i] += n
        total[3] += o.batch
    process.stdin.close()
    process.wait()
    print(
        f"unpickle: {total[3]} pickles ({total[1]} import, {total[2]} load), seed {o.seed}: {total[0]} disagree"
    )
    sys.exit(1 if total[0] else 0)


if __name__ == "__main__":
    main()
