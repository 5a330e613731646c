"""Makes golden.json, which package stats is tested against.

    python3 -m venv venv && venv/bin/pip install numpy ml_dtypes
    venv/bin/python make.py

For some tensors of every dtype it says what a summary must be. NumPy and
ml_dtypes decode the numbers, and NumPy makes the histograms and the quantiles
(by "inverted_cdf", which is ours). The mean and the standard deviation are
those of exact fractions, rounded once at the end; NumPy's own must be near.
"""

import decimal
import json
import math
import random
from fractions import Fraction
from pathlib import Path

import ml_dtypes
import numpy as np

decimal.getcontext().prec = 1500  # digits: more than any float64 has
BINS = 5
QUANTILES = [0, 0.1, 0.25, 0.5, 0.9, 1]

# name, type, and whether it is a float.
DTYPES = [
    ("BOOL", np.bool_, False),
    ("F4", ml_dtypes.float4_e2m1fn, True),
    ("F6_E2M3", ml_dtypes.float6_e2m3fn, True),
    ("F6_E3M2", ml_dtypes.float6_e3m2fn, True),
    ("U8", np.uint8, False),
    ("I8", np.int8, False),
    ("F8_E5M2", ml_dtypes.float8_e5m2, True),
    ("F8_E4M3", ml_dtypes.float8_e4m3fn, True),
    ("F8_E8M0", ml_dtypes.float8_e8m0fnu, True),
    ("F8_E4M3FNUZ", ml_dtypes.float8_e4m3fnuz, True),
    ("F8_E5M2FNUZ", ml_dtypes.float8_e5m2fnuz, True),
    ("I16", np.int16, False),
    ("U16", np.uint16, False),
    ("F16", np.float16, True),
    ("BF16", ml_dtypes.bfloat16, True),
    ("I32", np.int32, False),
    ("U32", np.uint32, False),
    ("F32", np.float32, True),
    ("C64", np.float32, True),
    ("F64", np.float64, True),
    ("I64", np.int64, False),
    ("U64", np.uint64, False),
]
WIDTHS = {"F4": 4, "F6_E2M3": 6, "F6_E3M2": 6}


def numbers_of(name, typ, data):
    """Returns the elements of data as an array of typ."""
    width = WIDTHS.get(name)
    if name == "BOOL":
        return np.frombuffer(data, np.uint8) != 0
    if width is None:
        return np.frombuffer(data, typ)
    stream = int.from_bytes(data, "little")
    patterns = [stream >> i & ((1 << width) - 1) for i in range(0, 8 * len(data), width)]
    return np.array(patterns, np.uint8).view(typ)


def exact(x):
    """Returns the number x as a fraction."""
    if isinstance(x, (np.bool_, np.integer)):
        return Fraction(int(x))
    return Fraction(float(x))


def rounded_root(v):
    """Returns the root of the fraction v, as the nearest float."""
    return float((decimal.Decimal(v.numerator) / decimal.Decimal(v.denominator)).sqrt())


def exponent(x):
    """Returns e such that 2^e <= |x| < 2^(e+1)."""
    x = abs(x)
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if Fraction(2) ** e <= x else e - 1


def exponents(values):
    found = [exponent(v) for v in values if v]
    if not found:
        return {"first": 0, "counts": []}
    first, last = min(found), max(found)
    return {"first": first, "counts": [found.count(e) for e in range(first, last + 1)]}


def floats(typ, x, wide):
    """Returns the counts that only floats have."""
    limits = ml_dtypes.finfo(typ)
    largest, smallest = float(limits.max), float(limits.smallest_normal)
    size = np.abs(wide)
    unsigned = typ is ml_dtypes.float8_e8m0fnu  # and its smallest number is normal
    return {
        "nan": int(np.isnan(wide).sum()),
        "posInf": int((wide == np.inf).sum()),
        "negInf": int((wide == -np.inf).sum()),
        "subnormal": 0 if unsigned else int(((size < smallest) & (size > 0)).sum()),
        "atMax": int((size == largest).sum()),
    }


def text(x, is_float):
    return repr(float(x)) if is_float else str(int(x))


def case(name, typ, is_float, label, data):
    x = numbers_of(name, typ, data)
    wide = x.astype(np.float64)
    finite = x[np.isfinite(wide)]
    values = [exact(v) for v in finite]
    got = {"nan": 0, "posInf": 0, "negInf": 0, "subnormal": 0, "atMax": 0}
    if is_float:
        got = floats(typ, x, wide)
    got |= {
        "name": label,
        "dtype": name,
        "data": data.hex(),
        "count": len(x),
        "zero": sum(v == 0 for v in values),
        "exponents": exponents(values),
    }
    if not values:
        return got
    n = len(values)
    mean = sum(values) / n
    variance = sum(v * v for v in values) / n - mean * mean
    got["min"] = text(min(values) if is_float else min(int(v) for v in finite), is_float)
    got["max"] = text(max(values) if is_float else max(int(v) for v in finite), is_float)
    got["mean"], got["stdDev"] = float(mean).hex(), rounded_root(variance).hex()
    near = finite.astype(np.float64)
    if np.abs(near).max() < 1e100:
        slack = 1e-9 * np.abs(near).max()
        assert math.isclose(near.mean(), mean, abs_tol=slack), (name, label)
        assert math.isclose(near.std(), rounded_root(variance), abs_tol=slack), (name, label)
        if near.min() < near.max():
            counts, edges = np.histogram(near, BINS)
            got["histogram"] = {"edges": edges.tolist(), "counts": counts.tolist()}
    if x.dtype.itemsize <= 2:
        found = np.quantile(near, QUANTILES, method="inverted_cdf")
        got["quantiles"] = [text(v, is_float) for v in found]
    return got


def tensors(name, typ, is_float, rng):
    """Yields labels, and bytes: any patterns, a network's weights, one element."""
    size = 96
    yield "patterns", rng.randbytes(size)
    if name in WIDTHS or name in ("BOOL", "F8_E8M0"):
        yield "more patterns", rng.randbytes(size)
    else:
        drawn = np.array([rng.gauss(0, 0.05 if is_float else 40) for _ in range(size // np.dtype(typ).itemsize)])
        if not is_float and np.iinfo(typ).min == 0:
            drawn = np.abs(drawn)
        yield "weights", drawn.astype(typ).tobytes()
    yield "zeros", bytes(size)
    element = rng.randbytes(3 if name in WIDTHS else np.dtype(typ).itemsize)
    yield "repeated", element * 8
    yield "empty", b""


def main():
    rng = random.Random(1)
    golden = {
        "numpy": np.__version__,
        "ml_dtypes": ml_dtypes.__version__,
        "bins": BINS,
        "quantiles": QUANTILES,
        "cases": [
            case(name, typ, is_float, label, data)
            for name, typ, is_float in DTYPES
            for label, data in tensors(name, typ, is_float, rng)
        ],
    }
    head = {k: v for k, v in golden.items() if k != "cases"}
    lines = ",\n".join(json.dumps(c) for c in golden["cases"])
    path = Path(__file__).with_name("golden.json")
    path.write_text(json.dumps(head)[:-1] + ',"cases":[\n' + lines + "\n]}\n")


main()
