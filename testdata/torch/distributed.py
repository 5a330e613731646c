"""Writes testdata/torch/distributed and testdata/torch/ranks with two processes: python distributed.py FOLDER RANKS"""
import os, sys
import torch, torch.distributed as dist, torch.multiprocessing as mp
import torch.distributed.checkpoint as dcp
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import distribute_tensor, Shard, Replicate

def run(rank, out, ranks):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29512", RANK=str(rank), WORLD_SIZE="2")
    dist.init_process_group("gloo", rank=rank, world_size=2)
    mesh = init_device_mesh("cpu", (2,))
    def t(n, shape, dtype, how): return distribute_tensor(torch.arange(n, dtype=dtype).reshape(shape), mesh, [how], src_data_rank=None)
    model = {"layers.0.weight": t(20, (5, 4), torch.float32, Shard(0)), "layers.1.weight": t(18, (3, 6), torch.bfloat16, Shard(1)),
             "norm.weight": t(4, (4,), torch.float32, Replicate())}
    dcp.save({"model": model, "optimizer": {"state": {"norm.weight": {"exp_avg": t(4, (4,), torch.float32, Shard(0))}}, "lr": 0.1}}, checkpoint_id=out)
    torch.save(model | {"plain": torch.arange(3)}, f"{ranks}/model_world_size_2_rank_{rank}.pt")
    dist.destroy_process_group()

if __name__ == "__main__":
    os.makedirs(sys.argv[2], exist_ok=True)
    mp.spawn(run, (sys.argv[1], sys.argv[2]), nprocs=2)
