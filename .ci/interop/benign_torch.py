"""Benign files that PyTorch writes: checkpoints of every age and protocol, programs, and parts of distributed runs."""

import collections
import datetime
import enum
import io
import os
import pathlib
import pickle
import uuid

import torch
from torch import nn

try:
    import numpy
except ImportError:
    numpy = None

DTYPES = [
    torch.float32,
    torch.float16,
    torch.bfloat16,
    torch.float64,
    torch.int64,
    torch.int32,
    torch.int16,
    torch.int8,
    torch.uint8,
    torch.bool,
    torch.complex64,
    torch.complex128,
]
RARE = [
    "float8_e4m3fn",
    "float8_e5m2",
    "float8_e4m3fnuz",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
    "uint16",
    "uint32",
    "uint64",
]


def model(r):
    """Returns a small model of random layers."""
    n = r.choice([2, 3, 4, 8])
    blocks = [
        lambda: nn.Linear(n, n),
        lambda: nn.Sequential(nn.Linear(n, n), nn.BatchNorm1d(n), nn.ReLU()),
        lambda: nn.LayerNorm(n),
        lambda: nn.Sequential(nn.Linear(n, 2 * n), nn.GELU(), nn.Linear(2 * n, n)),
        lambda: nn.Dropout(0.1),
        lambda: nn.Softmax(-1),
        lambda: nn.Linear(n, n, bias=False),
    ]
    return nn.Sequential(*[r.choice(blocks)() for _ in range(r.randint(1, 4))]), n


def layer(r):
    """Returns one of PyTorch's layers."""
    return r.choice(
        [
            lambda: nn.Conv2d(2, 3, 3),
            lambda: nn.LSTM(2, 3, 2),
            lambda: nn.GRU(2, 3),
            lambda: nn.Embedding(5, 3),
            lambda: nn.MultiheadAttention(4, 2),
            lambda: nn.TransformerEncoderLayer(4, 2, 8),
            lambda: nn.Bilinear(2, 2, 2),
            lambda: nn.ConvTranspose1d(2, 2, 3),
            lambda: nn.GroupNorm(2, 4),
            lambda: nn.PReLU(),
            lambda: nn.EmbeddingBag(4, 2),
            lambda: nn.ModuleDict({"a": nn.Linear(1, 1)}),
            lambda: nn.ModuleList([nn.Tanh()]),
            lambda: nn.ParameterList([nn.Parameter(torch.ones(2))]),
            lambda: nn.ParameterDict({"a": nn.Parameter(torch.ones(2))}),
            lambda: nn.utils.parametrizations.weight_norm(nn.Linear(2, 2)),
            lambda: nn.utils.spectral_norm(nn.Linear(2, 2)),
            lambda: nn.LazyLinear(3),
            lambda: nn.InstanceNorm2d(2, affine=True),
            lambda: nn.CosineSimilarity(),
            lambda: nn.CrossEntropyLoss(weight=torch.ones(3)),
            lambda: nn.Upsample(scale_factor=2),
            lambda: nn.RMSNorm(3),
        ]
    )()


def tensor(r):
    """Returns a random tensor."""
    shape = r.choice([(), (1,), (3,), (2, 3), (2, 2, 2), (0,), (4, 0, 2)])
    d = r.choice(DTYPES)
    if d.is_floating_point or d.is_complex:
        return torch.randn(shape, dtype=torch.complex64 if d.is_complex else torch.float32).to(d)
    return torch.randint(0, 2, shape).to(d)


def views(r):
    t = torch.arange(24.0).reshape(2, 3, 4)
    return {
        "t": t.permute(2, 0, 1),
        "s": t[:, 1:, ::2],
        "e": torch.ones(1).expand(5),
        "n": t[0].narrow(1, 1, 2),
        "x": t.to(torch.complex64).conj(),
        "d": t[0].diagonal(),
        "shared": t,
        "cl": torch.ones(1, 2, 3, 4).to(memory_format=torch.channels_last),
    }


def sparse(r):
    t = (torch.rand(4, 4) > 0.6).float()
    made = [
        t.to_sparse(),
        t.to_sparse().coalesce(),
        t.to_sparse_csr(),
        t.to_sparse_csc(),
        t.to_sparse_bsr((2, 2)),
        t.to_sparse_bsc((2, 2)),
        torch.sparse_coo_tensor(torch.zeros(2, 0, dtype=torch.long), [], (3, 3)),
    ]
    return {"w": r.choice(made), "dense": t}


def quantized(r):
    t = torch.randn(4, 4)
    return {
        "q": r.choice(
            [
                torch.quantize_per_tensor(t, 0.1, 3, torch.qint8),
                torch.quantize_per_tensor(t, 0.1, 3, torch.quint8),
                torch.quantize_per_tensor(t, 0.1, 3, torch.qint32),
                torch.quantize_per_channel(t, torch.rand(4) + 0.1, torch.zeros(4), 0, torch.qint8),
            ]
        )
    }


def rare(r):
    d = getattr(torch, r.choice([n for n in RARE if hasattr(torch, n)]))
    return {"w": torch.zeros(4, dtype=torch.uint8).view(torch.uint8).repeat(8).view(d)}


def optimizer(r):
    m, n = model(r)
    if not list(m.parameters()):
        m = nn.Linear(n, n)
    kinds = [
        torch.optim.SGD,
        torch.optim.Adam,
        torch.optim.AdamW,
        torch.optim.RMSprop,
        torch.optim.Adagrad,
        torch.optim.Adadelta,
        torch.optim.NAdam,
        torch.optim.RAdam,
        torch.optim.Adamax,
        torch.optim.ASGD,
        torch.optim.Rprop,
    ]
    o = r.choice(kinds)(m.parameters(), lr=r.choice([0.1, torch.tensor(0.1)]) if r.random() < 0.2 else 0.1)
    m.train()
    m(torch.randn(4, n)).sum().backward()
    o.step()
    s = r.choice(
        [
            lambda: torch.optim.lr_scheduler.StepLR(o, 3),
            lambda: torch.optim.lr_scheduler.CosineAnnealingLR(o, 10),
            lambda: torch.optim.lr_scheduler.LambdaLR(o, lambda e: 0.9),
            lambda: torch.optim.lr_scheduler.ReduceLROnPlateau(o),
            lambda: torch.optim.lr_scheduler.LinearLR(o),
            lambda: torch.optim.lr_scheduler.MultiStepLR(o, [2, 4]),
            lambda: (
                torch.optim.lr_scheduler.OneCycleLR(o, 0.1, total_steps=10)
                if "momentum" in o.defaults and o.defaults["momentum"]
                else torch.optim.lr_scheduler.ExponentialLR(o, 0.9)
            ),
            lambda: torch.optim.lr_scheduler.SequentialLR(
                o, [torch.optim.lr_scheduler.ConstantLR(o), torch.optim.lr_scheduler.PolynomialLR(o)], [2]
            ),
        ]
    )()
    return {
        "epoch": r.randint(0, 9),
        "model_state_dict": m.state_dict(),
        "optimizer_state_dict": o.state_dict(),
        "scheduler": s.state_dict(),
        "loss": torch.tensor(1.5),
        "best_acc": 0.5,
    }


def run(r):
    """Returns what training scripts keep beside the weights."""
    m, _ = model(r)
    made = {
        "state_dict": m.state_dict(),
        "arch": "resnet50",
        "epoch": 3,
        "rng": torch.get_rng_state(),
        "size": torch.Size([1, 2]),
        "device": torch.device("cpu"),
        "dtype": torch.float16,
        "none": None,
        "set": {1, 2},
        "bytes": b"abc",
        "z": 1 + 2j,
    }
    extra = [
        ("counter", collections.Counter("aab")),
        ("ordered", collections.OrderedDict(a=1)),
        ("path", pathlib.PurePosixPath("a/b")),
        ("default", collections.defaultdict(list, a=[1])),
        ("deque", collections.deque([1, 2], maxlen=5)),
        ("nested", collections.defaultdict(collections.OrderedDict)),
        ("when", datetime.datetime(2024, 1, 2)),
        ("id", uuid.UUID(int=5)),
        ("version", torch.__version__),
        ("layout", torch.strided),
        ("mf", torch.channels_last),
        ("bytearray", bytearray(b"abc")),
        ("frozen", frozenset([1])),
        ("range", range(3)),
        ("long", 1 << 80),
        ("finfo", {"max": float("inf"), "nan": float("nan")}),
        ("dict of ints", {1: torch.ones(2), (1, 2): torch.zeros(1)}),
        ("unicode", {"\u00e9\U0001f600": torch.ones(1)}),
        ("scaler", torch.amp.GradScaler("cpu").state_dict()),
        ("swa", torch.optim.swa_utils.AveragedModel(m).state_dict()),
        ("args", __import__("argparse").Namespace(lr=0.1, out=pathlib.Path("x"))),
    ]
    if numpy is not None:
        extra += [
            ("np", numpy.arange(6.0).reshape(2, 3)),
            ("scalar", numpy.float32(0.5)),
            ("npint", numpy.int64(3)),
            ("npdtype", numpy.dtype("f4")),
        ]
    for k, v in r.sample(extra, r.randint(1, 4)):
        made[k] = v
    return made


class Net(nn.Module):
    """A model with control flow, attributes and buffers."""

    def __init__(self, n):
        super().__init__()
        self.lin = nn.Linear(n, n)
        self.register_buffer("mean", torch.zeros(n))
        self.scale: float = 2.0
        self.names: list[str] = ["a", "b"]

    def forward(self, x):
        if x.sum() > 0:
            x = self.lin(x)
        return torch.relu(x) * self.scale + self.mean


def script(r, path):
    n = r.choice([2, 3])
    kind = r.choice(["script", "trace", "freeze", "extra", "optimized"])
    m = Net(n).eval()
    if kind == "trace":
        m = nn.Sequential(nn.Linear(n, n), nn.ReLU()).eval() if r.random() < 0.7 else nn.Identity()
        made = torch.jit.trace(m, torch.ones(1, n))
    else:
        made = torch.jit.script(m)
    if kind == "freeze":
        made = torch.jit.freeze(made)
    elif kind == "optimized":
        made = torch.jit.optimize_for_inference(made)
    torch.jit.save(made, str(path), _extra_files={"notes.txt": "hello", "config.json": "{}"} if kind == "extra" else {})


def mesh():
    """Starts a group of one process, and returns a mesh of it."""
    import torch.distributed as dist
    from torch.distributed.device_mesh import init_device_mesh

    if not dist.is_initialized():
        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    return init_device_mesh("cpu", (1,), mesh_dim_names=("dp",))


def dtensor(r, path):
    from torch.distributed.tensor import Partial, Replicate, Shard, distribute_tensor

    place = r.choice([Shard(0), Replicate(), Shard(1)])
    t = distribute_tensor(torch.randn(4, 4), mesh(), [place])
    torch.save(
        {"w": nn.Parameter(t) if r.random() < 0.5 else t, "placement": r.choice([place, Partial(), (Shard(0),)])}, path
    )


def dcp(r, path):
    import torch.distributed.checkpoint as dcp

    m, _ = model(r)
    state = {"model": m.state_dict(), "step": 3, "extra": {"lr": 0.1, "names": ["a"]}}
    if r.random() < 0.5:
        from torch.distributed.tensor import Shard, distribute_tensor

        state["d"] = distribute_tensor(torch.randn(4, 2), mesh(), [Shard(0)])
    dcp.save(state, checkpoint_id=str(path.parent))


def sharded(r, path):
    from torch.distributed._shard import sharded_tensor
    from torch.distributed._shard.sharding_spec import ChunkShardingSpec

    mesh()
    t = sharded_tensor.ones(ChunkShardingSpec(dim=0, placements=["rank:0/cpu"]), 4, 2)
    torch.save({"w": t, "b": torch.ones(1)}, path)


def subclassed(r):
    t = torch.ones(3)
    t.note = "attribute"
    b = nn.Buffer(torch.ones(2)) if hasattr(nn, "Buffer") else t
    return r.choice(
        [
            {"w": t},
            {"w": nn.Parameter(t)},
            {"b": b},
            {"meta": torch.empty(2, 3, device="meta")},
            {"nested": torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])},
            {"jagged": torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged)},
            {"storage": torch.ones(3).untyped_storage()},
            {"typed": torch.ones(3).storage()},
            {"lazy": nn.LazyLinear(3).weight},
            {"generator": torch.Generator().get_state()},
            {"neg": torch.ones(2, dtype=torch.complex64).conj().imag},
        ]
    )


def objects(r):
    """Returns other objects of PyTorch that people save."""
    return r.choice(
        [
            lambda: torch.utils.data.TensorDataset(torch.ones(3), torch.zeros(3)),
            lambda: torch.utils.data.Subset(torch.utils.data.TensorDataset(torch.ones(3)), [0, 1]),
            lambda: torch.distributions.Normal(0.0, 1.0),
            lambda: torch.distributions.Categorical(torch.ones(3)),
            lambda: nn.utils.rnn.pack_sequence([torch.ones(3), torch.ones(2)]),
            lambda: torch.return_types.max((torch.ones(1), torch.zeros(1))),
            lambda: torch.optim.SGD([torch.ones(1)], lr=0.1),
            lambda: torch.max(torch.randn(3, 3), 1),
            lambda: torch.finfo(torch.float32).max,
        ]
    )()


def files(r):
    """Yields names of files with functions that write them."""
    suffixes = [".pt", ".pth", ".bin", ".ckpt", ".pth.tar", ".pkl"]
    weighted = [
        (run, 30),
        (optimizer, 30),
        (lambda r: model(r)[0].state_dict(), 30),
        (lambda r: layer(r).state_dict(), 30),
        (views, 10),
        (sparse, 14),
        (quantized, 10),
        (rare, 10),
        (lambda r: [tensor(r) for _ in range(3)], 20),
        (tensor, 20),
        (subclassed, 20),
        (lambda r: {f"layer.{i}.weight": tensor(r) for i in range(r.randint(0, 9))}, 30),
    ]
    plain = [k for k, n in weighted for _ in range(n)]

    def save(make):
        def f(path):
            protocol, old = r.choice([2, 2, 2, 2, 2, 2, 3, 4, 5]), r.random() < 0.15
            torch.save(make(r), path, pickle_protocol=protocol, _use_new_zipfile_serialization=not old)

        return f

    def name():
        return r.choice(["model", "pytorch_model", "checkpoint", "best", "x" * r.randint(1, 30)]) + r.choice(suffixes)

    while True:
        for _ in range(20):
            yield name(), save(r.choice(plain))
        yield name(), save(lambda r: r.choice([layer(r), objects(r), model(r)[0]]))
        yield "model" + r.choice([".pt", ".pth", ".jit"]), lambda path: script(r, path)
        yield name(), lambda path: dtensor(r, path)
        if r.random() < 0.4:
            yield name(), lambda path: sharded(r, path)
        if r.random() < 0.4:
            yield "dcp", lambda path: dcp(r, path)
