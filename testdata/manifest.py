"""Describes files as foreign readers see them: the part of make.py that reads.

Offsets come from the Rust crate (read_metadata), names, dtypes, shapes and bytes from the Python package
(safe_open and deserialize); where both speak, they have to agree. Values are decoded by NumPy and ml_dtypes.
"""

import hashlib
import json
import math

import ml_dtypes
import numpy as np
import safetensors

# The formats' names for what NumPy and ml_dtypes call otherwise; the rest differ in spelling alone.
NUMPY = {
    "BOOL": np.bool_, "U8": np.uint8, "I8": np.int8, "U16": np.uint16, "I16": np.int16, "U32": np.uint32,
    "I32": np.int32, "U64": np.uint64, "I64": np.int64, "F16": np.float16, "F32": np.float32,
    "F64": np.float64, "C64": np.complex64, "BF16": ml_dtypes.bfloat16, "F4": ml_dtypes.float4_e2m1fn,
    "F6_E2M3": ml_dtypes.float6_e2m3fn, "F6_E3M2": ml_dtypes.float6_e3m2fn,
    "F8_E4M3": ml_dtypes.float8_e4m3fn, "F8_E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "F8_E5M2": ml_dtypes.float8_e5m2, "F8_E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "F8_E8M0": ml_dtypes.float8_e8m0fnu,
}  # fmt: skip

# How many bits an element of a packed dtype has; every other dtype fills whole bytes.
PACKED = {"F4": 4, "F6_E2M3": 6, "F6_E3M2": 6}

# Values are listed for tensors up to this many elements: each pattern of an 8-bit dtype, and no weights.
LISTED = 256

WRITERS = {
    "mlx": "MLX 0.32.4, `mx.save_safetensors`",
    "python": "Python safetensors 0.8.0, NumPy 2.4.6, ml_dtypes 0.6.0",
    "rust": "crate safetensors 0.8.0",
    "sample": "Python safetensors 0.8.0, NumPy 2.4.6, ml_dtypes 0.6.0",
}

SPECIAL = {
    "mlx/dtypes": "header not padded, so the data begins at an odd offset; `__metadata__` is null; "
    "entries by name, data in the order of a hash table",
    "mlx/quantized": "4-bit weights packed into U32 with BF16 scales and biases; two metadata keys; not padded",
    "python/dtypes": "each of the 20 dtypes that Python writes, with zero, extremes and NaN",
    "python/metadata-empty": "`__metadata__` is `{}`",
    "python/metadata-json": "a metadata value that is JSON, then a second line in German",
    "python/names": "names outside ASCII, with quotes and backslashes, empty, 200 letters long",
    "python/names-control": "names with control characters, direction overrides, `..` segments",
    "python/shapes": "scalars, empty tensors, rank 8, data after an odd number of bytes",
    "python/two-floats": "the smallest useful file: 72 bytes, N = 56, values 1.5 and -2.0; no metadata",
    "rust/dtypes": "all 22 dtypes; those up to 8 bits with every bit pattern in ascending order",
    "rust/nothing": "no tensor and no metadata: 16 bytes",
    "sample/model-00001-of-00002": "first shard of the sample, metadata `format: pt`",
    "sample/model-00002-of-00002": "second shard of the sample",
}


def describe(root, files, rust):
    """Returns an entry of the manifest for each of the files, which are relative to root."""
    lines = rust("read", *(root / f for f in files)).splitlines()
    return [entry(root, file, json.loads(line)) for file, line in zip(files, lines, strict=True)]


def entry(root, file, seen):
    """Describes one file, of which the Rust crate has seen the header."""
    data = (root / file).read_bytes()
    header = seen["header"]
    metadata = header.pop("__metadata__", None)
    views = dict(safetensors.deserialize(data))
    with safetensors.safe_open(root / file, framework="np") as f:
        insist(file, "metadata", metadata, f.metadata())
        insist(file, "names", sorted(header), sorted(f.keys()))
        slices = {name: f.get_slice(name) for name in f.keys()}
        for name, info in header.items():
            insist(file, name, info["dtype"], slices[name].get_dtype())
            insist(file, name, info["shape"], list(slices[name].get_shape()))
    order = sorted(header.items(), key=lambda item: (item[1]["data_offsets"], item[0]))
    return {
        "path": file,
        "writer": WRITERS[file.split("/")[0]],
        "sha256": hashlib.sha256(data).hexdigest(),
        "size": len(data),
        "header_size": seen["header_size"],
        "metadata": metadata and dict(sorted(metadata.items())),  # the crate's order is random
        "params": sum(math.prod(info["shape"]) for info in header.values()),
        "bytes": sum(end - begin for begin, end in (info["data_offsets"] for info in header.values())),
        "tensors": [tensor(file, name, info, views[name]) for name, info in order],
    }


def tensor(file, name, info, view):
    """Describes one tensor: its entry, the digest of its bytes, and its values if they are few."""
    begin, end = info["data_offsets"]
    dtype, shape, data = view["dtype"], list(view["shape"]), view["data"]
    insist(file, name, (info["dtype"], info["shape"], end - begin), (dtype, shape, len(data)))
    described = {
        "name": name,
        "dtype": dtype,
        "shape": shape,
        "data_offsets": [begin, end],
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    if math.prod(shape) <= LISTED:
        described["values"] = [plain(v) for v in decode(dtype, bytes(data))]
    return described


def decode(dtype, data):
    """Decodes elements as NumPy and ml_dtypes do, which hold a packed element in a byte of its own."""
    if bits := PACKED.get(dtype):
        stream = np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little").reshape(-1, bits)
        data = np.packbits(stream, axis=1, bitorder="little").tobytes()
    return np.frombuffer(data, NUMPY[dtype])


def plain(value):
    """Returns a value as JSON has it: exact, with NaN and the infinities as strings."""
    if isinstance(value, (np.bool_, np.integer)):
        return value.item()
    if isinstance(value, np.complexfloating):
        return [plain(value.real), plain(value.imag)]
    number = float(value)  # of at most 64 bits, so nothing is lost
    if math.isfinite(number):
        return number
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"


def insist(file, what, one, other):
    """Insists that two readers agree."""
    if one != other:
        raise ValueError(f"{file}: {what}: one reader says {one!r}, another {other!r}")


def encode(entries):
    """Returns the manifest as JSON, with a line for each tensor, so that a change reads well."""
    out = ['{"files": [']
    for i, e in enumerate(entries):
        head = {key: value for key, value in e.items() if key != "tensors"}
        out.append(json.dumps(head, ensure_ascii=True)[:-1] + ', "tensors": [')
        lines = [json.dumps(t, ensure_ascii=True, separators=(",", ":")) for t in e["tensors"]]
        out.append(",\n".join(lines) + ("\n" if lines else "") + ("]}," if i + 1 < len(entries) else "]}"))
    return "\n".join(out) + "\n]}\n"


def table(entries):
    """Returns the table of README.md."""
    rows = ["| file | writer | what is special | tensors | params | bytes of data |", "|---|---|---|--:|--:|--:|"]
    for e in entries:
        numbers = " | ".join(f"{n:,}" for n in (len(e["tensors"]), e["params"], e["bytes"]))
        special = SPECIAL[e["path"].removesuffix(".safetensors")]
        rows.append(f"| `{e['path']}` | {e['writer']} | {special} | {numbers} |")
    return "\n".join(rows) + "\n"
