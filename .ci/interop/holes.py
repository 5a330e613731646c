"""Safetensors files that have holes instead of data, and damaged copies of them."""

import json
import os
import pathlib
import re
import shutil
import struct


def write(tensors, filename, metadata=None):
    """Writes what safetensors.torch.save_file writes, with a hole for the data. Returns the number of elements."""
    header, count = {"__metadata__": metadata} if metadata else {}, 0
    at = 0
    for name, t in sorted(tensors.items(), key=lambda x: (-x[1].element_size(), x[0])):
        size = t.numel() * t.element_size()
        header[name] = {"dtype": dtype(t), "shape": list(t.shape), "data_offsets": [at, at + size]}
        at, count = at + size, count + t.numel()
    put(pathlib.Path(filename), header)
    return count


def dtype(t):
    name = str(t.dtype).removeprefix("torch.")
    if name.startswith("float8"):
        return "F8_" + name.removeprefix("float8_").removesuffix("fn").upper()
    short = {"bfloat": "BF", "float": "F", "uint": "U", "int": "I", "complex": "C", "bool": "BOOL"}
    kind, bits = re.fullmatch(r"([a-z]+)(\d*)", name).groups()
    return short[kind] + bits


def put(path, header):
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    end = max((t["data_offsets"][1] for n, t in header.items() if n != "__metadata__"), default=0)
    path.write_bytes(struct.pack("<Q", len(text)) + text)
    os.truncate(path, 8 + len(text) + end)


def get(path):
    with open(path, "rb") as f:
        return json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))


def packed(header):
    """Moves the tensors of a header together."""
    at = 0
    for name, t in header.items():
        if name != "__metadata__":
            size = t["data_offsets"][1] - t["data_offsets"][0]
            t["data_offsets"] = [at, at + size]
            at += size
    return header


def damage(folder, copy):
    """Yields rules that copies of a model in one file violate, with the options that check needs to find that."""
    file = folder / "model.safetensors"
    if not file.exists():
        return

    def copied(header):
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir()
        for f in folder.iterdir():
            if f.suffix == ".json":
                shutil.copy(f, copy)
        put(copy / file.name, header)
        return copy

    header = get(file)
    layer = middle(header)
    if layer:
        yield "layer-missing", [], copied(packed({n: t for n, t in header.items() if not n.startswith(layer)}))
    header = get(file)
    name = max((n for n in header if n.endswith(".weight")), key=lambda n: header[n]["data_offsets"][1], default=None)
    if name:
        header[name] |= {"shape": [0], "data_offsets": [0, 0]}
        yield "tensor-empty", [], copied(packed(header))
    if file.stat().st_size < 1 << 26 and name:
        yield "zero-run", ["--data"], copied(get(file))


def middle(header):
    """Returns the start of the names of a layer between others of one stack, or None."""
    stacks = {}
    for n in header:
        # The names of language models, whose number of layers a configuration gives.
        m = re.match(r"((?:model\.layers|transformer\.h|gpt_neox\.layers|bert\.encoder\.layer)\.)(\d+)\.", n)
        if m:
            stacks.setdefault(m[1], set()).add(int(m[2]))
    for start, layers in stacks.items():
        if layers == set(range(len(layers))) and len(layers) > 3:
            return f"{start}{len(layers) // 2}."
    return None
