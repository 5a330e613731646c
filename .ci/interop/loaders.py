"""Compares the verdicts of `weigh scan` with what loaders do.

Generates files that ask joblib, NumPy, pickle, tarfile, gzip, bz2, lzma and lz4 to run something, in ways that these
loaders understand more or less, loads each in a child process that reports calls of os.system instead of making them,
and scans the same files. A file that made the loader call os.system, or crash, must not be safe; a file that the
library itself wrote must not be dangerous.

    loaders.py --weigh PROGRAM [--seconds N] [--seed N] [--work FOLDER]

Files that disagree are kept, and their paths are printed.
"""

import argparse
import bz2
import gzip
import io
import json
import lzma
import os
import pickle
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tarfile
import time
import warnings
import zlib
from pathlib import Path

warnings.simplefilter("ignore")

import joblib  # noqa: E402
import numpy as np  # noqa: E402

try:
    import lz4.frame as lz4
except ImportError:
    lz4 = None

PAYLOAD = b"cos\nsystem\n\x8c\x04true\x85R"


class Ran(BaseException):
    """The loader called what it must not."""


def load(path):
    """Loads a file as its extension says."""
    kind = path.suffix[1:]
    if kind in ("joblib", "z"):
        joblib.load(path)
    elif kind in ("pkl", "npp"):
        value = pickle.loads(path.read_bytes())
        if kind == "npp":
            use(value)
    elif kind in ("npy", "npz"):
        value = np.load(path, allow_pickle=True)
        for name in getattr(value, "files", ()):
            value[name]
    elif kind == "tar":
        with tarfile.open(path, "r:") as archive:
            for name in ("storages", "tensors", "pickle"):
                pickle.load(archive.extractfile(archive.getmember(name)))
    elif kind == "gz":
        pickle.load(gzip.open(path))
    elif kind == "bz2":
        pickle.load(bz2.open(path))
    elif kind == "xz":
        pickle.load(lzma.open(path))
    elif kind == "lz4":
        pickle.load(lz4.open(path))


def use(value):
    """Uses arrays, which is when a wrong dtype shows."""
    if isinstance(value, (list, tuple)):
        for item in value:
            use(item)
    elif isinstance(value, np.ndarray) or isinstance(value, np.generic):
        value = np.asarray(value)
        value.copy()
        value.tolist()
        if value.dtype.names:
            for name in value.dtype.names:
                value[name].copy()
                value[name].tolist()


def child(paths):
    """Loads each file and prints what happened. A crash of the process that loads them costs it only one."""
    done = 0
    while done < len(paths):
        sys.stdout.flush()
        out, end = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(out)
            worker(paths[done:], end)
            os._exit(0)
        os.close(end)
        with os.fdopen(out) as lines:
            for line in lines:
                ran = line.strip() == "ran"
                print(json.dumps({"path": paths[done], "ran": ran, "crashed": False}))
                done += 1
        _, status = os.waitpid(pid, 0)
        if done < len(paths):
            crashed = os.WIFSIGNALED(status) and os.WTERMSIG(status) != signal.SIGALRM
            print(json.dumps({"path": paths[done], "ran": False, "crashed": crashed}))
            done += 1


def worker(paths, end):
    """Loads files and writes a line about each to a pipe."""

    def hook(event, args):
        if event == "os.system":
            raise Ran

    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    sys.addaudithook(hook)
    for path in paths:
        signal.alarm(5)
        what = b"loaded\n"
        try:
            load(Path(path))
        except Ran:
            what = b"ran\n"
        except BaseException as err:
            what = b"ran\n" if isinstance(err.__context__, Ran) else b"refused\n"
        os.write(end, what)


class Code:
    """Instructions for random pickles."""

    def __init__(self, r):
        self.r = r

    def pick(self, *choices):
        return self.r.choice(choices)

    def text(self, s):
        b = s.encode()
        return self.pick(b"\x8c" + bytes([len(b)]) + b, b"X" + struct.pack("<I", len(b)) + b,
                         b"\x8d" + struct.pack("<Q", len(b)) + b)  # fmt: skip

    def data(self, b):
        if len(b) < 256:
            return b"C" + bytes([len(b)]) + b
        return b"B" + struct.pack("<I", len(b)) + b

    def number(self, n):
        if 0 <= n < 256:
            return b"K" + bytes([n])
        if -(1 << 31) <= n < 1 << 31:
            return b"J" + struct.pack("<i", n)
        b = n.to_bytes(16, "little", signed=True)
        return b"\x8a\x10" + b

    def name(self, module, name):
        return self.pick(b"c" + f"{module}\n{name}\n".encode(), self.text(module) + self.text(name) + b"\x93")

    def tuple(self, *items):
        return b"(" + b"".join(items) + b"t"

    def value(self, v):
        """Returns the instructions for a plain value, or for bytes that are instructions."""
        if isinstance(v, Raw):
            return v.code
        if v is None:
            return b"N"
        if isinstance(v, bool):
            return b"\x88" if v else b"\x89"
        if isinstance(v, int):
            return self.number(v)
        if isinstance(v, float):
            return b"G" + struct.pack(">d", v)
        if isinstance(v, str):
            return self.text(v)
        if isinstance(v, bytes):
            return self.data(v)
        if isinstance(v, tuple):
            return self.tuple(*map(self.value, v))
        if isinstance(v, list):
            return b"](" + b"".join(map(self.value, v)) + b"e"
        return b"}(" + b"".join(self.value(k) + self.value(w) for k, w in v.items()) + b"u"

    def call(self, module, name, args):
        return self.name(module, name) + self.value(args) + b"R"


class Raw:
    """Instructions."""

    def __init__(self, code):
        self.code = code


DTYPES = [
    "f8", "i4", "u1", "O", "O8", "i4,O", "O,i4", "S5", "U3", "V8", "M8[ns]", "object", "float64", "(2,)O", "8u1",
    [("a", "i4"), ("b", "O")], [("a", "i4"), ("b", "f8")], [("a", "S3"), ("b", "U2", (2,))], ("f4", (2, 3)), ("O", (2,)),
    [("x", [("y", "O")])], [(("title", "a"), "f8")], "c16", "?", "b1", "V0", "S0", ">i4", "m8",
]  # fmt: skip


class Maker(Code):
    """Makes files. Each method returns bytes, an extension, and whether the library itself wrote them."""

    def dtype(self, honest):
        """Returns the instructions for a dtype, as NumPy writes them or with a lie."""
        if not honest and self.r.random() < 0.25:
            alphabet = ["i4", "O", "f8", ",", "(2,)", "u1", "V8", "S", "U", "8", " ", "=", "|", "<", "object", "2", "D", "M8"]
            code = "".join(self.r.choice(alphabet) for _ in range(self.r.randrange(1, 5)))
            return self.call("numpy", "dtype", (code,) + self.pick((), (False, True), (0, 1), (False,), (False, False)))
        while True:
            try:
                d = np.dtype(self.r.choice(DTYPES), align=self.r.random() < 0.2)
                break
            except TypeError:
                pass
        return self.reduced(d, honest)

    def reduced(self, d, honest):
        _, args, state = d.__reduce__()
        state = list(state)
        if state[2] is not None:
            state[2] = (Raw(self.reduced(state[2][0], True)), state[2][1])
        if state[4] is not None:
            state[4] = {k: (Raw(self.reduced(v[0], True)),) + v[1:] for k, v in state[4].items()}
        if not honest:
            self.lie(state)
            if self.r.random() < 0.2:
                args = (self.pick("V8", "O8", "object", "S8", "f8", "V16", "i8", "U4"),) + args[1:]
            if self.r.random() < 0.1:
                return self.call("numpy", "dtype", args)
        new = self.call("numpy", "dtype", args)
        if not honest and self.r.random() < 0.1:
            new = self.call("copyreg", "__newobj__", (Raw(self.name("numpy", "dtype")),) + args)
        return new + self.value(tuple(state)) + b"b"

    def lie(self, state):
        """Changes the state of a dtype."""
        for _ in range(self.r.choice([1, 1, 1, 2, 3])):
            i = self.r.randrange(len(state))
            objects = Raw(self.reduced(np.dtype("O"), True))
            number = self.r.choice([-1, 0, 1, 2, 3, 4, 8, 16, 24, 27, 63, 64, 127, 128, 155, 255, 1 << 20, 1 << 30])
            state[i] = self.r.choice([
                number, number, number, None, "|", "<", ("a",), (), {}, {"a": (objects, 0)}, {"a": (objects, number)},
                (objects, (1,)), (objects, number), (objects, (2, 2)), {-1: ["a"], "a": (objects, 0)},
            ])  # fmt: skip
            if i == 3 and state[3] == ("a",):
                state[4] = {"a": (objects, number)}
        if self.r.random() < 0.2:
            del state[self.r.randrange(len(state))]
        if self.r.random() < 0.1:
            state.append(self.pick(None, {}, (), 7))

    def size(self, d, otherwise):
        """Returns the size of an element of a dtype."""
        try:
            return pickle.loads(b"\x80\x04" + d + b".").itemsize % 1000
        except Exception:
            return otherwise

    def shape(self, n):
        """Returns a shape of n elements, or something like it."""
        if self.r.random() < 0.5:
            return (n,)
        return self.r.choice([
            (n,), (n,), (n,), (n, 1), (1, n), [n], (float(n),), (str(n),), bytes([n]) if n < 256 else (n,), (True, n),
            (-n, -1), (n, 1 << 64), {n: 0}, (), n, (n + (1 << 64),),
        ])  # fmt: skip

    def hidden(self, n):
        """Returns n bytes, or more, that run something if they are read in some way."""
        junk = self.r.choice([b"\xff", b"A", b"\x00", b"N", b"0"])
        inside = b"\x80\x04" + PAYLOAD + b"."
        bare = PAYLOAD + b"."
        behind = b"B" + struct.pack("<I", max(n - 5, 0) + len(PAYLOAD) + 1) + junk * max(n - 5, 0) + b"0" + PAYLOAD
        return self.r.choice([
            inside + junk * max(n - len(inside), 0), junk * n + b"0" + PAYLOAD, behind, junk * n + PAYLOAD,
            b"0" + bare + junk * max(n - len(bare) - 1, 0), inside, bare, junk + inside,
        ])  # fmt: skip

    def wrapper(self):
        """A file of joblib with an array."""
        honest = self.r.random() < 0.3
        n = self.r.choice([1, 2, 8, 60])
        d = self.dtype(honest)
        cls = Raw(self.name("joblib.numpy_pickle", "NumpyArrayWrapper"))
        new = self.r.choice([
            cls.code + b")\x81", cls.code + b")}\x92", self.call("copyreg", "__newobj__", (cls,)),
            self.call("copyreg", "__newobj_ex__", (cls, (), {})),
            self.call("copyreg", "_reconstructor", (cls, Raw(self.name("builtins", "object")), None)),
            self.call("joblib.numpy_pickle", "NumpyArrayWrapper", (None, (n,), "C", Raw(d))),
        ])  # fmt: skip
        state = {
            "subclass": Raw(self.name("numpy", "ndarray")),
            "shape": self.shape(n),
            "order": self.pick("C", "F"),
            "dtype": Raw(d),
            "allow_mmap": self.pick(True, False),
        }
        if self.r.random() < 0.5:
            state["numpy_array_alignment_bytes"] = self.pick(None, None, 16, 0)
        items = list(state.items())
        self.r.shuffle(items)
        if self.r.random() < 0.2:
            items.append(self.r.choice(items))
        if self.r.random() < 0.2:
            items.append(("shape", self.shape(n)))
        if self.r.random() < 0.2:
            items.pop(self.r.randrange(len(items)))
        code = b"}(" + b"".join(self.value(k) + self.value(v) for k, v in items) + b"u"
        if self.r.random() < 0.1:
            code += b"}" + self.text("shape") + self.value(self.shape(n)) + b"s\x86"
        if self.r.random() < 0.1:
            code += b"b" + b"}" + self.text("shape") + self.value(self.shape(n)) + b"s"
        size = n * self.r.choice([1, 2, 4, 8, 16])
        if self.r.random() < 0.8:
            size = n * self.size(d, 8) + (state.get("numpy_array_alignment_bytes") is not None)
        body = new + code + b"b"
        if self.r.random() < 0.2:
            body = b"\x95" + struct.pack("<Q", len(body) + self.r.choice([0, 0, 1, 5, len(PAYLOAD) + 1])) + body
        before = self.r.choice([b"", b"", b"]\x94", self.text("os") + b"\x940" + self.text("system") + b"\x940"])
        return b"\x80\x04" + before + self.alone_in(body + self.hidden(size)) + b".", self.pick("joblib", "joblib", "joblib", "pkl"), False

    def honest_wrapper(self, dtype, n):
        """Returns the instructions for a wrapper of n elements, as joblib writes it but for the class's name."""
        state = {
            "subclass": Raw(self.name("numpy", "ndarray")),
            "shape": (n,),
            "order": "C",
            "dtype": Raw(self.reduced(np.dtype(dtype), True)),
            "allow_mmap": dtype != "O",
            "numpy_array_alignment_bytes": None,
        }
        return self.name("joblib.numpy_pickle", "NumpyArrayWrapper") + b")\x81" + self.value(state) + b"b"

    def alone_in(self, code):
        """Replaces all payloads but one by instructions that do nothing but push a value."""
        parts = code.split(PAYLOAD)
        harmless = b"K\x00" if len(PAYLOAD) % 2 == 0 else b"N"
        harmless += b"N0" * ((len(PAYLOAD) - len(harmless)) // 2)
        keep = self.r.randrange(len(parts) - 1) if len(parts) > 1 else 0
        out = parts[0]
        for i, part in enumerate(parts[1:]):
            out += (PAYLOAD if i == keep else harmless) + part
        return out

    def mixed(self):
        """A file of joblib with arrays, nested pickles and frames, of which one has a payload for some reader."""
        out, used = b"\x80\x04]", False
        for _ in range(self.r.choice([1, 2, 2, 3])):
            n = self.r.choice([0, 1, 7, 40, 90])
            swallow = b"B" + struct.pack("<I", self.r.choice([5, 30, 60, 100]))
            junk = self.r.choice([b"\xff", b"0", b"N", b".", b"A"]) * n
            inner = self.r.choice([b"N.", b"](NNe.", PAYLOAD + b".", self.honest_wrapper("u1", n) + PAYLOAD[:n].ljust(n, b"0") + b"."])
            inner = self.pick(b"\x80\x04", b"\x80\x02", b"") + inner
            if self.r.random() < 0.4:
                inner = b"\x80\x04\x95" + struct.pack("<Q", max(len(inner) + self.r.choice([0, 0, 1, 5, 20, -1]), 0)) + inner
            data = self.r.choice([junk, b"0" + PAYLOAD + junk, PAYLOAD + junk, swallow + junk])[: max(n, 0)].ljust(n, b"0")
            part = self.r.choice([
                self.honest_wrapper("u1", n) + data + self.pick(b"a", b"0", swallow + b"a"),
                self.honest_wrapper("O", 2) + inner + self.pick(b"a", b"0", swallow, b"0" + PAYLOAD + b"0"),
                swallow + junk,
                b"0" + PAYLOAD,
                b"N0",
            ])  # fmt: skip
            if self.r.random() < 0.4:
                cut = self.r.choice([len(part), self.r.randrange(len(part) + 1), len(part) + self.r.randrange(30)])
                part = b"\x95" + struct.pack("<Q", cut) + part
            out += part
        out += self.pick(b"", b"0" + PAYLOAD, PAYLOAD, b"N" * 70)
        out = self.alone_in(out)
        return out + b".", self.pick("joblib", "joblib", "pkl", "z"), False

    def mutant(self):
        """A file of joblib with random changes and a payload somewhere."""
        out = io.BytesIO()
        d = np.dtype(self.r.choice(DTYPES[:9] + DTYPES[15:18]))
        value = {"a": np.zeros(self.r.choice([1, 3, 20]), d), "b": ["x", 1.5, None, (1, 2)], "c": np.arange(5)}
        joblib.dump(self.pick(value, [value, value], value["a"]), out, protocol=self.r.randrange(2, 6))
        b = out.getvalue()
        at = self.r.randrange(2, len(b))
        if self.r.random() < 0.7:  # at the start of an instruction
            at = self.r.choice([i for i in range(2, len(b)) if b[i] in b"\x94u.})(Nqsthbea\x95\x8cX"])
        b = b[:at] + self.pick(b"", b"0", b"N") + PAYLOAD + self.pick(b"", b"0") + b[at:]
        for _ in range(self.r.choice([0, 0, 1, 1, 2, 3])):
            i, n = self.r.randrange(len(b)), self.r.choice([0, 1, 1, 2, 5])
            chunk = self.r.choice([
                bytes([self.r.randrange(256)]), b"0", b"N", b".", b"(", b"1", b"b", b"R", b"\x93", b"\x94", b"h\x00", b"h\x01", b"}b",
                b"\x95" + struct.pack("<Q", self.r.choice([0, 1, 5, 30, 100])), b"B" + struct.pack("<I", self.r.randrange(90)),
                b"\x8c" + bytes([self.r.randrange(40)]), b"I1\n", b"L1L\n", b"S'a'\n", b"p1\n", b"g1\n", b"2", b"\x80\x02", b"\x80\x04",
                b"X\x01\x00\x00\x00a", b"q\x01", b"r\x01\x00\x00\x00", b"](NNe", b"\x81", b"u", b"s", b"a", b"t", b"\x85", b"l", b"d",
            ])  # fmt: skip
            b = b[:i] + chunk + b[i + n :]
        return b, self.pick("joblib", "joblib", "pkl"), False

    def array(self):
        """A pickle of an array, or something like it."""
        honest = self.r.random() < 0.2
        d = Raw(self.dtype(honest))
        n = self.r.choice([0, 1, 1, 2, 8])
        data = self.r.choice([b"", b"A" * 8, b"A" * 16, b"A" * 64])
        rec = self.call(self.pick("numpy.core.multiarray", "numpy._core.multiarray"), "_reconstruct",
                        (Raw(self.name("numpy", "ndarray")), (0,), self.pick(b"b", "b", "O", d)))  # fmt: skip
        value = self.r.choice([
            self.call("numpy", "ndarray", self.pick(((n,), d, data), ((n,), d), ((n,), "O", data), ((n,), d, bytes(64)))),
            self.call("numpy.core.numeric", "_frombuffer", (data, d, (n,), "C")),
            self.call("numpy._core.multiarray", "scalar", self.pick((d, data), (d,), (d, None), (d, [1]))),
            rec + self.value(self.pick((1, (n,), d, False, data), (1, (n,), d, False, [None] * self.pick(0, n, n + 1)),
                                       ((n,), d, False, data), (1, (n, n), d, True, [None]))) + b"b",
            d.code,
        ])  # fmt: skip
        return b"\x80\x04]" + value + b"a.", "npp", False

    def header(self):
        """A file of NumPy with numbers that are a pickle."""
        items = [
            ["'descr'", self.pick("'<f8'", "'|O'", "'<f4, O'", "[('a', '<f8')]", "[('a', '|O')]", "('<f8', (2,))", "'O'")],
            ["'fortran_order'", "False"],
            ["'shape'", self.pick("(9,)", "(1,)", "(3,3)", "(1, 9)", "[9]", "(True,)", "(9L,)", "(0x9,)", "(-9,-1)")],
        ]
        odd = ["'d\\x65scr'", '"descr"', "'des' 'cr'", "u'descr'", "b'descr'", "'''descr'''", "r'descr'", "'descr\\\n'",
               "('descr')", "'\\144escr'", "'d\\u0065scr'", "'\\N{LATIN SMALL LETTER D}escr'"]  # fmt: skip
        object_ = ["'|O'", "'O'", "'\\x4f'", "'|' 'O'", "'object'", "'i4,O'", "[('a', 'O')]", "['aO']", "[['a', 'O']]", "u'O'",
                   "('O', (1,))", "('O', 'ignored', 'x')", "{'aO': 1}", "[('', 'V8'), ('x', 'O')]", "[('x', 'O', 1)]",
                   "[('x', ('V', 8)), ('y', '|O')]", "'O8'", "'=O'", "(('O', (1,)), (1,))"]  # fmt: skip
        sized = ["('|V0', 8)", "('S', 72)", "'V72'", "'8f8'", "'f8,f8'", "'(9,)f8'", "'float64'", "'d'", "['ad']", "('V', 72)"]
        for _ in range(self.r.choice([0, 1, 1, 2])):
            extra = [self.r.choice(odd + ["'descr'"]), self.r.choice(object_ + sized)]
            items.insert(self.r.randrange(len(items) + 1), extra)
        if self.r.random() < 0.3:
            items[0][0] = self.r.choice(odd)
        if self.r.random() < 0.4:
            items[self.r.randrange(len(items))][1] = self.r.choice(object_ + sized)
        text = "{" + self.pick(", ", ",", ",\n", " , ").join(self.pick(": ", ":", " :\t").join(i) for i in items) + self.pick(", }", "}")
        text = self.pick("", " ", "\t") + text + self.pick("", "", " # comment", "\n\n") + " " * self.r.randrange(20) + "\n"
        version = self.pick(b"\x01\x00", b"\x01\x00", b"\x02\x00", b"\x03\x00")
        b = text.encode()
        size = struct.pack("<H" if version[0] == 1 else "<I", len(b))
        data = self.r.choice([b"\x80\x04" + PAYLOAD + b".", PAYLOAD + b".", b"N0" + PAYLOAD + b"."])
        file = b"\x93NUMPY" + version + size + b + data + b"." * self.r.randrange(80)
        return file, "npy", False

    def packed(self):
        """A compressed pickle, in forms that its readers accept."""
        code = b"\x80\x04" + self.r.choice([b"", b"N0", b"]\x94\x30"]) + PAYLOAD + b"."
        first, rest = code[: self.r.randrange(1, len(code))], b""
        kind = self.pick("gz", "z", "xz", "bz2", "alone", "lz4" if lz4 else "gz")
        if self.r.random() < 0.4:
            first, rest = code, b""
        else:
            rest = code[len(first) :]
        if kind == "gz":
            return b"".join(self.gzipped(part) for part in self.parts(first, rest)), "gz", False
        if kind == "bz2":
            return b"".join(bz2.compress(part) for part in self.parts(first, rest)) + self.pick(b"", b"junk"), "bz2", False
        if kind == "xz":
            pad = bytes(4 * self.r.randrange(3))
            return pad.join(self.xz(part) for part in self.parts(first, rest)) + pad, "xz", False
        if kind == "lz4":
            skip = b"\x50\x2a\x4d\x18" + struct.pack("<I", 5) + b"12345"
            parts = [lz4.compress(part, content_checksum=self.pick(True, False), block_linked=self.pick(True, False),
                                  store_size=self.pick(True, False)) for part in self.parts(first, rest)]  # fmt: skip
            return self.pick(b"", skip).join(parts), "lz4", False
        if kind == "alone":
            parts = [self.alone(part) for part in self.parts(first, rest)]
            return b"".join(parts), self.pick("joblib", "xz"), False
        return self.zfile(code), "joblib", False

    def parts(self, first, rest):
        """Returns the parts of a file, with empty ones among them."""
        parts = [part for part in (first, rest) if part]
        while self.r.random() < 0.2:
            parts.insert(self.r.randrange(len(parts) + 1), b"")
        return parts

    def gzipped(self, part):
        raw = zlib.compressobj(self.r.randrange(10), zlib.DEFLATED, -15)
        data = raw.compress(part) + raw.flush()
        flags = self.r.choice([0, 0, 2, 4, 8, 16, 31, 0xE0, 30])
        head = b"\x1f\x8b\x08" + bytes([flags]) + bytes(6)
        if flags & 4:
            head += struct.pack("<H", 7) + b"1234567"
        if flags & 8:
            head += b"n" * self.r.choice([0, 5, 600, 70000]) + b"\x00"
        if flags & 16:
            head += b"comment\x00"
        if flags & 2:
            head += b"xx"
        tail = struct.pack("<II", zlib.crc32(part), len(part))
        return head + data + self.pick(tail, tail, b"12345678", b"") + bytes(self.r.choice([0, 0, 3, 5000]))

    def xz(self, part):
        check = self.pick(lzma.CHECK_CRC64, lzma.CHECK_NONE, lzma.CHECK_CRC32, lzma.CHECK_SHA256)
        filters = self.pick(None, [{"id": lzma.FILTER_LZMA2, "dict_size": self.pick(4096, 1 << 20, 1 << 24), "lc": 0, "lp": 4}],
                            [{"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2}])  # fmt: skip
        return lzma.compress(part, lzma.FORMAT_XZ, check, filters=filters)

    def alone(self, part):
        b = bytearray(lzma.compress(part, lzma.FORMAT_ALONE))
        if self.r.random() < 0.7:
            b[1:5] = struct.pack("<I", self.r.choice([0, 1, 2, 3, 256, 384, 512, 768, 1 << 12, 3 << 11, 1 << 31, (1 << 32) - 1, 4000, 5 << 10]))
        if self.r.random() < 0.3:
            b[5:13] = struct.pack("<Q", self.r.choice([len(part), len(part), (1 << 38) - 1, 1 << 38]))
        return bytes(b)

    def zfile(self, code):
        raw = zlib.compressobj(9, zlib.DEFLATED, self.r.randrange(9, 16))
        data = raw.compress(code) + raw.flush() + self.pick(b"", b"junk")
        size = self.r.choice([hex(len(code)), f"{len(code):x}", f"0X{len(code):X}", f"+{len(code):#x}", f" {len(code):#x}",
                              f"0x_{len(code):x}", f"{len(code):#x}L", "0x00"])  # fmt: skip
        return b"ZF" + size.ljust(19).encode() + self.pick(b"", b" ", b"\n") + data

    def tar(self):
        """A checkpoint of PyTorch 0.1."""
        out = io.BytesIO()
        members = [("storages", b"\x80\x02K\x00.\x80\x02]q\x00."), ("tensors", b"\x80\x02K\x00."),
                   ("pickle", b"\x80\x02" + PAYLOAD.replace(b"\x8c\x04", b"X\x04\x00\x00\x00") + b".")]  # fmt: skip
        for name, data in members:
            h = tarfile.TarInfo(name)
            h.size = len(data)
            format = self.pick(tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT)
            out.write(self.changed(bytearray(h.tobuf(format))))
            out.write(data + bytes(-len(data) % 512))
        return out.getvalue() + bytes(1024), "tar", False

    def changed(self, b):
        """Changes a header so that Python may still read it."""
        spell = [
            lambda n, w: f"{n:o}".rjust(w - 1, "0").encode() + b"\x00",
            lambda n, w: f" {n:o}".ljust(w).encode(),
            lambda n, w: f"{n:o}\x00junk".encode()[:w].ljust(w, b"\x00"),
            lambda n, w: f"0o{n:o}".encode().ljust(w, b"\x00"),
            lambda n, w: f"+{n:o}".encode().ljust(w, b" "),
            lambda n, w: f"\t{n:o}\x1f".encode().ljust(w, b"\x00"),
            lambda n, w: f"0_{n:o}".encode().ljust(w, b"\x00"),
            lambda n, w: b"\x80" + n.to_bytes(w - 1, "big"),
        ]
        if self.r.random() < 0.3:
            b[257:265] = self.pick(b"ustar\x0000", b"ustar  \x00", bytes(8), b"whatever")
        size = int(b[124:135].split(b"\x00")[0], 8)
        if self.r.random() < 0.5:
            b[124:136] = self.r.choice(spell)(size, 12)
        if self.r.random() < 0.3:
            b[156] = self.r.choice([0, ord("0"), ord("7"), ord("S"), ord("Z")])
        b[148:156] = b"        "
        total = sum(b) if self.r.random() < 0.8 else sum(c - 256 if c > 127 else c for c in b)
        b[148:156] = self.r.choice(spell)(total, 8)
        return bytes(b)

    def written(self):
        """A file as the library writes it."""
        d = np.dtype(self.r.choice(DTYPES), align=self.r.random() < 0.2)
        a = np.zeros(self.r.choice([(), (0,), (3,), (2, 2)]), d)
        out = io.BytesIO()
        kind = self.pick("pkl", "joblib", "npy", "joblibz")
        try:
            if kind == "pkl":
                out.write(pickle.dumps([a, a[:1] if a.ndim else a, d], self.r.randrange(6)))
            elif kind == "npy":
                np.save(out, a)
            else:
                joblib.dump({"x": a}, out, compress=self.r.randrange(1, 9) if kind[-1] == "z" else 0, protocol=self.r.randrange(2, 6))
        except ZeroDivisionError:
            pass  # joblib cannot write elements of no size
        return out.getvalue(), kind.rstrip("z"), True


def verdicts(program, folder):
    """Returns the verdict on each file."""
    run = subprocess.run([program, "scan", "--json", str(folder)], capture_output=True, check=False)
    report = json.loads(run.stdout)
    return {Path(f["path"]).name: f["verdict"] for f in report["files"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weigh", required=True, help="the program weigh")
    parser.add_argument("--seconds", type=float, default=60, help="time limit (default 60)")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32), help="seed of the files (default random)")
    parser.add_argument("--work", type=Path, default=Path("loaders"), help="folder for files")
    parser.add_argument("--batch", type=int, default=400, help="files at once")
    parser.add_argument("--only", help="the kinds of files, such as wrapper,tar")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("paths", nargs="*", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        return child(json.load(sys.stdin))
    begin, total, ran, crashed, bad = time.monotonic(), 0, 0, 0, []
    kinds = args.only.split(",") if args.only else ["wrapper", "mixed", "mutant", "array", "header", "packed", "tar", "written"]
    counts, said = dict.fromkeys(kinds, 0), {}
    batch = 0
    while time.monotonic() - begin < args.seconds and len(bad) < 50:
        folder = args.work / f"batch{batch}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        maker = Maker(random.Random(f"{args.seed}/{batch}"))
        honest = {}
        for i in range(args.batch):
            kind = kinds[i % len(kinds)]
            try:
                data, extension, own = getattr(maker, kind)()
            except (TypeError, ValueError, OverflowError) as err:
                sys.exit(f"{kind}: {err!r}")
            path = folder / f"{kind}{i}.{extension}"
            path.write_bytes(data)
            honest[path.name] = own
        paths = [str(p) for p in sorted(folder.iterdir())]
        done = subprocess.run([sys.executable, "-W", "ignore", __file__, "--weigh", "-", "--child"],
                              input=json.dumps(paths), capture_output=True, text=True, check=True)  # fmt: skip
        ours = verdicts(args.weigh, folder)
        for line in done.stdout.splitlines():
            result = json.loads(line)
            name = Path(result["path"]).name
            total += 1
            verdict = ours[name]
            if result["ran"] or result["crashed"]:
                ran, crashed = ran + result["ran"], crashed + result["crashed"]
                counts[next(k for k in kinds if name.startswith(k))] += 1
                said[verdict] = said.get(verdict, 0) + 1
                wrong = verdict == "safe"
            else:
                wrong = honest[name] and verdict == "dangerous"
            if wrong:
                keep = args.work / f"kept-{args.seed}-{batch}-{name}"
                shutil.copy(result["path"], keep)
                bad.append(f"{keep}: {verdict}, but the loader {'ran it' if result['ran'] else 'crashed' if result['crashed'] else 'wrote it'}")
        shutil.rmtree(folder)
        batch += 1
    print(f"loaders: {total} files, {ran} ran something, {crashed} crashed, {len(bad)} judged wrongly (seed {args.seed})")
    print("loaders:", ", ".join(f"{n} of {kind}" for kind, n in counts.items()), "are judged", said)
    for line in bad:
        print(line)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
