"""Writes the files beside it, with Python's standard library alone.

    python3 make.py        # in this folder

harmless.pkl asks whoever loads it to call builtins.eval, with which a file could run
anything. What this one runs is the expression 6 * 7, and so it loads as the number 42.

model.pt is a checkpoint of two small tensors as torch.save writes one: the records, their
order and their pickle, with names of functions that are never called here. old.bin is
the same in the form from before PyTorch 1.6.
"""
import collections
import io
import pickle
import struct
import sys
import types
import zipfile


class Answer:
    def __reduce__(self):
        return eval, ("6 * 7",)


def named(module, name):
    """Returns a thing that pickles as the name, and makes it known under it."""
    parts = module.split(".")
    for i in range(1, len(parts) + 1):
        sys.modules.setdefault(".".join(parts[:i]), types.ModuleType(".".join(parts[:i])))
    def function(*args):
        raise NotImplementedError
    function.__module__, function.__qualname__ = module, name
    setattr(sys.modules[module], name, function)
    return function


rebuild = named("torch._utils", "_rebuild_tensor_v2")
storages = {"f": named("torch", "FloatStorage"), "q": named("torch", "LongStorage")}


class Tensor:
    def __init__(self, key, code, shape, values):
        self.key, self.code, self.shape, self.values = key, code, shape, values

    def data(self):
        return struct.pack(f"<{len(self.values)}{self.code}", *self.values)

    def __reduce__(self):
        stride, step = [], 1
        for n in reversed(self.shape):
            stride.insert(0, step)
            step *= n
        return rebuild, (Storage(self), 0, self.shape, tuple(stride), False, collections.OrderedDict())


class Storage:
    def __init__(self, tensor):
        self.tensor = tensor


class Pickler(pickle.Pickler):
    legacy = False

    def persistent_id(self, obj):
        if isinstance(obj, Storage):
            t = obj.tensor
            id = ("storage", storages[t.code], t.key, "cpu", len(t.values))
            return id + (None,) if self.legacy else id
        return None


class LegacyPickler(Pickler):
    legacy = True


def pickled(obj, pickler=Pickler):
    b = io.BytesIO()
    pickler(b, protocol=2).dump(obj)
    return b.getvalue()


tensors = {"weight": Tensor("0", "f", (2, 3), [0.5, 1, 1.5, 2, 2.5, 3]), "steps": Tensor("1", "q", (1,), [100])}

with open("harmless.pkl", "wb") as f:
    pickle.dump(Answer(), f, protocol=4)

with zipfile.ZipFile("model.pt", "w", zipfile.ZIP_STORED) as z:
    def record(name, data):
        z.writestr(zipfile.ZipInfo("model/" + name), data)
    record("data.pkl", pickled(collections.OrderedDict(tensors)))
    record("byteorder", b"little")
    for t in tensors.values():
        record("data/" + t.key, t.data())
    record("version", b"3\n")

with open("old.bin", "wb") as f:
    sizes = {"short": 2, "int": 4, "long": 4}
    for obj in (0x1950A86A20F9469CFC6C, 1001, {"protocol_version": 1001, "little_endian": True, "type_sizes": sizes}):
        f.write(pickled(obj))
    f.write(pickled(collections.OrderedDict(tensors), LegacyPickler))
    f.write(pickled(sorted(t.key for t in tensors.values())))
    for t in tensors.values():
        f.write(struct.pack("<q", len(t.values)) + t.data())
