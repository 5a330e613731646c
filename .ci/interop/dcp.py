"""Saves distributed checkpoints with PyTorch and accelerate, and compares what weigh converts with their own consolidation.

    python dcp.py --weigh PROGRAM --work FOLDER [--seconds N] [--all]

Two to four processes on this machine save tensors with all placements on meshes of one and two dimensions, a trained model
in the layout of torchtitan, and one in the layout of accelerate. Every tensor must be that of dcp_to_torch_save, bit for
bit. Then a file is cut short or removed, and weigh must refuse what is left.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"
try:
    import accelerate
    import torch
    import torch.distributed as dist
    import torch.distributed.checkpoint as dcp
    import torch.multiprocessing
    from accelerate.utils import fsdp_utils
    from safetensors.torch import load_file
    from torch.distributed.checkpoint import state_dict
    from torch.distributed.checkpoint.format_utils import dcp_to_torch_save
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard
    from torch.distributed.tensor import Replicate, Shard, distribute_tensor
except ImportError as e:
    print(f"dcp: skipped: {e}")
    sys.exit(0)

F8 = torch.float8_e4m3fn
TENSORS = [  # name, shape, dtype, dimensions of the mesh, placements
    ("rows", (64, 48), torch.float32, 1, [Shard(0)]), ("uneven", (63, 50), torch.bfloat16, 1, [Shard(0)]),
    ("columns", (16, 130), torch.float16, 1, [Shard(1)]), ("last", (3, 5, 7), torch.float64, 1, [Shard(2)]),
    ("both", (12, 10), torch.float32, 2, [Shard(0), Shard(1)]), ("twice", (13, 11), torch.bfloat16, 2, [Shard(0), Shard(0)]),
    ("mixed", (13, 11), torch.float32, 2, [Replicate(), Shard(1)]), ("short", (2,), torch.float32, 1, [Shard(0)]),
    ("copy", (48,), torch.int32, 1, [Replicate()]), ("fp8", (8, 16), F8, 1, [Shard(0)]),
]


def values(name, shape, dtype):
    g = torch.Generator().manual_seed(sum(name.encode()))
    return torch.randn(shape, generator=g).mul(100).to(dtype)


def placed(world):
    """Returns tensors with all placements, and some that are not distributed."""
    meshes = {1: init_device_mesh("cpu", (world,)), 2: init_device_mesh("cpu", (2, 2) if world == 4 else (1, world))}
    all = {n: distribute_tensor(values(n, s, d), meshes[m], p, src_data_rank=None) for n, s, d, m, p in TENSORS}
    return all | {"plain": values("plain", (5, 4), torch.float64), "view": values("view", (6, 4), torch.float32).t(),
                  "scalar": torch.tensor(3.5), "mask": torch.tensor([True, False, True]), "empty": torch.zeros(0, 4)}


def trained():
    """Returns a sharded model after a step, and its optimizer."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Embedding(37, 12), torch.nn.Linear(12, 30), torch.nn.LayerNorm(30))
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    for layer in model:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    model(torch.arange(8) + dist.get_rank()).pow(2).sum().backward()
    optimizer.step()
    return model, optimizer


def save(rank, world, work):
    port = str(29600 + world)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=port, RANK=str(rank), WORLD_SIZE=str(world), LOCAL_RANK=str(rank))
    dist.init_process_group("gloo", rank=rank, world_size=world)
    tensors = placed(world)
    dcp.save({"model": tensors, "epoch": 3, "list": [torch.ones(2), "text"]}, checkpoint_id=f"{work}/nested")
    writer = dcp.FileSystemWriter(f"{work}/threads", thread_count=3, single_file_per_rank=False)
    dcp.save(tensors, storage_writer=writer)
    model, optimizer = trained()
    options = state_dict.StateDictOptions(flatten_optimizer_state_dict=True)
    weights, states = state_dict.get_state_dict(model, optimizer, options=options)
    dcp.save(weights | {"optimizer": states, "train_state": {"step": torch.tensor(1)}, "lr_scheduler": {"last_epoch": 1}},
             checkpoint_id=f"{work}/titan")
    plugin = accelerate.FullyShardedDataParallelPlugin(fsdp_version=2, state_dict_type="SHARDED_STATE_DICT")
    accelerator = accelerate.Accelerator(cpu=True)
    fsdp_utils.save_fsdp_model(plugin, accelerator, model, f"{work}/accelerate")
    fsdp_utils.save_fsdp_optimizer(plugin, accelerator, optimizer, model, f"{work}/accelerate")
    torch.save(tensors, f"{work}/model_world_size_{world}_rank_{rank}.pt")
    dist.destroy_process_group()


def flat(tree, path=()):
    """Yields the tensors of a tree of dicts and lists with their names."""
    if isinstance(tree, torch.Tensor):
        yield ".".join(map(str, path)), tree
    elif isinstance(tree, (dict, list)):
        for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield from flat(value, (*path, key))


def weigh(program, *args):
    return subprocess.run([program, *map(str, args)], capture_output=True, text=True)


def bits(t):
    return (t.dtype, t.shape, t.contiguous().view(torch.uint8).numpy().tobytes() if t.numel() and t.dim() else t.tolist())


def compare(program, folder, scratch):
    """Yields how the tensors of a folder differ from those that PyTorch makes of it."""
    dcp_to_torch_save(folder, scratch / "whole.pt")
    want = dict(flat(torch.load(scratch / "whole.pt", weights_only=False)))
    out = scratch / "out"
    done = weigh(program, "convert", "--all", "--max-shard-size", "5KB", folder, "-o", out)
    if done.returncode:
        yield done.stderr
        return
    got = {}
    for file in out.glob("*.safetensors"):
        got |= load_file(file)
    for name in sorted(want.keys() | got.keys()):
        if name not in got or name not in want:
            yield f"{name} is only in {'ours' if name in got else 'theirs'}"
        elif bits(got[name]) != bits(want[name]):
            yield f"{name} differs"
    if weigh(program, "check", folder).returncode:
        yield "check fails"


def damage(program, folder, scratch):
    """Yields what is wrong with the verdicts on damaged copies."""
    file = sorted(folder.glob("*.distcp"))[-1].name
    for what, change in {
        "removed": lambda f: f.unlink(), "cut": lambda f: os.truncate(f, f.stat().st_size - 1),
    }.items():
        copy = scratch / what
        shutil.copytree(folder, copy)
        change(copy / file)
        for args in ("check", copy), ("stats", copy), ("convert", copy, "-o", scratch / "no"):
            done = weigh(program, *args)
            if done.returncode != 1 or file not in done.stdout + done.stderr:
                yield f"{args[0]} of a folder with {file} {what}: exit code {done.returncode}: {done.stderr}"


def models(program, folder):
    """Yields what is wrong with the model that weigh finds in the folder of accelerate."""
    names = {line.split(",")[0] for line in weigh(program, "info", "--csv", folder).stdout.splitlines()[1:]}
    want = {"0.weight", "1.weight", "1.bias", "2.weight", "2.bias"}
    if names != want:
        yield f"info lists {sorted(names)}, not {sorted(want)}"


def ranks(program, work, world):
    """Yields how the tensors in the files of all processes differ from those that were saved."""
    file = work / f"model_world_size_{world}_rank_1.pt"
    done = weigh(program, "convert", file, "-o", work / "ranks.safetensors")
    if done.returncode:
        yield done.stderr
        return
    got = load_file(work / "ranks.safetensors")
    for name, shape, dtype, *_ in TENSORS:
        if bits(got[name]) != bits(values(name, shape, dtype)):
            yield f"{name} differs"
    file.unlink()
    done = weigh(program, "check", work / f"model_world_size_{world}_rank_0.pt")
    if done.returncode != 1 or file.name not in done.stdout:
        yield f"check without {file.name}: exit code {done.returncode}: {done.stdout}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weigh", required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--all", action="store_true")
    args = parser.parse_args()
    start = time.monotonic()
    failed = checked = 0
    for world in (2, 3, 4) if args.all else (2,):
        work = args.work / str(world)
        shutil.rmtree(work, ignore_errors=True)
        (work / "accelerate").mkdir(parents=True)
        torch.multiprocessing.spawn(save, (world, str(work)), nprocs=world)
        folders = ["nested", "threads", "titan"] + [f.relative_to(work) for f in sorted((work / "accelerate").iterdir())]
        for folder in folders:
            if not args.all and time.monotonic() - start > args.seconds:
                break
            scratch = work / "scratch"
            scratch.mkdir()
            faults = [*compare(args.weigh, work / folder, scratch), *damage(args.weigh, work / folder, scratch)]
            shutil.rmtree(scratch)
            checked, failed = checked + 1, failed + bool(faults)
            for fault in faults[:5]:
                print(f"dcp: {world} processes, {folder}: {fault}")
        for fault in models(args.weigh, work / "accelerate"):
            failed += 1
            print(f"dcp: {world} processes, accelerate: {fault}")
        for fault in ranks(args.weigh, work, world):
            failed += 1
            print(f"dcp: {world} processes, a file for each: {fault}")
        shutil.rmtree(work)
    print(f"dcp: compared {checked} checkpoints, {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
