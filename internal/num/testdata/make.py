"""Makes the tables that package num is tested against.

    python3 -m venv venv && venv/bin/pip install numpy ml_dtypes
    venv/bin/python make.py

decode.txt      the float32 bits of every pattern of every float of at most 8
                bits, eight to a line after the first one's pattern, as
                ml_dtypes decodes it.
decode16.txt.gz the same for F16 (NumPy) and BF16 (ml_dtypes), each less the one
                before it, modulo 2^32, since that packs well.
encode.txt.gz   numbers, as the bits of a float64, and the pattern nearest to
                each in every narrow float and in F32, without saturation and,
                after a slash where it differs, with it; "-" where there is none.

The last table is not made by casting, for a cast from float64 may round twice,
by way of float32. It is made by search among the values of the others, with
exact fractions. Where a number is a float32, ml_dtypes must agree; how often its
casts from float64 do not is printed.
"""

import bisect
import gzip
import io
import math
import random
import struct
import warnings
from fractions import Fraction

import ml_dtypes
import numpy as np

warnings.filterwarnings("ignore")

# name, type, bits, and the patterns of: largest, overflow, NaN (None: none).
FORMATS = [
    ("F4", ml_dtypes.float4_e2m1fn, 4, 0x7, 0x7, None),
    ("F6_E2M3", ml_dtypes.float6_e2m3fn, 6, 0x1F, 0x1F, None),
    ("F6_E3M2", ml_dtypes.float6_e3m2fn, 6, 0x1F, 0x1F, None),
    ("F8_E5M2", ml_dtypes.float8_e5m2, 8, 0x7B, 0x7C, 0x7E),
    ("F8_E4M3", ml_dtypes.float8_e4m3fn, 8, 0x7E, 0x7F, 0x7F),
    ("F8_E8M0", ml_dtypes.float8_e8m0fnu, 8, 0xFE, 0xFF, 0xFF),
    ("F8_E4M3FNUZ", ml_dtypes.float8_e4m3fnuz, 8, 0x7F, 0x80, 0x80),
    ("F8_E5M2FNUZ", ml_dtypes.float8_e5m2fnuz, 8, 0x7F, 0x80, 0x80),
    ("F16", np.float16, 16, 0x7BFF, 0x7C00, 0x7E00),
    ("BF16", ml_dtypes.bfloat16, 16, 0x7F7F, 0x7F80, 0x7FC0),
]
PAYLOAD = {"F8_E5M2": 2, "F16": 10, "BF16": 7}  # bits of mantissa, where NaNs differ


def container(bits):
    return np.uint16 if bits == 16 else np.uint8


def decode(name, typ, bits):
    """Returns the float32 bits of all patterns."""
    patterns = np.arange(1 << bits, dtype=container(bits))
    if name == "F8_E5M2":
        # ml_dtypes drops the payload of a NaN. An E5M2 is the upper half of an
        # F16, and NumPy keeps it.
        kept = (patterns.astype(np.uint16) << 8).view(np.float16).astype(np.float32)
        cast = patterns.view(typ).astype(np.float32)
        assert np.array_equal(kept, cast, equal_nan=True)
        return kept.view(np.uint32)
    return patterns.view(typ).astype(np.float32).view(np.uint32)


def bits64(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def float64(b):
    return struct.unpack("<d", struct.pack("<Q", b))[0]


class Rounder:
    def __init__(self, name, typ, bits, largest, overflow, nan):
        self.name, self.type, self.bits = name, typ, bits
        self.largest, self.overflow, self.nan = largest, overflow, nan
        self.sign = 0 if name == "F8_E8M0" else 1 << (bits - 1)
        values = decode(name, typ, bits)[: largest + 1].view(np.float32)
        self.values = [float(v) for v in values]
        assert self.values == sorted(self.values)
        # The number that would come next if the format had no end.
        step = self.values[-1] - self.values[-2]
        self.values.append(2 * self.values[-1] if self.sign == 0 else self.values[-1] + step)

    def magnitude(self, x):
        """Returns the pattern nearest to x >= 0; largest + 1 on overflow."""
        if x >= self.values[-1]:
            return self.largest + 1
        i = bisect.bisect_right(self.values, x) - 1
        if i < 0:
            return 0  # below the lowest F8_E8M0
        if self.values[i] == x:
            return i
        low, high = Fraction(x) - Fraction(self.values[i]), Fraction(self.values[i + 1]) - Fraction(x)
        if low != high:
            return i if low < high else i + 1
        if self.sign == 0:
            return i + 1  # a significand of 1 is odd, one of 2 is even
        return i + i % 2

    def encode(self, b, saturate):
        x, negative = float64(b), b >> 63
        sign = self.sign if negative else 0
        if math.isnan(x):
            if self.nan is None:
                return None
            payload = PAYLOAD.get(self.name, 0)
            top = (b & (1 << 52) - 1) >> (52 - payload)
            return sign | self.nan | top
        if self.sign == 0 and not x > 0:
            return self.nan
        p = self.magnitude(abs(x))
        if p > self.largest:
            p = self.largest if saturate else self.overflow
            return sign | p
        if p == 0 and self.nan == self.sign:
            return 0  # FNUZ has no negative zero
        return sign | p

    def cast(self, xs):
        return np.array(xs).astype(self.type).view(container(self.bits))


def to_f32(b, saturate):
    x = float64(b)
    if math.isnan(x):
        return (b >> 63 << 31) | 0x7FC00000 | (b & (1 << 52) - 1) >> 29
    y = np.float64(x).astype(np.float32)
    if np.isinf(y) and saturate:
        y = np.copysign(np.finfo(np.float32).max, y)
    return int(np.array([y], dtype=np.float32).view(np.uint32)[0])


def inputs(rounders):
    """Returns the bits of the numbers to be rounded: around every value of the
    formats of up to 8 bits and some of the wider, around every tie between two,
    at all extremes, and at random."""
    rng = random.Random(20)
    found = [0.0, math.inf, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308]
    for r in rounders:
        n = len(r.values) - 1
        at = range(n) if n <= 64 else sorted(set(list(range(0, n, max(1, n // 40))) + [0, 1, 2, n - 3, n - 2, n - 1]))
        for i in at:
            v, tie = r.values[i], (r.values[i] + r.values[i + 1]) / 2
            # Ties, what is just off them in a float64, and is on them again
            # once rounded to float32.
            found += [v, tie, math.nextafter(tie, math.inf), math.nextafter(tie, 0), tie * (1 + 2.0**-26)]
        found += [r.values[-1], r.values[-1] * 2]
    f32max = float(np.finfo(np.float32).max)
    found += [f32max, f32max + 2.0**102, f32max + 2.0**103, f32max + 2.0**104, 2.0**128]
    found += [2.0**-149, 2.0**-150, math.nextafter(2.0**-150, 1), 1.25 * 2.0**-127, 1.5 * 2.0**-127]
    for spread in (4, 20, 160):
        found += [rng.uniform(1, 2) * 2.0 ** rng.randint(-spread, spread) for _ in range(150)]
    out = []
    for x in dict.fromkeys(found):
        b = bits64(x)
        out += [b, b | 1 << 63] if x in (0.0, math.inf) else [b | rng.getrandbits(1) << 63]
    nans = [0x7FF8000000000000, 0x7FF0000000000001, 0x7FF4000000000000, 0x7FFFFFFFFFFFFFFF, 0x7FF0A5A5A5A5A5A5]
    return out + nans + [b | 1 << 63 for b in nans]


def check(rounders, numbers):
    """Holds the patterns found against what casting gives."""
    finite = [b for b in numbers if not math.isnan(float64(b))]
    xs = np.array([float64(b) for b in finite])
    exact = xs.astype(np.float32).astype(np.float64) == xs
    for r in rounders:
        mine = np.array([r.encode(b, False) for b in finite])
        theirs = r.cast(xs)
        differ = mine != theirs
        if r.name == "F8_E8M0":
            # ml_dtypes rounds all between 2^-127 and 2^-126 up.
            quirk = (xs > 2.0**-127) & (xs < 1.5 * 2.0**-127)
            assert differ[quirk].all()
            differ &= ~quirk
        assert not (differ & exact).any(), r.name
        print(f"{r.name}: {len(finite)} numbers, {differ.sum()} that a cast from float64 rounds twice")


def write(name, lines):
    data = ("\n".join(lines) + "\n").encode()
    if name.endswith(".gz"):
        raw = io.BytesIO()
        with gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=9, mtime=0) as z:
            z.write(data)
        data = raw.getvalue()
    with open(name, "wb") as f:
        f.write(data)
    print(f"{name}: {len(data)} bytes")


def main():
    narrow, wide = [], []
    for name, typ, bits, *_ in FORMATS:
        values = [int(v) for v in decode(name, typ, bits)]
        if bits < 16:
            for p in range(0, len(values), 8):
                narrow.append(f"{name} {p:02x} " + " ".join(f"{v:08x}" for v in values[p : p + 8]))
        else:
            steps = [(v - u) % 2**32 for u, v in zip([0] + values, values)]
            wide.append(f"{name} " + " ".join(f"{d:x}" for d in steps))
    write("decode.txt", narrow)
    write("decode16.txt.gz", wide)

    rounders = [Rounder(*f) for f in FORMATS]
    numbers = inputs(rounders)
    check(rounders, numbers)
    lines = ["float64 " + " ".join(r.name for r in rounders) + " F32"]
    for b in numbers:
        row = [f"{b:016x}"]
        for encode in [r.encode for r in rounders] + [to_f32]:
            plain, saturated = (("-" if p is None else f"{p:x}") for p in (encode(b, False), encode(b, True)))
            row.append(plain if plain == saturated else f"{plain}/{saturated}")
        lines.append(" ".join(row))
    write("encode.txt.gz", lines)


if __name__ == "__main__":
    main()
