#!/usr/bin/env python3
"""Generates PyTorch checkpoints without PyTorch.

    gen_checkpoint.py FILE COUNT          write COUNT tensors as torch.save does, with random data
    gen_checkpoint.py FILE COUNT small    the same with four elements per tensor

Names and shapes are those of gen.py. The pickle uses protocol 2 and has the contents that torch.save writes: names,
storages by key, shapes and strides, about 120 bytes per tensor.
"""

import itertools
import math
import random
import struct
import sys
import zipfile

from gen import WIDTHS, replace, tensors

STORAGES = {"F32": "FloatStorage", "BF16": "BFloat16Storage"}


def main():
    path, count, small = sys.argv[1], int(sys.argv[2]), sys.argv[3:] == ["small"]
    described = [(name, dtype, [4] if small else shape) for name, dtype, shape in itertools.islice(tensors(count), count)]
    replace(path, lambda f: write(f, described))


def write(f, described):
    block = random.Random(1).randbytes(1 << 20)
    with zipfile.ZipFile(f, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(zipfile.ZipInfo("model/data.pkl"), program(described))
        archive.writestr(zipfile.ZipInfo("model/byteorder"), b"little")
        for key, (_, dtype, shape) in enumerate(described):
            left = WIDTHS[dtype] * math.prod(shape)
            with archive.open(zipfile.ZipInfo(f"model/data/{key}"), "w", force_zip64=left >= 1 << 31) as record:
                while left > 0:
                    left -= record.write(block[:left])
        archive.writestr(zipfile.ZipInfo("model/version"), b"3\n")


def program(described):
    """The pickle of an OrderedDict of tensors, each a call of _rebuild_tensor_v2."""
    parts = [b"\x80\x02ccollections\nOrderedDict\nq\x00)R("]
    for key, (name, dtype, shape) in enumerate(described):
        stride = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
        parts += [
            text(name), b"ctorch._utils\n_rebuild_tensor_v2\n((", text("storage"), b"ctorch\n", STORAGES[dtype].encode(), b"\n",
            text(str(key)), text("cpu"), number(math.prod(shape)), b"tQK\x00", numbers(shape), numbers(stride), b"\x89h\x00)RtR",
        ]  # fmt: skip
    return b"".join([*parts, b"u."])


def text(s):
    return b"X" + struct.pack("<I", len(s)) + s.encode()


def number(n):
    return b"J" + struct.pack("<i", n)


def numbers(list_):
    return b"(" + b"".join(map(number, list_)) + b"t"


if __name__ == "__main__":
    main()
