#!/usr/bin/env python3
"""Compares processor seconds of decoding GGUF tensors, which other programs on the machine disturb little.

    gguf_cpu.py OURS PYTHON FILE...    OURS is bench/ours, built; PYTHON has the package gguf

Each round runs both programs with few and with many repetitions; the difference is the time of decoding. It prints medians
of seven rounds, and the median, least and greatest ratio within a round.
"""

import os
import statistics
import subprocess
import sys

ROUNDS = 7
ALONE = dict(os.environ, GOMAXPROCS="1", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", PYTHONWARNINGS="ignore")
PEER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers", "bench_gguf.py")


def seconds(command):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=ALONE)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{command} failed")
    return used.ru_utime + used.ru_stime


def decoding(command, many):
    return (seconds([*command, str(many)]) - seconds([*command, "1"])) / (many - 1)


ours, python, *files = sys.argv[1:]
for file in files:
    pairs = [(decoding([ours, "dequantize", file], 61), decoding([python, PEER, "dequantize", file], 13)) for _ in range(ROUNDS)]
    ratios = [b / a for a, b in pairs]
    a, b = (1000 * statistics.median(column) for column in zip(*pairs))
    name = os.path.splitext(os.path.basename(file))[0]
    print(f"| decode {name} | ours {a:.1f} ms | Python gguf {b:.1f} ms | "
          f"{statistics.median(ratios):.2f}x ({min(ratios):.2f}-{max(ratios):.2f}) |", flush=True)
