"""Saves arrays and tensors, converts the files, and compares the values; and compares diff --values with NumPy.

    python values.py --weigh PROGRAM --work FOLDER [--seconds N] [--seed N]

Arrays have each dtype of NumPy and ml_dtypes, orders, strides and byte orders, and are saved in each pickle protocol and
in .npz archives. With torch, also tensors with strides, shared storages and names of all lengths, in both file formats and
in compressed archives, and TorchScript modules, whose names must be those of state_dict. Arrays that safetensors cannot
represent must be an error without --drop-unsupported, and skipped with it. Exits with code 1 on a mismatch.
"""
import argparse
import io
import json
import pathlib
import pickle
import random
import subprocess
import sys
import time
import zipfile

import ml_dtypes
import numpy as np

try:
    import torch
except ImportError:
    torch = None

PLAIN = ["?", "u1", "i1", "u2", "i2", "f2", "u4", "i4", "f4", "u8", "i8", "f8", "c8", "q", "Q", "l"]
NARROW = ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"]
LACKING = ["c16", "g", "U3", "S2", "M8[D]", "m8[s]", "V3", "O", "f4,i2", "float8_e4m3", "float8_e3m4", "int4", "float4_e2m1fn"]


def dtype(name):
    return np.dtype(getattr(ml_dtypes, name)) if hasattr(ml_dtypes, name) else np.dtype(name)


def array(r, name):
    d = dtype(name)
    shape = tuple(r.choice([0, 1, 2, 3, 5]) for _ in range(r.randrange(4)))
    if d.hasobject:
        a = np.full(shape, None, d)
    else:
        n = int(np.prod(shape, dtype=int))
        a = np.frombuffer(bytes(r.randrange(128) for _ in range(n * d.itemsize)), d).reshape(shape).copy()
        if name == "?":
            a = np.asarray(a.view("u1") & 1, "u1").view("?").reshape(shape)
    how = r.randrange(5)
    if how == 1:
        a = np.asfortranarray(a)
    elif how == 2 and a.ndim:
        a = a.transpose(r.sample(range(a.ndim), a.ndim))
    elif how == 3 and a.ndim:
        a = a[::2]
    elif how == 4 and name in PLAIN and d.itemsize > 1:
        a = a.astype(d.newbyteorder(">"))
    return a


def expected(a):
    a = np.asarray(a)
    if a.dtype.byteorder == ">":
        a = a.astype(a.dtype.newbyteorder("<"))
    return a.shape, a.tobytes()


def read(path):
    b = path.read_bytes()
    n = int.from_bytes(b[:8], "little")
    header = json.loads(b[8 : 8 + n])
    header.pop("__metadata__", None)
    return {k: (tuple(v["shape"]), b[8 + n + v["data_offsets"][0] : 8 + n + v["data_offsets"][1]]) for k, v in header.items()}


class Comparison:
    def __init__(self, options):
        self.weigh, self.work = options.weigh, pathlib.Path(options.work)
        self.work.mkdir(parents=True, exist_ok=True)
        self.files = self.wrong = 0

    def convert(self, path, *flags):
        out = self.work / "out.safetensors"
        out.unlink(missing_ok=True)
        r = subprocess.run([self.weigh, "convert", path, "-o", out, "-q", "--convert-anyway", *flags], capture_output=True, text=True)
        return r, read(out) if out.exists() else None

    def fail(self, path, what):
        self.wrong += 1
        kept = path.with_name(f"wrong-{self.wrong}-{path.name}")
        kept.write_bytes(path.read_bytes())
        print(f"values: {kept}: {what}")

    def check(self, name, data, want, lacking=()):
        path = self.work / name
        path.write_bytes(data)
        self.files += 1
        r, got = self.convert(path)
        if lacking:
            if r.returncode != 1 or got is not None:
                self.fail(path, f"exit code {r.returncode} with {sorted(lacking)}: {r.stderr.strip()}")
            r, got = self.convert(path, "--drop-unsupported")
        if got is None or got != want:
            names = got and sorted(k for k in want | got if want.get(k) != got.get(k))
            self.fail(path, f"differs in {names}: {r.stderr.strip()}")


def arrays(c, r):
    names = r.sample(PLAIN, r.randrange(4)) + r.sample(NARROW, r.randrange(3))
    lacking = r.sample(LACKING, 1) if r.random() < 0.3 else []
    made = {n: array(r, n) for n in ["f4"] + names + lacking}
    want = {n: expected(a) for n, a in made.items() if n not in lacking}
    order = list(made)
    r.shuffle(order)
    made = {n: made[n] for n in order}
    protocol = r.randrange(6)
    c.check(f"p{protocol}.pkl", pickle.dumps(made, protocol), want, lacking)
    b = io.BytesIO()
    plain = {n: a for n, a in made.items() if n in PLAIN}
    if "O" not in lacking:
        plain |= {n: made[n] for n in lacking if not hasattr(ml_dtypes, n)}
    (np.savez if r.random() < 0.5 else np.savez_compressed)(b, **{"array " + n: a for n, a in plain.items()})
    c.check("a.npz", b.getvalue(), {"array " + n: w for n, w in want.items() if n in PLAIN}, [n for n in lacking if n in plain])
    if torch:
        b = io.BytesIO()
        torch.save(made, b, pickle_protocol=r.randrange(2, 6), _use_new_zipfile_serialization=r.random() < 0.7)
        c.check("arrays.pt", b.getvalue(), want, lacking)


def bytes_of(t):
    flat = torch.empty(t.numel(), dtype=t.dtype).copy_(t.detach().reshape(-1))
    return tuple(t.shape), flat.view(torch.uint8).numpy().tobytes() if t.numel() else b""


def tensors(c, r):
    kinds = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8,
             torch.uint8, torch.bool, torch.complex64, torch.float8_e4m3fn, torch.float8_e5m2, torch.uint16, torch.uint32]
    made = {}
    for i in range(r.randrange(1, 6)):
        shape = [r.randrange(1, 5) for _ in range(r.randrange(1, 4))]
        t = torch.randint(0, 2, shape).to(r.choice(kinds))
        how = r.randrange(5)
        if how == 1:
            t = t.permute(r.sample(range(t.ndim), t.ndim))
        elif how == 2:
            t = t[..., ::2]
        elif how == 3:
            t = t[:1].expand(3, *t.shape[1:])
        elif how == 4:
            made[f"shared{i}"] = t[:1]
        made[f"w{i}"] = t
    want = {n: bytes_of(t) for n, t in made.items()}
    new = r.random() < 0.8
    path = c.work / ("s" * r.randrange(1, 100) + ".pt")
    torch.save(made, path, _use_new_zipfile_serialization=new)
    data = path.read_bytes()
    path.unlink()
    if new and r.random() < 0.4:
        b = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(b, "w", zipfile.ZIP_DEFLATED) as z:
            for i in old.infolist():
                z.writestr(i.filename, old.read(i))
        data = b.getvalue()
    c.check("tensors.pt", data, want)


def modules(c, r):
    nn = torch.nn
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(r.randrange(1, 4))])
            self.norm = nn.BatchNorm1d(2)
            self.position = torch.arange(3)
            self.register_buffer("mask", torch.ones(2), persistent=r.random() < 0.5)
            self.tied = self.layers[0]

        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            return self.norm(x) * self.mask + self.position[0]

    net = Net().eval()
    module = torch.jit.script(net) if r.random() < 0.5 else torch.jit.trace(net, torch.ones(2, 2))
    path = c.work / ("j" * r.randrange(1, 60) + ".pt")
    torch.jit.save(module, str(path))
    state = torch.jit.load(str(path)).state_dict()
    data = path.read_bytes()
    path.unlink()
    c.check("module.pt", data, {n: bytes_of(t) for n, t in state.items()})


def pack(codes, bits):
    """Elements of less than a byte, the first in the low bits."""
    total = sum(int(x) << (bits * i) for i, x in enumerate(codes))
    return total.to_bytes((len(codes) * bits + 7) // 8, "little")


# Dtypes of safetensors: the dtype of NumPy, and the bits of an element in the file.
DIFFED = {"BOOL": ("?", 8), "U8": ("u1", 8), "I8": ("i1", 8), "U16": ("u2", 16), "I16": ("i2", 16), "U32": ("u4", 32),
          "I32": ("i4", 32), "U64": ("u8", 64), "I64": ("i8", 64), "F16": ("f2", 16), "F32": ("f4", 32), "F64": ("f8", 64),
          "BF16": ("bfloat16", 16), "F8_E4M3": ("float8_e4m3fn", 8), "F8_E5M2": ("float8_e5m2", 8),
          "F8_E8M0": ("float8_e8m0fnu", 8), "F6_E2M3": ("float6_e2m3fn", 6), "F6_E3M2": ("float6_e3m2fn", 6),
          "F4": ("float4_e2m1fn", 4), "C64": ("c8", 64)}


def diffed(r, name, n):
    """Random bits as the numbers of NumPy, and as they are in a file."""
    kind, bits = DIFFED[name]
    if bits < 8:
        codes = np.array([r.randrange(1 << bits) for _ in range(n)], "u1")
        return codes.view(dtype(kind)), pack(codes, bits)
    if name in ("F64", "F32", "C64"):
        a = np.array([r.gauss(0, 10 ** r.randrange(-3, 4)) for _ in range(2 * n)], "f8")
        a = (a[:n] + 1j * a[n:] if name == "C64" else a[:n]).astype(kind)
        a[r.randrange(n)] = r.choice([np.nan, np.inf, -np.inf, 0, 1])
    else:
        a = np.frombuffer(bytes(r.randrange(2 if name == "BOOL" else 256) for _ in range(n * bits // 8)), dtype(kind))
    return a, a.tobytes()


def save(path, tensors):
    header, data = {}, b""
    for name, (kind, n, b) in tensors.items():
        header[name] = {"dtype": kind, "shape": [n], "data_offsets": [len(data), len(data) + len(b)]}
        data += b
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def distances(a, b):
    """What diff --values has to say of two arrays, by NumPy."""
    if np.iscomplexobj(a):
        a, b = a.view("f4"), b.view("f4")
    x, y = a.astype("f8"), b.astype("f8")
    finite = np.isfinite(x) & np.isfinite(y)
    unequal = (x != y) & ~(np.isnan(x) & np.isnan(y))
    differ, odd, delta = int(np.sum(unequal)), int(np.sum(unequal & ~finite)), np.abs(x[finite] - y[finite])
    largest = float(np.max(delta, initial=0))
    if a.dtype.kind in "iu" and a.dtype == b.dtype:  # exactly
        deltas = [abs(int(p) - int(q)) for p, q in zip(a, b)]
        differ, largest, delta = sum(d > 0 for d in deltas), max(deltas), np.array(deltas, "f8")
    x, y = x[finite], y[finite]
    na, nb, nd = (float(np.linalg.norm(v)) for v in (x, y, delta))
    return {"count": len(a), "differ": differ, "odd": odd, "max_delta": largest,
            "relative_l2": 0 if nd == 0 else None if na == 0 else nd / na,
            "cosine": None if na == 0 or nb == 0 else float(np.dot(x, y)) / (na * nb)}


def near(got, want):
    if got is None or want is None or isinstance(want, int):
        return got == want
    return abs(got - want) <= 1e-12 + 1e-9 * abs(want)


def diffs(c, r):
    """Compares diff --values with NumPy: tensors of the same dtype, in which some or all values differ, or of another."""
    sides, want, arrays_of = ({}, {}), {}, {}
    for i, kind in enumerate(r.sample(sorted(DIFFED), 6)):
        n = r.randrange(1, 50) * 4
        a, raw = diffed(r, kind, n)
        arrays_of[f"t{i}"] = a
        other = kind
        if kind not in ("C64", "U64", "I64") and r.random() < 0.3:
            other = r.choice(["F64", "F32", "I16", "F4"])
        b, changed = diffed(r, other, n)
        if other == kind and r.random() < 0.5 and DIFFED[kind][1] >= 8:
            b = np.where(np.array([r.random() < 0.2 for _ in range(n)]), b, a).astype(a.dtype)
            changed = b.tobytes()
        if (kind, raw) != (other, changed):
            want[f"t{i}"] = distances(a, b)
        sides[0][f"t{i}"], sides[1][f"t{i}"] = (kind, n, raw), (other, n, changed)
    paths = [c.work / "a.safetensors", c.work / "b.safetensors"]
    for path, side in zip(paths, sides):
        save(path, side)
    p = subprocess.run([c.weigh, "diff", "--values", "--json", *paths], capture_output=True, text=True)
    c.files += 2
    archive = c.work / "cat.npz"
    archive.unlink(missing_ok=True)
    cat = subprocess.run([c.weigh, "cat", paths[0], "**", "-o", archive], capture_output=True, text=True)
    for name, (kind, n, raw) in sides[0].items():
        read_back = np.load(archive)[name] if archive.exists() else np.zeros(0)
        a = arrays_of[name]
        if read_back.dtype != (a.dtype if DIFFED[kind][0][0] in "?uif" and "float" not in DIFFED[kind][0] or kind == "C64" else "f4") or not np.array_equal(read_back, a.astype(read_back.dtype), equal_nan=True):
            c.fail(paths[0], f"{name} of {kind} in an .npz file: {cat.stderr}")
    got = {x["name"]: x["values"] for x in json.loads(p.stdout)["changes"]} if p.stdout else {}
    for name in sorted(want | got):
        w, g = want.get(name), got.get(name)
        if not w or not g or any(not near(g[k], v) for k, v in w.items()):
            c.fail(paths[0], f"{name} of {sides[0][name][0]} and {sides[1][name][0]}: {g}, NumPy: {w}: {p.stderr}")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--weigh", required=True)
    p.add_argument("--work", required=True)
    p.add_argument("--seconds", type=float, default=60)
    p.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = p.parse_args()
    c, r = Comparison(options), random.Random(options.seed)
    end = time.monotonic() + options.seconds
    while time.monotonic() < end and c.files < 5000 and c.wrong < 20:
        arrays(c, r)
        diffs(c, r)
        if torch:
            tensors(c, r)
            modules(c, r)
    print(f"values: {c.files} files, {c.wrong} wrong, seed {options.seed}, torch {torch.__version__ if torch else 'not installed'}")
    sys.exit(c.wrong > 0)


main()
