"""The Python package safetensors, and the standard library's json, as peers of the benchmarks.

    bench.py keys FILE ITERS         safe_open(...).keys()
    bench.py open FILE NAME ITERS    safe_open(...).get_tensor(NAME), and read every byte of it
    bench.py json FILE ITERS         json.loads of a header that is in memory, and nothing more

Each prints one line of JSON, with "ns" the mean time of one iteration.
"""

import json
import sys
import time

import ml_dtypes  # noqa: F401 (it tells NumPy what a bfloat16 is)
import numpy as np
from safetensors import safe_open


def keys(file):
    with safe_open(file, framework="np") as f:
        return {"tensors": len(f.keys())}


def read(file, name):
    with safe_open(file, framework="np") as f:
        array = f.get_tensor(name)
    array.reshape(-1).view(np.uint64).sum()
    return {"bytes": array.nbytes}


def main():
    verb, file, *name, iters = sys.argv[1:]
    if verb == "json":
        with open(file, "rb") as f:
            header = f.read(int.from_bytes(f.read(8), "little"))

        def once():
            return {"tensors": len(json.loads(header)) - 1, "header": len(header)}  # without __metadata__

    else:

        def once():
            return {"keys": keys, "open": read}[verb](file, *name)

    said = once()
    start = time.perf_counter_ns()
    for _ in range(int(iters)):
        once()
    print(json.dumps({"ns": (time.perf_counter_ns() - start) / int(iters), **said}))


if __name__ == "__main__":
    main()
