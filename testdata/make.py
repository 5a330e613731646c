#!/usr/bin/env python3
"""Makes the files of this directory with writers that are not ours.

    python3 testdata/make.py            write every file, manifest.json and the table of README.md
    python3 testdata/make.py --check    compare what is checked in with what would be written

Needs Python 3.11 or later with the packages of requirements.txt, and cargo. The same versions give the
same bytes on every run: values come from frozen generators, and no file has more
than one metadata key where the writer keeps metadata in random order.
"""

import argparse
import filecmp
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import ml_dtypes
import mlx.core as mx
import numpy as np
import safetensors
from manifest import describe, encode, table
from safetensors.numpy import save_file

HERE = Path(__file__).resolve().parent
RUST = HERE / "rustwriter"
MARK = "<!-- made by make.py -->\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch)
        make(made)
        if args.check:
            sys.exit(compare(made))
        install(made)


def make(root):
    """Writes every file below root, each directory by the writer that it is named after."""
    for write in (python_dtypes, python_small, python_names, sample, mlx_files, rust_files):
        write(root)
    files = sorted(p.relative_to(root).as_posix() for p in root.rglob("*.safetensors"))
    entries = describe(root, files, rust)
    (root / "manifest.json").write_text(encode(entries), encoding="utf-8")
    before, _, after = (HERE / "README.md").read_text(encoding="utf-8").split(MARK)
    (root / "README.md").write_text(before + MARK + table(entries) + MARK + after, encoding="utf-8")


def rust(*args):
    """Runs the Rust writer, and returns what it prints."""
    command = ["cargo", "run", "--quiet", "--release", "--locked", "--", *map(str, args)]
    return subprocess.run(command, cwd=RUST, check=True, stdout=subprocess.PIPE).stdout


# Python: safetensors.numpy, which takes NumPy's dtypes and those that ml_dtypes adds.

# What Python has a name for. F6_E2M3 and F6_E3M2 are missing: only the Rust crate writes them.
NUMPY = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64".split()
ML_DTYPES = "bfloat16 float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu".split()


def python_dtypes(root):
    """Writes a tensor of each of the 20 dtypes that Python can write."""
    tensors = {name: values_of(np.dtype(name)) for name in NUMPY}
    tensors |= {name: values_of(np.dtype(getattr(ml_dtypes, name))) for name in ML_DTYPES}
    specs = {name: spec(array) for name, array in tensors.items()}
    # F4 has no array type that Python can save. Two elements share a byte, and
    # the shape is given in bytes: [2, 4] of them are [2, 8] in the header.
    packed = np.arange(0, 256, 33, dtype=np.uint8).reshape(2, 4)
    specs["float4_e2m1fn_x2"] = spec(packed, "float4_e2m1fn_x2")
    path = directory(root, "python") / "dtypes.safetensors"
    safetensors.serialize_file(specs, path, metadata={"format": "np"})


def values_of(dtype):
    """Six values that a dtype tells apart: around zero, and at both ends."""
    if dtype.kind == "b":
        values = [True, False, False, True, True, False]
    elif dtype.kind in "iu":
        limits = np.iinfo(dtype)
        values = [0, 1, limits.min, limits.max, limits.max // 3, limits.max - 1]
    elif dtype.kind == "c":
        values = [0, 1, 1j, -1.5 + 2.25j, complex(np.inf, -np.inf), complex(np.nan, -0.0)]
    elif dtype.name == "float8_e8m0fnu":
        values = [2.0**-127, 0.5, 1, 2, 2.0**127, np.nan]  # powers of two alone, and no zero
    else:
        limits = ml_dtypes.finfo(dtype)
        values = [0, 1, -1.5, float(limits.max), float(limits.smallest_subnormal), np.nan]
    return np.array(values, dtype=dtype).reshape(2, 3)


def spec(array, dtype=None):
    """Describes an array to the Rust core of safetensors. The array must outlive the description."""
    return safetensors.TensorSpec(
        dtype=dtype or array.dtype.name,
        shape=array.shape,
        data_ptr=array.ctypes.data,
        data_len=array.nbytes,
    )


def python_small(root):
    """Writes the smallest file, the shapes at the edge of the format, and metadata in three states."""
    to = directory(root, "python")
    pair = np.array([1.5, -2.0], np.float32)
    save_file({"x": pair}, to / "two-floats.safetensors")
    save_file({"x": pair}, to / "metadata-empty.safetensors", metadata={})
    training = {"steps": 1200, "optimizer": "adamw", "tags": {"a red fox": 14, 'a "quoted" tag': 2}}
    text = {"ss_training": json.dumps(training, ensure_ascii=False) + "\nzweite Zeile: Größe"}
    save_file({"x": pair}, to / "metadata-json.safetensors", metadata=text)
    save_file(
        {
            "scalar.f32": np.array(np.pi, np.float32),
            "scalar.i64": np.array(-(2**63), np.int64),
            "scalar.bool": np.array(True),
            "empty.f64": np.zeros((0,), np.float64),
            "empty.rows.f32": np.zeros((0, 4096), np.float32),
            "empty.columns.u8": np.zeros((3, 0, 2), np.uint8),
            "ones.f16": np.ones((1,) * 8, np.float16),
            "rank6.i16": np.arange(64, dtype=np.int16).reshape((2,) * 6),
            "odd.u8": np.arange(7, dtype=np.uint8),  # leaves what follows it at an odd offset
            "after.bool": np.array([True, False]),
        },
        to / "shapes.safetensors",
    )


def python_names(root):
    """Writes names that are awkward to display, and names that are awkward to survive."""
    fair = [
        "naïve.weight", "重み.0", "вес", "🦙.weight", "nfc.\u00e9", "nfd.e\u0301", "a b", " lead",
        "trail ", "", "a/b/c", "<b>&amp;</b>", "=1+1", "%s%n", "$HOME", "__meta__", "x" * 200,
        'quote"d', "back\\slash", "\\u0041",
    ]  # fmt: skip
    hostile = [
        "nul\x00", "bell\x07", "tab\t", "line\nbreak", "return\r", "feed\f", "back\b", "escape\x1b[31m",
        "unit\x1f", "delete\x7f", "next\u0085", "separator\u2028", "override\u202e", "../up", "a/../../b",
    ]  # fmt: skip
    for name, names in ("names", fair), ("names-control", hostile):
        tensors = {n: np.full(i % 3 + 1, i, np.uint8) for i, n in enumerate(names)}
        save_file(tensors, directory(root, "python") / f"{name}.safetensors")


# The sample: a checkpoint of two shards, as the transformers library lays it out.


def sample(root):
    """Writes a model of one layer in two shards, with an index and a configuration.

    It has the names of a Llama without its attention. Its weights are as those of a fresh model:
    normal with a deviation of 0.02, norms near 1.
    """
    to = directory(root, "sample")
    random = np.random.RandomState(1)  # its stream is frozen; that of numpy.random.Generator is not
    hidden, inner, vocabulary = 64, 160, 1000

    def weight(*shape):
        return random.standard_normal(shape).astype(np.float32) * 0.02

    def norm():
        return np.float32(1) + np.round(weight(hidden) * 1024) / np.float32(1024)

    layer = "model.layers.0."
    shards = [
        {
            "model.embed_tokens.weight": weight(vocabulary, hidden).astype(ml_dtypes.bfloat16),
            layer + "input_layernorm.weight": norm(),
            layer + "mlp.up_proj.weight": weight(inner, hidden).astype(ml_dtypes.bfloat16),
            layer + "mlp.down_proj.weight": weight(hidden, inner).astype(ml_dtypes.bfloat16),
        },
        {
            "model.norm.weight": norm(),
            "lm_head.weight": weight(vocabulary, hidden).astype(ml_dtypes.bfloat16),
        },
    ]
    files = [f"model-{i + 1:05}-of-{len(shards):05}.safetensors" for i in range(len(shards))]
    for file, shard in zip(files, shards, strict=True):
        save_file(shard, to / file, metadata={"format": "pt"})
    arrays = [array for shard in shards for array in shard.values()]
    write_json(
        to / "model.safetensors.index.json",
        {
            "metadata": {
                "total_parameters": sum(array.size for array in arrays),
                "total_size": sum(array.nbytes for array in arrays),
            },
            "weight_map": {name: file for file, shard in zip(files, shards, strict=True) for name in shard},
        },
    )
    write_json(
        to / "config.json",
        {
            "architectures": ["LlamaForCausalLM"],
            "bos_token_id": 1,
            "eos_token_id": 2,
            "hidden_act": "silu",
            "hidden_size": hidden,
            "initializer_range": 0.02,
            "intermediate_size": inner,
            "max_position_embeddings": 2048,
            "model_type": "llama",
            "num_attention_heads": 4,
            "num_hidden_layers": 1,
            "num_key_value_heads": 4,
            "rms_norm_eps": 1e-05,
            "rope_theta": 10000.0,
            "tie_word_embeddings": False,
            "torch_dtype": "bfloat16",
            "vocab_size": vocabulary,
        },
    )


def write_json(path, value):
    """Writes JSON in the form that transformers gives to its files."""
    path.write_text(json.dumps(value, indent=2, sort_keys=True) + "\n", encoding="utf-8")


# MLX: its own writer, in C++. It does not pad the header, sorts the header by name, lays the data out
# in the order of a hash table, and writes "__metadata__":null when there is none.


def mlx_files(root):
    """Writes a tensor of each dtype that MLX has, and a linear layer quantized to 4 bits by MLX."""
    to = directory(root, "mlx")
    names = "bool_ int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 complex64"
    tensors = {n.rstrip("_"): mx.arange(5).astype(getattr(mx, n)) for n in names.split()}
    tensors["a.scalar"] = mx.array(1.5)
    save_mlx(to / "dtypes.safetensors", tensors)

    random = np.random.RandomState(2)
    dense = mx.array(random.standard_normal((32, 64)).astype(np.float32) * 0.02).astype(mx.bfloat16)
    parts = zip(("weight", "scales", "biases"), mx.quantize(dense, group_size=32, bits=4), strict=True)
    tensors = {f"model.layers.0.mlp.up_proj.{part}": array for part, array in parts}
    tensors["model.norm.weight"] = mx.ones(64, dtype=mx.bfloat16)
    save_mlx(to / "quantized.safetensors", tensors, {"format": "mlx", "license": "mit"})


def save_mlx(path, tensors, metadata=None):
    """Saves tensors with MLX, and insists on what is special about its files: data at an odd offset."""
    mx.save_safetensors(str(path), tensors, *([metadata] if metadata else []))
    start = 8 + int.from_bytes(path.read_bytes()[:8], "little")
    if start % 2 == 0:
        raise ValueError(f"{path.name}: data begins at {start}: lengthen a name by one letter")


# Rust: the crate by itself.


def rust_files(root):
    """Writes a tensor of each of the 22 dtypes, and a file without tensors."""
    rust("write", directory(root, "rust"))


# Comparing and installing.


def directory(root, name):
    path = root / name
    path.mkdir(exist_ok=True)
    return path


def made_files(made):
    return sorted(p.relative_to(made) for p in made.rglob("*") if p.is_file())


def compare(made):
    """Names the files that differ from those checked in, and returns 1 if there are any."""
    files = made_files(made)
    kept = {p.relative_to(HERE) for p in HERE.rglob("*.safetensors")}
    stale = sorted(kept - set(files))
    wrong = [f for f in files if not (HERE / f).is_file() or not filecmp.cmp(made / f, HERE / f, False)]
    for file in wrong:
        print(f"{file}: not what make.py makes", file=sys.stderr)
    for file in stale:
        print(f"{file}: nothing makes it", file=sys.stderr)
    print(f"{len(files) - len(wrong)} of {len(files)} files are as make.py makes them")
    return 1 if wrong or stale else 0


def install(made):
    """Puts the files into place, readable by all: some writers make files private."""
    for file in made_files(made):
        target = HERE / file
        target.parent.mkdir(exist_ok=True)
        target.write_bytes((made / file).read_bytes())
        os.chmod(target, 0o644)
        print(f"{target.stat().st_size:>8} {file}")


if __name__ == "__main__":
    main()
