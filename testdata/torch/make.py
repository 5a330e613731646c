"""Writes the files beside it, with Python's standard library alone.

    python3 make.py        # in this folder

They are what torch.save and numpy.savez write: the records, their order and their
pickles, with names of functions that are never called here.

checkpoint.pt is of a training run: the weights of a module in DistributedDataParallel,
of which two are tied and one is transposed, the state of the optimizer, and the epoch.
sharded/ is a model of two shards with an index, as transformers wrote it. extra.pt is a
checkpoint in which something asks whoever loads it to call builtins.eval, of the
expression 6 * 7. double.pt has a tensor of complex128, for which safetensors has no
form. arrays.npz has two arrays, deflated.
"""
import collections
import io
import json
import os
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
classes = {code: named("torch", name + "Storage") for code, name in
           {"f": "Float", "q": "Long", "e": "Half", "?": "Bool", "dd": "ComplexDouble"}.items()}


class Storage:
    def __init__(self, code, values):
        self.code, self.values = code, values

    def elements(self):
        return len(self.values) // len(self.code)

    def data(self):
        return struct.pack(f"<{len(self.values)}{self.code[0]}", *self.values)


class Tensor:
    """A view of a storage, row by row unless strides are given."""

    def __init__(self, storage, shape, stride=None, offset=0):
        self.storage, self.shape, self.stride, self.offset = storage, shape, stride, offset
        if stride is None:
            stride, step = [], 1
            for n in reversed(shape):
                stride.insert(0, step)
                step *= n
            self.stride = tuple(stride)

    def __reduce__(self):
        return rebuild, (self.storage, self.offset, self.shape, self.stride, False, collections.OrderedDict())


def tensor(code, shape, *values):
    return Tensor(Storage(code, values), shape)


class Pickler(pickle.Pickler):
    def __init__(self, file):
        super().__init__(file, protocol=2)
        self.keys = {}

    def persistent_id(self, obj):
        if isinstance(obj, Storage):
            key = self.keys.setdefault(obj, str(len(self.keys)))
            return "storage", classes[obj.code], key, "cpu", obj.elements()
        return None


def save(name, obj):
    program = io.BytesIO()
    pickler = Pickler(program)
    pickler.dump(obj)
    folder = os.path.basename(name).split(".")[0] + "/"
    with zipfile.ZipFile(name, "w", zipfile.ZIP_STORED) as z:
        def record(name, data):
            z.writestr(zipfile.ZipInfo(folder + name), data)
        record("data.pkl", program.getvalue())
        record("byteorder", b"little")
        for storage, key in pickler.keys.items():
            record("data/" + key, storage.data())
        record("version", b"3\n")


def weights(**tensors):
    return collections.OrderedDict((name.replace("__", "."), t) for name, t in tensors.items())


embed = Storage("f", [i / 4 for i in range(12)])
save("checkpoint.pt", {
    "epoch": 3,
    "model": weights(
        module__embed__weight=Tensor(embed, (4, 3)),
        module__norm__weight=tensor("e", (3,), 1, 1, 0.5),
        module__proj__weight=Tensor(Storage("f", [1, 2, 3, 4, 5, 6]), (2, 3), (1, 2)),
        module__head__weight=Tensor(embed, (4, 3)),
    ),
    "optimizer": {"state": {0: {"step": tensor("f", (), 100), "exp_avg": tensor("f", (4, 3), *[0] * 12)}}, "param_groups": [{"lr": 0.001, "params": [0]}]},
})

os.makedirs("sharded", exist_ok=True)
shards = {
    "pytorch_model-00001-of-00002.bin": weights(embed__weight=tensor("e", (4, 2), *range(8)), layers__0__weight=tensor("e", (2, 2), 1, 0, 0, 1)),
    "pytorch_model-00002-of-00002.bin": weights(norm__weight=tensor("f", (2,), 1, 1), mask=tensor("?", (2,), True, False)),
}
for name, shard in shards.items():
    save("sharded/" + name, shard)
with open("sharded/pytorch_model.bin.index.json", "w") as f:
    index = {name: shard for shard in shards for name in shards[shard]}
    f.write(json.dumps({"metadata": {"total_size": 34}, "weight_map": index}, indent=2, sort_keys=True) + "\n")

save("extra.pt", {"model": weights(weight=tensor("f", (2,), 1, 2)), "hook": Answer()})
save("double.pt", weights(weight=tensor("f", (2,), 1, 2), phase=tensor("dd", (2,), 0, 1, 1, 0)))


def npy(descr, shape, data):
    header = "{'descr': %r, 'fortran_order': False, 'shape': %r, }" % (descr, shape)
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


with zipfile.ZipFile("arrays.npz", "w", zipfile.ZIP_DEFLATED) as z:
    for name, data in {"weight": npy("<f4", (2, 3), struct.pack("<6f", *range(6))), "bias": npy(">f4", (2,), struct.pack(">2f", 1, -1))}.items():
        info = zipfile.ZipInfo(name + ".npy")
        info.compress_type = zipfile.ZIP_DEFLATED
        z.writestr(info, data)
