"""Compares this library with the reference implementation over random tensors.

The crate safetensors is the reference implementation, and the Python package wraps it. Both write and read the same
cases as this library. For each case

- our file equals theirs, byte for byte, if there is only one way to write it: they store metadata in a hash table with
  a random order, so files with two keys or more may differ;
- they read every file of ours, in canonical and in other forms, and find the same tensors;
- we read every file of theirs and find the same tensors;
- they read our shards, which contain all tensors, each in the shard that the index names; merged again, the shards equal
  our file, byte for byte.

The script `run` prepares the environment and runs this one. A case that fails is kept, and its path is printed.
"""

import argparse
import dataclasses
import json
import math
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import safetensors
import safetensors.numpy

# The dtypes of the format, and the number of bits of an element.
BITS = {
    "BOOL": 8, "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6, "U8": 8, "I8": 8, "F8_E5M2": 8, "F8_E4M3": 8, "F8_E8M0": 8,
    "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8, "I16": 16, "U16": 16, "F16": 16, "BF16": 16, "I32": 32, "U32": 32, "F32": 32,
    "C64": 64, "F64": 64, "I64": 64, "U64": 64,
}  # fmt: skip

# Their names in Python. It has no names for the two with 6 bits.
PYTHON = {
    "BOOL": "bool", "F4": "float4_e2m1fn_x2", "U8": "uint8", "I8": "int8", "F8_E5M2": "float8_e5m2",
    "F8_E4M3": "float8_e4m3fn", "F8_E8M0": "float8_e8m0fnu", "F8_E4M3FNUZ": "float8_e4m3fnuz",
    "F8_E5M2FNUZ": "float8_e5m2fnuz", "I16": "int16", "U16": "uint16", "F16": "float16", "BF16": "bfloat16",
    "I32": "int32", "U32": "uint32", "F32": "float32", "C64": "complex64", "F64": "float64", "I64": "int64",
    "U64": "uint64",
}  # fmt: skip

# Names that implementations might treat differently.
ODD = [
    "", " ", '"', "\\", "/", "\b\f\n\r\t", "\x00", "\x1f", "\x7f", "<&>", "é", "\u0085", "\u2028", "\u2029", "\ufeff",
    "\uffff", "😀", "a" * 300, "__metadata", "__metadata__ ", "dtype", "..", "{}", "null",
]  # fmt: skip

BATCH = 40  # cases for each start of the programs


class Mismatch(Exception):
    """Two implementations disagree."""


class Maker:
    """Generates cases, the same ones for the same seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def case(self, name):
        """Returns a case: a content, and the form of a variant if there is one."""
        dtypes = self.random.choice([list(BITS), list(PYTHON), ["F4"], ["F6_E2M3", "F6_E3M2", "U8"], ["BF16", "F32"]])
        names = self.names(self.random.choice([0, 1, 1, 2, 3, 5, 20]))
        case = {
            "case": name,
            "metadata": self.metadata(),
            "tensors": [self.tensor(name, self.random.choice(dtypes)) for name in names],
        }
        if self.random.random() < 0.5:
            case["variant"] = {"keep_order": self.random.random() < 0.5, "align": 1 << self.random.randrange(14)}
        return case

    def limit(self):
        """Returns the maximum size of shards, in bytes of data."""
        return self.random.choice([1, 10, 100, 1000, 1 << 20, 1 << 40])

    def names(self, n):
        names = {}
        while len(names) < n:
            names[self.name()] = None
        return list(names)

    def name(self):
        if self.random.random() < 0.5:
            return f"model.layers.{self.random.randrange(100)}.w{self.random.randrange(10)}"
        return "".join(self.random.choice([*ODD, "a", "b", ".", "0"]) for _ in range(self.random.randrange(1, 4)))

    def metadata(self):
        n = self.random.choice([None, None, 0, 1, 1, 2, 10])
        return None if n is None else {name: self.name() for name in self.names(n)}

    def tensor(self, name, dtype):
        elements = self.random.choice([8] * 5 + [0, 1, 24, 1000])
        if self.random.random() < 0.01:
            elements = (2 << 20) + 24  # more than any buffer
        # Elements narrower than a byte must fill whole bytes.
        step = 8 // math.gcd(8, BITS[dtype])
        elements = -(-elements // step) * step
        size = elements * BITS[dtype] // 8
        data = self.random.randbytes(size)
        if dtype == "BOOL":
            data = bytes(b & 1 for b in data)
        return {"name": name, "dtype": dtype, "shape": self.shape(elements), "data": data.hex()}

    def shape(self, elements):
        """Returns a shape with the given number of elements: a scalar, a row, or several dimensions."""
        if elements == 1 and self.random.random() < 0.5:
            return []
        shape, rest = [], elements
        for _ in range(self.random.randrange(4)):
            divisors = [d for d in (1, 2, 3, 4, 8) if rest % d == 0]
            d = self.random.choice(divisors)
            shape.append(d)
            rest = rest // d
        shape.append(rest)
        self.random.shuffle(shape)
        return shape


@dataclasses.dataclass
class Program:
    """A writer and reader in a separate program."""

    name: str
    path: str

    def write(self, cases, directory):
        self.run("write", cases, directory)
        return {case["case"] for case in map(json.loads, cases.read_text().split("\n")[:-1])}

    def read(self, files):
        return [json.loads(line) for line in self.run("read", *files).split("\n")[:-1]] if files else []

    def reshard(self, limit, directory, files):
        self.run("reshard", limit, directory, *files)

    def run(self, *args):
        done = subprocess.run([self.path, *map(str, args)], capture_output=True, text=True, encoding="utf-8")
        if done.returncode != 0:
            raise Mismatch(f"{self.name} {args[0]}: {done.stderr.strip()}")
        return done.stdout


class Python:
    """The Python package as a writer and reader."""

    name = "Python"

    def write(self, cases, directory):
        """Writes the cases whose dtypes have names in Python, and returns them."""
        written = set()
        for case in map(json.loads, cases.read_text().split("\n")[:-1]):
            arrays = [np.frombuffer(bytes.fromhex(t["data"]), np.uint8) for t in case["tensors"]]
            specs = {t["name"]: self.spec(t, array) for t, array in zip(case["tensors"], arrays, strict=True)}
            if None in specs.values():
                continue
            path = directory / f"{case['case']}.safetensors"
            safetensors.serialize_file(specs, path, metadata=case["metadata"])
            written.add(case["case"])
        return written

    def spec(self, tensor, array):
        """Describes a tensor with the bytes of array, or returns None if that is impossible."""
        dtype, shape = PYTHON.get(tensor["dtype"]), list(tensor["shape"])
        if tensor["dtype"] == "F4":
            # Python counts pairs of elements.
            if not shape or shape[-1] % 2:
                return None
            shape[-1] //= 2
        if dtype is None:
            return None
        return safetensors.TensorSpec(dtype=dtype, shape=shape, data_ptr=array.ctypes.data, data_len=array.nbytes)

    def read(self, files):
        return [self.content(file) for file in files]

    def content(self, file):
        try:
            with safetensors.safe_open(file, framework="np") as f:
                metadata = f.metadata()
            tensors = [
                {"name": name, "dtype": t["dtype"], "shape": t["shape"], "data": bytes(t["data"]).hex()}
                for name, t in safetensors.deserialize(file.read_bytes())
            ]
            self.compare_arrays(file, tensors)
        except safetensors.SafetensorError as e:
            raise Mismatch(f"Python read: {file}: {e}") from e
        return {"metadata": metadata, "tensors": tensors}

    def compare_arrays(self, file, tensors):
        """Reads the file in the usual way, if NumPy has all of its dtypes."""
        if any(t["dtype"] not in safetensors.numpy._TYPES for t in tensors):
            return
        arrays = safetensors.numpy.load_file(file)
        got = {name: (list(array.shape), array.tobytes().hex()) for name, array in arrays.items()}
        if got != {t["name"]: (t["shape"], t["data"]) for t in tensors}:
            raise Mismatch(f"{file}: load_file and deserialize differ")


def plain(content):
    """Returns the parts of a content that must be equal, regardless of the order of tensors."""
    tensors = {t["name"]: (t["dtype"], t["shape"], t["data"]) for t in content["tensors"]}
    return len(content["tensors"]), tensors, content["metadata"]


def one_way(case):
    """Reports whether there is only one way to write the case, and the reference can write it.

    Without tensors and with empty metadata, it writes an invalid header: {,"__metadata__":{}}.
    """
    return len(case["metadata"] or {}) <= 1 and not unreadable(case)


def unreadable(case):
    return not case["tensors"] and case["metadata"] == {}


def compare(ours, theirs, cases, work):
    """Writes and reads a batch of cases, and returns the number of comparisons."""
    by_name = {case["case"]: case for case in cases}
    lines = work / "cases.jsonl"
    lines.write_text("".join(json.dumps(case) + "\n" for case in cases))
    (work / "ours").mkdir()
    ours.write(lines, work / "ours")
    mine = sorted((work / "ours").iterdir())
    checks = 0
    for peer in theirs:
        directory = work / peer.name
        directory.mkdir()
        written = peer.write(lines, directory)
        for name in sorted(written):
            if one_way(by_name[name]):
                same_bytes(peer, work / "ours" / f"{name}.safetensors", directory / f"{name}.safetensors")
                checks += 1
        foreign = [directory / f"{name}.safetensors" for name in sorted(written) if not unreadable(by_name[name])]
        for reader, files in ((peer, mine), (ours, foreign)):
            for file, content in zip(files, reader.read(files), strict=True):
                if plain(content) != plain(by_name[file.name.split(".")[0]]):
                    raise Mismatch(f"{reader.name} reads other tensors from {file} than were written")
                checks += 1
    return checks


def compare_shards(ours, theirs, cases, work, limit):
    """Splits and merges our files of a batch, and returns the number of comparisons."""
    files = [work / "ours" / f"{case['case']}.safetensors" for case in cases]
    directory = work / "resharded"
    directory.mkdir()
    ours.reshard(limit, directory, files)
    checks = 0
    for case, file in zip(cases, files, strict=True):
        same_bytes(ours, file, directory / f"{case['case']}.merged.safetensors")
        shards = sorted((directory / case["case"]).glob("*.safetensors"))
        for peer in theirs:
            contents = peer.read(shards)
            whole = {"metadata": case["metadata"], "tensors": [t for c in contents for t in c["tensors"]]}
            if plain(whole) != plain(case) or any(c["metadata"] != case["metadata"] for c in contents):
                raise Mismatch(f"{peer.name} reads other tensors from the shards {shards[0].parent} than were written")
            compare_index(shards, contents)
            checks += 2
    return checks


def compare_index(shards, contents):
    """Checks that the index has the position of every tensor, and the total size."""
    path = shards[0].parent / "model.safetensors.index.json"
    if len(shards) == 1 and not path.exists():
        return
    index = json.loads(path.read_text(encoding="utf-8"))
    there = {t["name"]: shard.name for shard, c in zip(shards, contents, strict=True) for t in c["tensors"]}
    size = sum(len(t["data"]) // 2 for c in contents for t in c["tensors"])
    if index["weight_map"] != there or list(index["weight_map"]) != sorted(there) or index["metadata"]["total_size"] != size:
        raise Mismatch(f"{path} is not the index of its shards")


def same_bytes(peer, mine, foreign):
    a, b = mine.read_bytes(), foreign.read_bytes()
    if a != b:
        at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
        raise Mismatch(
            f"{mine} and {foreign} differ from byte {at} on: {len(a)} bytes {a[at : at + 40]!r}, "
            f"and by {peer.name} {len(b)} bytes {b[at : at + 40]!r}"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ours", required=True, help="the program ours")
    parser.add_argument("--rust", help="the program rust, if there is one")
    parser.add_argument("--work", required=True, type=Path, help="a folder for files")
    parser.add_argument("--seconds", type=float, default=60, help="how long to go on")
    parser.add_argument("--cases", type=int, default=10**9, help="after how many cases to stop")
    parser.add_argument("--seed", type=int, default=random.randrange(10**9), help="by default another each time")
    args = parser.parse_args()
    end = time.monotonic() + args.seconds
    maker = Maker(args.seed)
    ours = Program("ours", args.ours)
    theirs = [Python()] + ([Program("Rust", args.rust)] if args.rust else [])
    done = checks = 0
    while done < args.cases and (done == 0 or time.monotonic() < end):
        cases = [maker.case(f"{i:06d}") for i in range(done, min(done + BATCH, args.cases))]
        work = args.work / f"batch-{done:06d}"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        try:
            checks += compare(ours, theirs, cases, work)
            checks += compare_shards(ours, theirs, cases, work, maker.limit())
        except Mismatch as e:
            sys.exit(f"interop: mismatch: {e}\ninterop: seed {args.seed}, the files are in {work}")
        shutil.rmtree(work)
        done += len(cases)
    print(
        f"interop: {done} cases, {checks} comparisons with {' and '.join(peer.name for peer in theirs)}, "
        f"safetensors {safetensors.__version__}: all agree (seed {args.seed})"
    )


main()
