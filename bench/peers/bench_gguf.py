"""The Python package gguf, as a peer in the benchmarks.

    bench_gguf.py open FILE ITERS          GGUFReader(FILE).tensors
    bench_gguf.py dequantize FILE ITERS    dequantize the first tensor of FILE, in memory

Each prints one line of JSON, in which "ns" is the mean time of one iteration.
"""

import json
import sys
import time

import numpy as np
from gguf import GGUFReader
from gguf.quants import dequantize


def listed(file):
    return lambda: len(GGUFReader(file).tensors), {}


def first(file):
    t = GGUFReader(file).tensors[0]
    data = np.array(t.data)
    return lambda: dequantize(data, t.tensor_type), {"bytes": data.nbytes + 4 * t.n_elements}


def main():
    verb, file, iters = sys.argv[1:]
    once, said = {"open": listed, "dequantize": first}[verb](file)
    once()
    start = time.perf_counter_ns()
    for _ in range(int(iters)):
        once()
    print(json.dumps({"ns": (time.perf_counter_ns() - start) / int(iters), **said}))


if __name__ == "__main__":
    main()
