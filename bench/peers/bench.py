"""The Python package safetensors and the standard library's json, as peers in the benchmarks.

    bench.py keys FILE ITERS         safe_open(...).keys()
    bench.py open FILE NAME ITERS    safe_open(...).get_tensor(NAME), and read every byte of it
    bench.py json FILE ITERS         json.loads of a header in memory
    bench.py write FILE OUT ITERS    save_file of FILE's tensors from memory
    bench.py rewrite FILE OUT ITERS  load_file, and save_file with another key of metadata
    bench.py genops FILE ITERS       pickletools.genops of a checkpoint's pickle, which other tools build on
    bench.py decode FILE DTYPE ITERS    astype(float32) of FILE's bytes in memory
    bench.py stats FILE DTYPE ITERS     range, mean, deviation, NaN, infinities and zeros of them

Each prints one line of JSON, in which "ns" is the mean time of one iteration.
"""

import json
import os
import pickletools
import sys
import time
import zipfile

import ml_dtypes  # adds bfloat16 to NumPy
import numpy as np
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

DTYPES = {"BF16": ml_dtypes.bfloat16, "F16": np.float16, "F8_E4M3": ml_dtypes.float8_e4m3fn, "F32": np.float32}


def keys(file):
    with safe_open(file, framework="np") as f:
        return lambda: keys(file), {"tensors": len(f.keys())}


def read(file, name):
    with safe_open(file, framework="np") as f:
        array = f.get_tensor(name)
    array.reshape(-1).view(np.uint64).sum()
    return lambda: read(file, name), {"bytes": array.nbytes}


def loads(file):
    with open(file, "rb") as f:
        header = f.read(int.from_bytes(f.read(8), "little"))
    once = lambda: json.loads(header)  # noqa: E731
    return once, {"tensors": len(once()) - 1, "header": len(header)}  # without __metadata__


def genops(file):
    def once():
        with zipfile.ZipFile(file) as archive:
            tensors = 0
            for opcode, arg, _ in pickletools.genops(archive.read("model/data.pkl")):
                tensors += opcode.name == "GLOBAL" and arg == "torch._utils _rebuild_tensor_v2"
            return tensors

    return once, {"tensors": once()}


def decode(file, dtype):
    array = np.fromfile(file, DTYPES[dtype])
    out = np.empty(array.shape, np.float32)

    def once():
        np.copyto(out, array, casting="unsafe")

    return once, {"bytes": array.nbytes + out.nbytes}


def stats(file, dtype):
    array = np.fromfile(file, DTYPES[dtype])

    def once():
        x = array.astype(np.float32)
        finite = x[np.isfinite(x)]
        return (
            finite.min(), finite.max(), finite.mean(dtype=np.float64), finite.std(dtype=np.float64),
            np.isnan(x).sum(), np.isinf(x).sum(), (x == 0).sum(),
        )  # fmt: skip

    return once, {"bytes": array.nbytes}


def write(file, out):
    tensors = load_file(file)
    return lambda: save_file(tensors, out), {"bytes": os.path.getsize(file), "out": out}


def rewrite(file, out):
    return lambda: save_file(load_file(file), out, {"note": "rewritten"}), {"bytes": os.path.getsize(file), "out": out}


VERBS = {"keys": keys, "open": read, "json": loads, "genops": genops, "decode": decode, "stats": stats, "write": write, "rewrite": rewrite}


def main():
    verb, *args, iters = sys.argv[1:]
    once, said = VERBS[verb](*args)
    out = said.pop("out", None)
    if not out:
        once()
    total = 0
    for _ in range(int(iters)):
        if out:  # it is made anew, with the disk at rest
            if os.path.exists(out):
                os.remove(out)
            os.sync()
        start = time.perf_counter_ns()
        once()
        total += time.perf_counter_ns() - start
    if out:
        os.remove(out)
    print(json.dumps({"ns": total / int(iters), **said}))


if __name__ == "__main__":
    main()
