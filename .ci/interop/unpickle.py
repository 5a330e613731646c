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
import struct
import subprocess
import sys
import time

NAMES = [("os", "system"), ("collections", "OrderedDict"), ("builtins", "eval"), ("torch._utils", "_rebuild_tensor_v2"), ("a.b", "c.d"),
         ("collections", "deque"), ("__builtin__", "set"), ("copy_reg", "_reconstructor"), ("numpy", "ndarray"), ("argparse", "_os.system"),
         ("mymodel", "Net"), ("torch", "FloatStorage"), ("\u00e9", "\u00fc"), ("m", ""), ("builtins", "getattr"), ("functools", "partial")]


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

    return Kind("Recorder", (), {"log": log, "module": module, "attribute": name, "__new__": new, "__call__": again, "__setitem__": ignore,
                                 "append": ignore, "extend": ignore, "add": ignore, "__hash__": lambda self: 1, "__setstate__": ignore})


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


def le(n, size):
    return (n & ((1 << 8 * size) - 1)).to_bytes(size, "little")


class Program:
    """Writes random instructions, with a rough idea of the stack."""

    def __init__(self, r):
        self.r, self.out, self.stack, self.marks, self.memo = r, bytearray(), [], [], 0

    def push(self, kind, code):
        self.out += code
        self.stack.append(kind)

    def text(self):
        return self.r.choice(["os", "system", "a", "", "x" * 300, "\u00e9", "collections", "OrderedDict", "builtins", "eval", "1", "a\nb"])

    def value(self):
        r = self.r
        t = self.text()
        b = t.encode()
        line = t.replace("\n", " ")
        choice = r.randrange(26)
        simple = [lambda: ("none", b"N"), lambda: ("bool", r.choice([b"\x88", b"\x89", b"I00\n", b"I01\n"])), lambda: ("int", b"K" + bytes([r.randrange(256)])),
                  lambda: ("int", b"M" + le(r.randrange(1 << 16), 2)), lambda: ("int", b"J" + le(r.randrange(1 << 32), 4)),
                  lambda: ("int", b"I" + r.choice([b"5", b"-1", b"0x1f", b"007", b" 3", b"1_0", b"0o17", b"9" * 30]) + b"\n"),
                  lambda: ("int", b"L" + r.choice([b"5L", b"5", b"-7L", b"0x10L", b"1_0L"]) + b"\n"), lambda: ("int", b"\x8a\x01\x05"), lambda: ("int", b"\x8b" + le(2, 4) + b"\x01\x02"),
                  lambda: ("float", b"G" + struct.pack(">d", 1.5)), lambda: ("float", b"F" + r.choice([b"1.5", b"nan", b"1e999", b" 1", b"1_0.5"]) + b"\n"),
                  lambda: ("str", b"\x8c" + bytes([len(b)]) + b if len(b) < 256 else b"X" + le(len(b), 4) + b), lambda: ("str", b"X" + le(len(b), 4) + b),
                  lambda: ("str", b"\x8d" + le(len(b), 8) + b), lambda: ("str", b"V" + r.choice([line.encode("raw_unicode_escape"), b"\\u0061b", b"o\\u0073"]) + b"\n"),
                  lambda: ("str", b"U" + bytes([min(len(b), 255)]) + b[:255]), lambda: ("str", b"T" + le(len(b), 4) + b),
                  lambda: ("str", b"S" + r.choice([ascii(line).encode(), b"'os'", b'"system"', b"'o\\x73'", b"'o\\163' "]) + b"\n"),
                  lambda: ("bytes", b"C" + bytes([min(len(b), 255)]) + b[:255]), lambda: ("bytes", b"B" + le(len(b), 4) + b), lambda: ("bytes", b"\x8e" + le(len(b), 8) + b),
                  lambda: ("bytearray", b"\x96" + le(len(b), 8) + b), lambda: ("tuple", b")"), lambda: ("list", b"]"), lambda: ("dict", b"}"), lambda: ("set", b"\x8f")]
        return simple[choice]()

    def name(self):
        r = self.r
        module, name = r.choice(NAMES)
        how = r.randrange(4)
        if how == 0 or "\n" in name:
            self.push("class", b"c" + module.encode() + b"\n" + name.encode() + b"\n")
        elif how == 1:
            self.push("str", b"\x8c" + bytes([len(module.encode())]) + module.encode())
            self.push("str", b"\x8c" + bytes([len(name.encode())]) + name.encode())
            self.reduce2("class", b"\x93")
        elif how == 2:
            self.push("str", b"X" + le(len(module.encode()), 4) + module.encode())
            self.memoize()
            self.push("str", b"S" + ascii(name).encode() + b"\n")
            self.reduce2("class", b"\x93")
        else:
            self.mark()
            self.push("object", b"i" + module.encode() + b"\n" + name.encode() + b"\n")
            self.marks.pop()

    def reduce2(self, kind, code):
        del self.stack[-2:]
        self.push(kind, code)

    def mark(self):
        self.out += b"("
        self.marks.append(len(self.stack))

    def memoize(self):
        r = self.r
        if r.random() < 0.5:
            self.out += b"\x94"
        else:
            n = r.choice([self.memo, r.randrange(8), 255])
            self.out += r.choice([b"q" + bytes([n]), b"r" + le(n, 4), b"p%d\n" % n])
        self.memo += 1

    def step(self):
        r, s = self.r, self.stack
        low = self.marks[-1] if self.marks else 0
        have = len(s) - low
        c = r.randrange(24)
        if c < 6:
            self.push(*self.value())
        elif c < 8:
            self.name()
        elif c == 8:
            self.mark()
        elif c == 9 and self.marks:
            at = self.marks.pop()
            inside, code = s[at:], r.choice([b"t", b"l", b"d", b"1", b"\x91", b"o"])
            del s[at:]
            kind = {b"t": "tuple", b"l": "list", b"d": "dict", b"\x91": "tuple", b"o": "object"}.get(code)
            self.out += code
            if kind:
                s.append(kind)
        elif c == 10 and have >= 2:
            self.reduce2("tuple", b"\x86")
        elif c == 11 and have >= 1:
            s.pop()
            self.push("tuple", b"\x85")
        elif c == 12 and have >= 3:
            del s[-3:]
            self.push("tuple", b"\x87")
        elif c in (13, 14) and have >= 1 and s[-1] in ("class", "object"):
            self.push("tuple", b")")
            if r.random() < 0.3:
                self.push("dict", b"}")
                self.out += b"\x92"
                del s[-3:]
            else:
                self.out += r.choice([b"R", b"\x81"])
                del s[-2:]
            s.append("object")
        elif c == 15 and have >= 2 and s[-1] == "tuple" and s[-2] in ("class", "object"):
            self.reduce2("object", r.choice([b"R", b"\x81"]))
        elif c == 16 and have >= 2 and s[-2] in ("object", "class"):
            s.pop()
            self.out += r.choice([b"b", b"a"])
        elif c == 17 and have >= 2 and s[-2] == "list":
            s.pop()
            self.out += b"a"
        elif c == 18 and have >= 3 and s[-3] in ("dict", "object"):
            del s[-2:]
            self.out += b"s"
        elif c == 19 and have >= 1:
            self.memoize()
        elif c == 20 and self.memo:
            n = r.randrange(self.memo)
            self.push(r.choice(["str", "object", "class"]), r.choice([b"h" + bytes([n & 255]), b"j" + le(n, 4), b"g%d\n" % n]))
        elif c == 21 and have >= 1:
            if r.random() < 0.5:
                s.pop()
                self.out += b"0"
            else:
                self.push(s[-1], b"2")
        elif c == 22:
            extra = r.randrange(5)
            if extra == 0:
                self.push("object", b"P" + r.choice([b"1", b"storage", b"\xc3\xa9", b""]) + b"\n")
            elif extra == 1 and have >= 1:
                s.pop()
                self.push("object", b"Q")
            elif extra == 2:
                self.out += b"\x80" + bytes([r.choice([2, 3, 4, 5])])
            elif extra == 3:
                self.out += b"\x95" + le(r.choice([0, 1, 5, 1 << 20]), 8)
            else:
                self.push("str", b"\x8c\x02os")
                self.push("str", b"\x8c\x06system")
                self.reduce2("class", b"\x93")
        elif have >= 3 and s[-2] == "str" and s[-1] == "str":
            self.reduce2("class", b"\x93")

    def bytes(self):
        if self.r.random() < 0.7:
            self.out += b"\x80" + bytes([self.r.choice([0, 1, 2, 3, 4, 4, 5])])
        for _ in range(self.r.randint(1, 40)):
            self.step()
        while self.marks and self.r.random() < 0.9:
            self.out += b"t"
            del self.stack[self.marks.pop():]
            self.stack.append("tuple")
        self.out += b"." if self.r.random() < 0.9 else b""
        return bytes(self.out)


def mutate(r, data, other):
    """Returns data with a few bytes or runs of bytes changed."""
    b = bytearray(data)
    for _ in range(r.choice([1, 1, 1, 2, 3, 8])):
        if not b:
            break
        i, how = r.randrange(len(b)), r.randrange(7)
        if how == 0:
            b[i] = r.randrange(256)
        elif how == 1:
            b[i] ^= 1 << r.randrange(8)
        elif how == 2:
            del b[i:i + r.randint(1, 4)]
        elif how == 3:
            b[i:i] = bytes([r.choice(b"()]}NRtabdeghijloqrsu.0123\x80\x81\x85\x86\x87\x93\x94\x8c\x90\x91\x95")])
        elif how == 4:
            j = r.randrange(len(other))
            b[i:i] = other[j:j + r.randint(1, 60)]
        elif how == 5:
            b[i:i] = b[r.randrange(len(b)):][:r.randint(1, 30)]
        else:
            b[i:i + 1] = r.choice([b"cos\nsystem\n", b"\x8c\x02os\x8c\x06system\x93", b"(S'x'\nios\nsystem\n", b")R", b"N", b"\x94", b"h\x00", b"0"])
    return bytes(b[:1 << 16])


def seeds(folder):
    """Returns small pickles to mutate."""
    found = [pickle.dumps(v, p) for p in range(6) for v in ([1, "a", None, {"k": (1.5, b"x")}], {1, 2}, OSError(2, "x"), slice(1, 2), "a" * 300)]
    if folder:
        for f in sorted(pathlib.Path(folder).rglob("*")):
            if f.is_file() and f.stat().st_size < 1 << 14:
                found.append(f.read_bytes())
    return [f for f in found if f]


def compare(result, file):
    """Returns what is wrong with the report of a file, or ""."""
    end, log = result
    # In data that may be no pickle, names that are no identifiers are not reported.
    imports = {tuple(e[1:]) for e in log if e[0] == "import" and (
        file and file["verdict"] == "safe" or (e[1] + "." + e[2]).replace(".", "").isidentifier())}
    called = {tuple(e[1:]) for e in log if e[0] == "call" and e[1]}
    if file is None:
        return "there is no report" if imports else ""
    if file["omitted"] or file["limited"]:
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
    out = subprocess.run([o.weigh, "scan", "--json", str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
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
    process = subprocess.Popen([sys.executable, __file__, "--child"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)
    while time.monotonic() < end and total[0] < 20:
        for i, n in enumerate(round_of(o, r, pool, o.work / "unpickle", process)):
            total[i] += n
        total[3] += o.batch
    process.stdin.close()
    process.wait()
    print(f"unpickle: {total[3]} pickles, of which {total[1]} import and {total[2]} load, seed {o.seed}: {total[0]} disagree")
    sys.exit(1 if total[0] else 0)


if __name__ == "__main__":
    main()
