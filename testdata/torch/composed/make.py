#!/usr/bin/env python3
"""Writes the files beside it: tensors that are made of others, as PyTorch 1.13.1 saves them.

Run it in this folder. The tests say which values each has.
"""

import torch


def save(name, value, **how):
    torch.save(value, name, **how)


coo = torch.sparse_coo_tensor(torch.tensor([[0, 1, 1], [2, 0, 2]]), torch.tensor([3.0, 4.0, 5.0]), (2, 3))
save("coo.pt", {"w": coo.coalesce(), "bias": torch.ones(1)})
save("coo_old.pt", {"w": coo.coalesce(), "bias": torch.ones(1)}, _use_new_zipfile_serialization=False)
save("unordered.pt", {"w": torch.sparse_coo_tensor(torch.tensor([[1, 0, 1]]), torch.tensor([3.0, 4.0, 5.0]), (2,))})
rows = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
save("hybrid.pt", {"w": torch.sparse_coo_tensor(torch.tensor([[0, 3]]), rows, (5, 2)).coalesce()})
save("csr.pt", {"w": torch.tensor([[0, 0, 1.0], [2, 0, 0], [0, 0, 0], [3, 4, 0]]).to_sparse_csr()})

numbers = torch.tensor([[-1.0, 0.0, 1.0], [0.5, 0.25, 2.0]])
save("int8.pt", {"w": torch.quantize_per_tensor(numbers, 0.25, 3, torch.qint8).t()})
scales, zeros = torch.tensor([0.25, 0.5], dtype=torch.float64), torch.tensor([0, 1])
save("channels.pt", {"w": torch.quantize_per_channel(numbers, scales, zeros, 0, torch.quint8)})

values = {
    "w": torch.ones(2),
    "epoch": 3,
    "options": {
        "lr": 0.1, "betas": (0.9, 0.999), "name": "a \u00e9 \"b\"\n", "nothing": None, "nan": float("nan"), "low": float("-inf"),
        "large": 2**80, "flag": True, 1: "one", "list": [1, [2, {"k": []}]], "set": {3}, "size": torch.Size([1, 2]),
        "dtype": torch.float32, "device": torch.device("cpu"), "bytes": b"abc", "momentum": torch.zeros(1), (1, 2): "tuple",
    },
}  # fmt: skip
save("values.pt", values)
save("values_old.pt", values, _use_new_zipfile_serialization=False)
