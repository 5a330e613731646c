"""Random programs of pickle instructions, and mutations of them, for unpickle.py."""

import struct

NAMES = [
    ("os", "system"),
    ("collections", "OrderedDict"),
    ("builtins", "eval"),
    ("torch._utils", "_rebuild_tensor_v2"),
    ("a.b", "c.d"),
    ("collections", "deque"),
    ("__builtin__", "set"),
    ("copy_reg", "_reconstructor"),
    ("numpy", "ndarray"),
    ("argparse", "_os.system"),
    ("mymodel", "Net"),
    ("torch", "FloatStorage"),
    ("\u00e9", "\u00fc"),
    ("m", ""),
    ("builtins", "getattr"),
    ("functools", "partial"),
]


def le(n, size):
    return (n & ((1 << 8 * size) - 1)).to_bytes(size, "little")


class Program:
    """Writes random instructions, with a rough idea of the stack."""

    def __init__(self, r):
        self.r, self.out, self.stack, self.marks, self.memo = r, bytearray(), [], [], 0

    def push(self, kind, code):
        self.out += code
        self.stack.append(kind)

    def text(self):
        return self.r.choice(
            [
                "os",
                "system",
                "a",
                "",
                "x" * 300,
                "\u00e9",
                "collections",
                "OrderedDict",
                "builtins",
                "eval",
                "1",
                "a\nb",
            ]
        )

    def value(self):
        r = self.r
        t = self.text()
        b = t.encode()
        line = t.replace("\n", " ")
        choice = r.randrange(26)
        simple = [
            lambda: ("none", b"N"),
            lambda: ("bool", r.choice([b"\x88", b"\x89", b"I00\n", b"I01\n"])),
            lambda: ("int", b"K" + bytes([r.randrange(256)])),
            lambda: ("int", b"M" + le(r.randrange(1 << 16), 2)),
            lambda: ("int", b"J" + le(r.randrange(1 << 32), 4)),
            lambda: ("int", b"I" + r.choice([b"5", b"-1", b"0x1f", b"007", b" 3", b"1_0", b"0o17", b"9" * 30]) + b"\n"),
            lambda: ("int", b"L" + r.choice([b"5L", b"5", b"-7L", b"0x10L", b"1_0L"]) + b"\n"),
            lambda: ("int", b"\x8a\x01\x05"),
            lambda: ("int", b"\x8b" + le(2, 4) + b"\x01\x02"),
            lambda: ("float", b"G" + struct.pack(">d", 1.5)),
            lambda: ("float", b"F" + r.choice([b"1.5", b"nan", b"1e999", b" 1", b"1_0.5"]) + b"\n"),
            lambda: ("str", b"\x8c" + bytes([len(b)]) + b if len(b) < 256 else b"X" + le(len(b), 4) + b),
            lambda: ("str", b"X" + le(len(b), 4) + b),
            lambda: ("str", b"\x8d" + le(len(b), 8) + b),
            lambda: ("str", b"V" + r.choice([line.encode("raw_unicode_escape"), b"\\u0061b", b"o\\u0073"]) + b"\n"),
            lambda: ("str", b"U" + bytes([min(len(b), 255)]) + b[:255]),
            lambda: ("str", b"T" + le(len(b), 4) + b),
            lambda: (
                "str",
                b"S" + r.choice([ascii(line).encode(), b"'os'", b'"system"', b"'o\\x73'", b"'o\\163' "]) + b"\n",
            ),
            lambda: ("bytes", b"C" + bytes([min(len(b), 255)]) + b[:255]),
            lambda: ("bytes", b"B" + le(len(b), 4) + b),
            lambda: ("bytes", b"\x8e" + le(len(b), 8) + b),
            lambda: ("bytearray", b"\x96" + le(len(b), 8) + b),
            lambda: ("tuple", b")"),
            lambda: ("list", b"]"),
            lambda: ("dict", b"}"),
            lambda: ("set", b"\x8f"),
        ]
        return simple[choice]()

    def name(self):
        r = self.r
        module, name = r.choice(NAMES)
        how = r.randrange(4)
        if how == 0 or "\n" in name:
            self.push("class", b"c" + module.encode() + b"\n" + name.encode() + b"\n")
        elif how == 1:
            self.push("str", b"\x8c" + bytes([len(module.encode())]) + module.encode())
            self.push("str", b"\x8c" + bytes([len(name.encode())]) + name.encode())
            self.reduce2("class", b"\x93")
        elif how == 2:
            self.push("str", b"X" + le(len(module.encode()), 4) + module.encode())
            self.memoize()
            self.push("str", b"S" + ascii(name).encode() + b"\n")
            self.reduce2("class", b"\x93")
        else:
            self.mark()
            self.push("object", b"i" + module.encode() + b"\n" + name.encode() + b"\n")
            self.marks.pop()

    def reduce2(self, kind, code):
        del self.stack[-2:]
        self.push(kind, code)

    def mark(self):
        self.out += b"("
        self.marks.append(len(self.stack))

    def memoize(self):
        r = self.r
        if r.random() < 0.5:
            self.out += b"\x94"
        else:
            n = r.choice([self.memo, r.randrange(8), 255])
            self.out += r.choice([b"q" + bytes([n]), b"r" + le(n, 4), b"p%d\n" % n])
        self.memo += 1

    def step(self):
        r, s = self.r, self.stack
        low = self.marks[-1] if self.marks else 0
        have = len(s) - low
        c = r.randrange(24)
        if c < 6:
            self.push(*self.value())
        elif c < 8:
            self.name()
        elif c == 8:
            self.mark()
        elif c == 9 and self.marks:
            at = self.marks.pop()
            inside, code = s[at:], r.choice([b"t", b"l", b"d", b"1", b"\x91", b"o"])
            del s[at:]
            kind = {b"t": "tuple", b"l": "list", b"d": "dict", b"\x91": "tuple", b"o": "object"}.get(code)
            self.out += code
            if kind:
                s.append(kind)
        elif c == 10 and have >= 2:
            self.reduce2("tuple", b"\x86")
        elif c == 11 and have >= 1:
            s.pop()
            self.push("tuple", b"\x85")
        elif c == 12 and have >= 3:
            del s[-3:]
            self.push("tuple", b"\x87")
        elif c in (13, 14) and have >= 1 and s[-1] in ("class", "object"):
            self.push("tuple", b")")
            if r.random() < 0.3:
                self.push("dict", b"}")
                self.out += b"\x92"
                del s[-3:]
            else:
                self.out += r.choice([b"R", b"\x81"])
                del s[-2:]
            s.append("object")
        elif c == 15 and have >= 2 and s[-1] == "tuple" and s[-2] in ("class", "object"):
            self.reduce2("object", r.choice([b"R", b"\x81"]))
        elif c == 16 and have >= 2 and s[-2] in ("object", "class"):
            s.pop()
            self.out += r.choice([b"b", b"a"])
        elif c == 17 and have >= 2 and s[-2] == "list":
            s.pop()
            self.out += b"a"
        elif c == 18 and have >= 3 and s[-3] in ("dict", "object"):
            del s[-2:]
            self.out += b"s"
        elif c == 19 and have >= 1:
            self.memoize()
        elif c == 20 and self.memo:
            n = r.randrange(self.memo)
            self.push(
                r.choice(["str", "object", "class"]), r.choice([b"h" + bytes([n & 255]), b"j" + le(n, 4), b"g%d\n" % n])
            )
        elif c == 21 and have >= 1:
            if r.random() < 0.5:
                s.pop()
                self.out += b"0"
            else:
                self.push(s[-1], b"2")
        elif c == 22:
            extra = r.randrange(5)
            if extra == 0:
                self.push("object", b"P" + r.choice([b"1", b"storage", b"\xc3\xa9", b""]) + b"\n")
            elif extra == 1 and have >= 1:
                s.pop()
                self.push("object", b"Q")
            elif extra == 2:
                self.out += b"\x80" + bytes([r.choice([2, 3, 4, 5])])
            elif extra == 3:
                self.out += b"\x95" + le(r.choice([0, 1, 5, 1 << 20]), 8)
            else:
                self.push("str", b"\x8c\x02os")
                self.push("str", b"\x8c\x06system")
                self.reduce2("class", b"\x93")
        elif have >= 3 and s[-2] == "str" and s[-1] == "str":
            self.reduce2("class", b"\x93")

    def bytes(self):
        if self.r.random() < 0.7:
            self.out += b"\x80" + bytes([self.r.choice([0, 1, 2, 3, 4, 4, 5])])
        for _ in range(self.r.randint(1, 40)):
            self.step()
        while self.marks and self.r.random() < 0.9:
            self.out += b"t"
            del self.stack[self.marks.pop() :]
            self.stack.append("tuple")
        self.out += b"." if self.r.random() < 0.9 else b""
        return bytes(self.out)


def mutate(r, data, other):
    """Returns data with a few bytes or runs of bytes changed."""
    b = bytearray(data)
    for _ in range(r.choice([1, 1, 1, 2, 3, 8])):
        if not b:
            break
        i, how = r.randrange(len(b)), r.randrange(7)
        if how == 0:
            b[i] = r.randrange(256)
        elif how == 1:
            b[i] ^= 1 << r.randrange(8)
        elif how == 2:
            del b[i : i + r.randint(1, 4)]
        elif how == 3:
            b[i:i] = bytes([r.choice(b"()]}NRtabdeghijloqrsu.0123\x80\x81\x85\x86\x87\x93\x94\x8c\x90\x91\x95")])
        elif how == 4:
            j = r.randrange(len(other))
            b[i:i] = other[j : j + r.randint(1, 60)]
        elif how == 5:
            b[i:i] = b[r.randrange(len(b)) :][: r.randint(1, 30)]
        else:
            b[i : i + 1] = r.choice(
                [
                    b"cos\nsystem\n",
                    b"\x8c\x02os\x8c\x06system\x93",
                    b"(S'x'\nios\nsystem\n",
                    b")R",
                    b"N",
                    b"\x94",
                    b"h\x00",
                    b"0",
                ]
            )
    return bytes(b[: 1 << 16])
