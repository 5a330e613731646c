#!/usr/bin/env python3
"""Writes the samples beside it: one file or more of each kind, called KIND.bin or KIND~VARIANT.bin.

    pip install numpy==2.4.6 h5py==3.16.0 onnx==1.23.2 msgpack==1.2.4 pillow==13.0.0 sentencepiece==0.2.3
    python3 make.py

Writers of the formats make them where there are such: the packages above, Python's standard
library, and the programs gzip, bzip2, xz, zstd, lz4, lzip, lzop, 7z, gcc and gpg. The others are written
by hand from the descriptions that are named beside them.
"""
import base64
import collections
import io
import json
import os
import pickle
import sqlite3
import struct
import subprocess
import sys
import tarfile
import tempfile
import types
import zipfile
import zlib
from pathlib import Path

import h5py
import msgpack
import numpy as np
import onnx
import sentencepiece
from onnx import TensorProto, helper
from PIL import Image

HERE = Path(__file__).resolve().parent
WEIGHTS = struct.pack("<4f", 1, 2, 3, 4)
HEADER = b'{"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}}'
SAFETENSORS = struct.pack("<Q", len(HEADER)) + HEADER + WEIGHTS


def write(name, data):
    if isinstance(data, str):
        data = data.encode()
    (HERE / f"{name}.bin").write_bytes(data)


def through(*command, data=SAFETENSORS):
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout


def in_folder(make):
    """Returns the bytes of the file "out" that make writes in a folder with model.safetensors."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "model.safetensors").write_bytes(SAFETENSORS)
        make(Path(folder))
        return next(Path(folder).glob("out*")).read_bytes()


# PyTorch: as torch.save writes, without PyTorch. See torch/serialization.py.


def global_(module, name):
    parts = module.split(".")
    for i in range(1, len(parts) + 1):
        sys.modules.setdefault(".".join(parts[:i]), types.ModuleType(".".join(parts[:i])))

    def function(*args):
        raise NotImplementedError

    function.__module__, function.__qualname__ = module, name
    setattr(sys.modules[module], name, function)
    return function


REBUILD, FLOATS = global_("torch._utils", "_rebuild_tensor_v2"), global_("torch", "FloatStorage")
FLOAT_TENSOR = global_("torch", "FloatTensor")


class Storage:
    pass


class Tensor:
    def __reduce__(self):
        return REBUILD, (Storage(), 0, (4,), (1,), False, collections.OrderedDict())


def torch_pickle(value, legacy):
    class Pickler(pickle.Pickler):
        def persistent_id(self, o):
            if isinstance(o, Storage):
                return ("storage", FLOATS, "0", "cpu", 4) + ((None,) if legacy else ())

    out = io.BytesIO()
    Pickler(out, 2).dump(value)
    return out.getvalue()


def old_pickle(value):
    class Pickler(pickle.Pickler):
        def persistent_id(self, o):
            return "9" if isinstance(o, Tensor) else None

    out = io.BytesIO()
    Pickler(out, 2).dump(value)
    return out.getvalue()


def archive(members, root="archive/", compression=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as z:
        for name, data in members.items():
            z.writestr(zipfile.ZipInfo(root + name), data)
    return out.getvalue()


def torch():
    state = collections.OrderedDict(a=Tensor())
    members = {"data.pkl": torch_pickle(state, False), "byteorder": "little", "data/0": WEIGHTS, "version": "3\n"}
    write("pytorch-zip", archive(members))
    write("pytorch-zip~data-first", archive({".data/padding": bytes(3000)} | members))
    write("torchscript", archive(members | {"constants.pkl": pickle.dumps((), 2)}))
    number = pickle.dumps(0x1950A86A20F9469CFC6C, 2)
    info = pickle.dumps({"protocol_version": 1001, "little_endian": True, "type_sizes": {"short": 2, "int": 4, "long": 4}}, 2)
    write("pytorch-legacy", number + pickle.dumps(1001, 2) + info + torch_pickle(state, True) + pickle.dumps(["0"], 2) +
          struct.pack("<q", 4) + WEIGHTS)
    # PyTorch 0.1: legacy_load in torch/serialization.py says what is read.
    parts = {"sys_info": info, "storages": pickle.dumps(1, 2) + pickle.dumps((7, "cpu", FLOATS), 2) + struct.pack("<q", 4) + WEIGHTS + pickle.dumps([], 2),
             "tensors": pickle.dumps(1, 2) + pickle.dumps((9, 7, FLOAT_TENSOR), 2) + struct.pack("<iiqqq", 1, 0, 4, 1, 0),
             "pickle": old_pickle(state)}
    write("pytorch-tar", tar(parts, tarfile.PAX_FORMAT))
    write("pytorch-preview", b"PYTORCH1" + bytes(56))  # torch/csrc/jit/serialization of 1.0.0.dev
    write("pickle", pickle.dumps({"a": 1}, 4))
    write("pickle~protocol-2", pickle.dumps({"a": 1}, 2))


def tar(members, form):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:", format=form) as t:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
    return out.getvalue()


# Other formats of weights.


def message(*fields):
    """Returns a message of protocol buffers: pairs of a number and an int, bytes or a text."""
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += number_of(number << 3) + number_of(value)
        else:
            value = value.encode() if isinstance(value, str) else value
            out += number_of(number << 3 | 2) + number_of(len(value)) + value
    return out


def number_of(n):
    out = b""
    while n >= 0x80:
        out, n = out + bytes([n & 0x7F | 0x80]), n >> 7
    return out + bytes([n])


def weights():
    write("safetensors", SAFETENSORS)
    write("safetensors~length-like-pickle", struct.pack("<Q", 0x280) + HEADER.ljust(0x280) + WEIGHTS)
    write("safetensors-index", json.dumps({"metadata": {"total_size": 8}, "weight_map": {"a": "model-00001-of-00001.safetensors"}}, indent=2))
    array = np.arange(4, dtype=np.float32)
    out = io.BytesIO()
    np.save(out, array)
    write("npy", out.getvalue())
    out = io.BytesIO()
    np.savez(out, a=array)
    write("npz", out.getvalue())

    def hdf5(folder):
        with h5py.File(folder / "out.h5", "w", userblock_size=block) as f:
            f["a"] = array
    for block, name in (0, "hdf5"), (512, "hdf5~user-block"):
        write(name, in_folder(hdf5))
    block = 0
    write("keras", archive({"metadata.json": '{"keras_version": "3.5.0"}', "config.json": '{"class_name": "Sequential", "config": {"layers": []}}',
                            "model.weights.h5": in_folder(hdf5)}, root=""))
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1])],
                              [helper.make_tensor("a", TensorProto.FLOAT, [4], [1, 2, 3, 4])])
    write("onnx", helper.make_model(graph, producer_name="pytorch", producer_version="2.9.0").SerializeToString())
    write("onnx~no-producer", helper.make_model(graph).SerializeToString())
    # ggml-org/ggml/docs/gguf.md: version 3, no tensors, and one value, a text.
    text = lambda s: struct.pack("<Q", len(s)) + s.encode()
    write("gguf", b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("general.architecture") + struct.pack("<I", 8) + text("llama"))
    # llama.cpp before August 2023: the numbers 'ggml', 'ggjt' and so on, little-endian.
    write("ggml", b"lmgg" + struct.pack("<7i", 32000, 4096, 256, 32, 32, 128, 2))
    write("ggml~ggjt", b"tjgg" + struct.pack("<8i", 3, 32000, 4096, 256, 32, 32, 128, 2))
    write("tflite", struct.pack("<I", 28) + b"TFL3" + struct.pack("<4H", 20, 32, 28, 24) + bytes(20))
    write("executorch", struct.pack("<I", 28) + b"ET12" + b"eh00" + bytes(36))  # executorch/schema/program.fbs
    # tensorflow/core/protobuf/saved_model.proto, meta_graph.proto and graph.proto
    node = message((1, "x"), (2, "Placeholder"))
    write("tensorflow-savedmodel", message((1, 1), (2, message((1, message((2, message((1, message((1, "Const"))))), (4, "serve"), (5, "2.15.0"))), (2, message((1, node)))))))
    write("tensorflow-graph", message((1, node), (1, message((1, "y"), (2, "Relu"), (3, "x"))), (4, message((1, 1994)))))
    # apple/coremltools/mlmodel/format/Model.proto
    write("coreml", message((1, 4), (2, message((1, message((1, "image"), (3, message((4, message((1, 224))))))), (10, message((1, "scores")))))))
    write("openvino", '<?xml version="1.0"?>\n<net name="model" version="11">\n\t<layers/>\n</net>\n')
    ext = msgpack.ExtType(1, msgpack.packb(((4,), "float32", WEIGHTS)))  # flax/serialization.py
    write("msgpack", msgpack.packb({"params": {"a": ext}}))
    write("msgpack~flat", msgpack.packb({"kernel": ext, "bias": ext}))
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus.txt"
        corpus.write_text("the quick brown fox jumps over the lazy dog\n" * 20)
        sentencepiece.SentencePieceTrainer.train(input=str(corpus), model_prefix=f"{folder}/out", vocab_size=31, minloglevel=2)
        write("sentencepiece", (Path(folder) / "out.model").read_bytes()[:1500])
    write("llamafile", b"MZqFpD='\n" + bytes(55) + b"\n#'\"\n")  # jart/cosmopolitan: ape/specification.md
    write("parquet", b"PAR1" + bytes(8) + struct.pack("<I", 8) + b"PAR1")  # apache/parquet-format
    write("arrow", b"ARROW1\0\0" + bytes(16) + struct.pack("<I", 16) + b"ARROW1")  # arrow.apache.org/docs/format/Columnar.html

    def table(folder):
        with sqlite3.connect(folder / "out.db") as db:
            db.execute("pragma page_size = 512")
            db.execute("create table a (b)")
    write("sqlite", in_folder(table))


# Archives and compressed files: of model.safetensors.


def packed():
    write("zip", archive({"model.safetensors": SAFETENSORS}, root=""))
    write("zip-empty", archive({}))
    write("zip~two", archive({"model.safetensors": SAFETENSORS, "config.json": "{}"}, root="model/"))
    write("tar", tar({"model.safetensors": SAFETENSORS}, tarfile.USTAR_FORMAT))
    write("tar~gnu", tar({"model.safetensors": SAFETENSORS}, tarfile.GNU_FORMAT))
    write("gzip", through("gzip", "-nc"))
    write("bzip2", through("bzip2", "-c"))
    write("bzip2~empty", through("bzip2", "-c", data=b""))
    write("xz", through("xz", "-c"))
    write("lzma", through("xz", "--format=lzma", "-c"))
    write("lz4", through("lz4", "-c"))
    write("lz4~legacy", through("lz4", "-l", "-c"))
    write("zstd", through("zstd", "-c"))
    write("zlib", zlib.compress(SAFETENSORS))
    write("zlib~fast", zlib.compress(SAFETENSORS, 1))
    write("lzip", through("lzip", "-c"))
    write("lzop", through("lzop", "-c"))
    codes = sum(byte << 9 * i for i, byte in enumerate(SAFETENSORS))  # ncompress: codes of 9 bits, none of them of a pair
    write("compress", b"\x1f\x9d\x90" + codes.to_bytes(9 * len(SAFETENSORS) // 8 + 1, "little"))
    write("snappy", b"\xff\x06\0\0sNaPpY" + b"\x01\x05\0\0" + bytes(4) + b"x")  # google/snappy/framing_format.txt
    write("skippable-frame", struct.pack("<II", 0x184D2A50, 4) + b"note" + through("zstd", "-c"))
    write("7z", in_folder(lambda d: subprocess.run(["7z", "a", "out.7z", "model.safetensors"], cwd=d, check=True, stdout=subprocess.DEVNULL)))
    write("rar", b"Rar!\x1a\x07\x01\0\x33\x92\xb5\xe5\x0a\x01\x05\x06")  # rarlab.com/technote.htm
    write("cab", b"MSCF\0\0\0\0" + struct.pack("<I", 64) + bytes(52))  # [MS-CAB]
    write("xar", b"xar!" + struct.pack(">HHQQI", 28, 1, 0, 0, 1))  # mackyle/xar: include/xar.h
    write("squashfs", b"hsqs" + bytes(92))  # docs.kernel.org/filesystems/squashfs.html
    write("pgp", through("gpg", "--batch", "--pinentry-mode", "loopback", "--passphrase", "x", "--symmetric", "--armor"))
    write("age", "age-encryption.org/v1\n-> X25519 " + "A" * 43 + "\n")  # age-encryption.org/v1


# What is no weights.


def others():
    image = Image.new("RGB", (1, 1))
    for form in "PNG", "JPEG", "GIF", "WebP", "TIFF", "BMP":
        out = io.BytesIO()
        image.save(out, form)
        write(form.lower(), out.getvalue())
    out = io.BytesIO()
    image.save(out, "PDF")
    write("pdf", out.getvalue()[:400])
    write("mp4", struct.pack(">I", 32) + b"ftypisom" + struct.pack(">I", 512) + b"isomiso2avc1mp41")  # ISO/IEC 14496-12

    def program(folder):
        (folder / "p.c").write_text("void _start(void) {}\n")
        subprocess.run(["gcc", "-nostdlib", "-static", "-s", "-o", "out", "p.c"], cwd=folder, check=True)
    write("elf", in_folder(program)[:600])
    # learn.microsoft.com/windows/win32/debug/pe-format
    write("windows-program", b"MZ\x90\0" + bytes(56) + struct.pack("<I", 64) + b"PE\0\0" + struct.pack("<H", 0x8664) + bytes(18))
    write("mach-o", struct.pack("<7I", 0xFEEDFACF, 0x0100000C, 0, 2, 0, 0, 0) + bytes(4))  # mach-o/loader.h
    write("mach-o~universal", struct.pack(">2I", 0xCAFEBABE, 2) + bytes(40))  # mach-o/fat.h
    write("wasm", b"\0asm\x01\0\0\0")
    write("java-serialization", base64.b64decode("rO0ABXQAAWE="))  # the text "a" by java.io.ObjectOutputStream
    # RFC 1740: AppleDouble, with Finder information and a resource fork
    write("appledouble", struct.pack(">II", 0x00051607, 0x00020000) + b"Mac OS X".ljust(16) + struct.pack(">H6I", 2, 9, 50, 32, 2, 82, 0) + bytes(32))
    write("ds-store", b"\0\0\0\x01Bud1" + bytes(28))  # formats.kaitai.io/ds_store
    oid = "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393"
    write("lfs-pointer", f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize 4976698672\n")
    write("xet-pointer", f"# xet version 0\nfilesize = 4976698672\nhash = '{oid}'\n")  # xetdata/xet-core: pointer_file.rs
    write("xet-pointer~json", json.dumps({"hash": oid, "file_size": 4976698672}))  # huggingface/xet-core: xet_file.rs
    write("link-text", f"../../blobs/{oid}")
    write("link-text~elsewhere", f"tmp/x/models--org--model/blobs/{oid}")
    write("text~blobs", "The blobs are in models--org--model/blobs/4d7a2146.\n")
    write("html", '<!DOCTYPE html>\n<html class="">\n<head><title>Sign in</title></head>\n<body></body>\n</html>\n')
    write("html~bare", "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n</html>\r\n")
    write("html~xhtml", '\n<?xml version="1.0"?>\n<!DOCTYPE html>\n<html/>\n')
    write("html~mark", "\ufeff<html></html>\n")
    write("http-response", 'HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n\r\n{"a": 1}')
    write("json-error", '{"error":"Repository not found","code":404}')
    write("json-error~message", '{\n  "message": "Access to this model is restricted"\n}')
    write("json", '{"architectures": ["LlamaForCausalLM"], "hidden_size": 64}')
    write("json~array", '["a", "b"]')
    write("xml-error", '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>')
    write("xml", '<?xml version="1.0"?>\n<model/>\n')
    write("notebook", '{\n "cells": [],\n "metadata": {},\n "nbformat": 4,\n "nbformat_minor": 5\n}\n')
    write("python-source", '"""Modeling."""\n\nimport torch\n\n\nclass Net(torch.nn.Module):\n    pass\n')
    write("python-source~script", "#!/usr/bin/env python3\nprint(1)\n")
    write("script", "#!/bin/sh\nexec true\n")
    write("byte-order-mark", b"\xef\xbb\xbf" + SAFETENSORS)
    write("utf-16-text", "Entry not found\n".encode("utf-16"))
    write("text", "Entry not found")
    write("text~german", "Datei nicht verfügbar: bitte später erneut versuchen.\n")
    write("zeros", bytes(16))
    write("zeros~many", bytes(2048))
    write("empty", b"")
    write("data", bytes(range(255, 100, -1)))
    write("data~length", struct.pack("<Q", 88))


torch()
weights()
packed()
others()
