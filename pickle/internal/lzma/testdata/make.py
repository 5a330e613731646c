"""Packs the texts of lzma_test.go with Python's lzma, which is xz's own library.

    python3 make.py        # in this folder
"""
import lzma

lines = "".join(f"line {i} of some text\n" for i in range(300)).encode()
noise, x = bytearray(), 1
for _ in range(400):
    x = (x * 1103515245 + 12345) & 0x7FFFFFFF
    noise.append(x >> 16 & 255)
mixed = lines[:500] + bytes(noise) + lines[:500] + bytes(5000)


def write(name, packed):
    with open(name, "wb") as f:
        f.write(packed)


for name, text in (("lines", lines), ("noise", bytes(noise)), ("mixed", mixed), ("empty", b"")):
    write(name + ".lzma", lzma.compress(text, format=lzma.FORMAT_ALONE))
    write(name + ".xz", lzma.compress(text, format=lzma.FORMAT_XZ))
odd = [{"id": lzma.FILTER_LZMA1, "lc": 0, "lp": 4, "pb": 0, "dict_size": 4096}]
write("mixed.odd.lzma", lzma.compress(mixed, format=lzma.FORMAT_ALONE, filters=odd))
write("mixed.twice.xz", lzma.compress(mixed, check=lzma.CHECK_SHA256) + bytes(4) + lzma.compress(mixed, check=lzma.CHECK_NONE))
write("mixed.filter.xz", lzma.compress(mixed, filters=[{"id": lzma.FILTER_DELTA, "dist": 4}, {"id": lzma.FILTER_LZMA2}]))
