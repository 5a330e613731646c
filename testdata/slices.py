#!/usr/bin/env python3
"""Makes slices.txt: what NumPy selects, for random slices of random shapes.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install numpy==2.4.6
    /tmp/venv/bin/python testdata/slices.py

A line "[4 3 2]" is the shape that the slices after it are of; the elements are
numbered from 0 on, in row-major order. Each slice is in NumPy's own notation,
and after a tab comes what it selects: the shape, and the CRC-32 of the
numbers, each as four bytes, little-endian. A "!" says that NumPy raises an
IndexError. Steps are positive, since ours are.
"""

import random
import zlib
from pathlib import Path

import numpy as np

SHAPES = [
    (), (1,), (2,), (7,), (0,), (40,),
    (1, 1), (2, 3), (3, 2), (5, 8), (0, 3), (3, 0), (1, 9), (9, 1), (16, 17),
    (2, 3, 4), (4, 1, 5), (3, 0, 2), (1, 1, 1), (6, 5, 4),
    (2, 3, 4, 5), (1, 2, 1, 3), (3, 3, 3, 3), (4, 0, 2, 2),
    (2, 1, 3, 2, 4), (2, 2, 2, 2, 2, 2), (1, 2, 3, 1, 2, 3, 1),
]  # fmt: skip
PER_SHAPE = 92


def number(rng, dim):
    """An index: mostly of the axis, sometimes beyond it, seldom far beyond."""
    if rng.random() < 0.02:
        return rng.choice([-(2**63), 2**63 - 1, 10**6, -(10**6)])
    return rng.randint(-dim - 2, dim + 2)


def item(rng, dim):
    kind = rng.random()
    if kind < 0.25:
        # An index that exists, for else most slices of many axes would fail.
        if dim and rng.random() < 0.9:
            return str(rng.randint(-dim, dim - 1))
        return str(number(rng, dim))
    if kind < 0.4:
        return ":"
    start = str(number(rng, dim)) if rng.random() < 0.5 else ""
    stop = str(number(rng, dim)) if rng.random() < 0.5 else ""
    if start and stop and rng.random() < 0.7:
        # In order, for else most slices of many axes would be empty.
        i, j = sorted((rng.randint(0, dim), rng.randint(0, dim)))
        start, stop = str(rng.choice([i, i - dim])), str(rng.choice([j, j - dim]) if j < dim else j)
    if rng.random() < 0.5:
        return f"{start}:{stop}"
    step = str(rng.choice([1, 2, 2, 3, 4, 7, 2**62])) if rng.random() < 0.9 else ""
    return f"{start}:{stop}:{step}"


def slices(rng, shape):
    rank = len(shape)
    n = rng.choice([rank, rank, rank, rng.randint(0, rank), rank + (rng.random() < 0.1)])
    dims = list(shape) + [1]
    # With an ellipsis, the ranges after it are of the last axes.
    dots = rng.randint(0, n) if rng.random() < 0.2 and n <= rank else None
    items = []
    for i in range(n):
        if i == dots:
            items.append("...")
            dims = dims[: i] + dims[rank - n + i :]
        items.append(item(rng, dims[i]))
    if dots == n:
        items.append("...")
    return rng.choice([",", ",", ", "]).join(items)


def outcome(array, text):
    try:
        part = eval(f"array[{text}]" if text else "array")
    except IndexError:
        return "!"
    part = np.asarray(part)
    crc = zlib.crc32(np.ascontiguousarray(part).astype("<u4").tobytes())
    return f"{' '.join(map(str, part.shape))} {crc:08x}".strip()


def main():
    rng = random.Random(20260101)
    lines = [f"# NumPy {np.__version__}, made by slices.py"]
    for shape in SHAPES:
        lines.append(f"[{' '.join(map(str, shape))}]")
        array = np.arange(int(np.prod(shape, dtype=int)), dtype="<u4").reshape(shape)
        seen = set()
        for _ in range(PER_SHAPE):
            text = slices(rng, shape)
            if text not in seen:
                seen.add(text)
                lines.append(f"{text}\t{outcome(array, text)}")
    Path(__file__).with_name("slices.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
