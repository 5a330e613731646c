"""Trains a small model with DeepSpeed ZeRO, and compares its checkpoints as weigh reads them with DeepSpeed's scripts.

    python zero.py --weigh PROGRAM --work FOLDER [--seconds N] [--seed N] [--all] [--write FOLDER]

Two or three processes on this machine train for two steps and save a checkpoint, for several stages, precisions and
divisions. The weights must be those of zero_to_fp32, and the optimizer state that of ds_to_universal, bit for bit.
--write makes the test data of the project: the folders stage2 and stage3.
"""

import argparse
import contextlib
import io
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time
import types

os.environ["DS_ACCELERATOR"] = "cpu"
os.environ["OMP_NUM_THREADS"] = "1"
try:
    import torch
    import torch.multiprocessing
    from safetensors.torch import load_file, save_file
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        import deepspeed
        from deepspeed.checkpoint import ds_to_universal
        from deepspeed.utils.zero_to_fp32 import get_fp32_state_dict_from_zero_checkpoint
except ImportError as e:
    print(f"zero: skipped: {e}")
    sys.exit(0)

# Processes, stage, precision, and what is special: weights that are not trained, groups of weights, small subgroups,
# small weights that are kept whole.
KINDS = [
    (3, 2, "bf16", "groups"), (2, 3, "bf16", "frozen groups small persistent"), (2, 1, "bf16", "groups"),
    (2, 1, "fp32", ""), (2, 2, "fp16", "frozen"), (2, 2, "fp32", ""), (2, 3, "fp32", ""), (3, 3, "fp32", "groups small"),
    (3, 3, "fp16", "frozen"), (2, 1, "bf16", "float-gradients"), (3, 3, "bf16", "persistent"),
]
TEST_DATA = {"stage2": KINDS[0], "stage3": KINDS[1]}
TAG = "global_step2"


class Block(torch.nn.Module):
    """Weights of odd sizes, and a buffer of integers."""

    def __init__(self, size):
        super().__init__()
        self.fc = torch.nn.Linear(size, 2 * size + 1)
        self.out = torch.nn.Linear(2 * size + 1, size, bias=False)
        self.norm = torch.nn.LayerNorm(size)
        self.register_buffer("steps", torch.tensor([3, 4]))

    def forward(self, x):
        return self.norm(x + self.out(torch.tanh(self.fc(x))))


class Model(torch.nn.Module):
    """Tied weights, a weight of one element, and a buffer of floats."""

    def __init__(self, size=7, vocabulary=11):
        super().__init__()
        self.embed = torch.nn.Embedding(vocabulary, size)
        self.blocks = torch.nn.ModuleList(Block(size) for _ in range(2))
        self.head = torch.nn.Linear(size, vocabulary, bias=False)
        self.head.weight = self.embed.weight
        self.scale = torch.nn.Parameter(torch.tensor([1.5]))
        self.register_buffer("table", torch.randn(3, 5))

    def forward(self, tokens):
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(x * self.scale)


def train(rank, world, jobs, port):
    """Is one process of a training for each kind."""
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), RANK=str(rank), LOCAL_RANK=str(rank),
                      WORLD_SIZE=str(world))
    sys.stdout = open(os.devnull, "w")
    deepspeed.init_distributed(dist_backend="gloo")
    for (_, stage, precision, special), folder in jobs:
        torch.manual_seed(1)
        model = Model()
        if "frozen" in special:
            model.blocks[0].requires_grad_(False)
        trained = [p for p in model.parameters() if p.requires_grad]
        groups = [{"params": trained}]
        if "groups" in special:
            groups = [{"params": [p for p in trained if p.dim() > 1], "weight_decay": 0.1},
                      {"params": [p for p in trained if p.dim() < 2], "weight_decay": 0.0}]
        settings = {
            "train_micro_batch_size_per_gpu": 2, "zero_allow_untested_optimizer": True,
            "zero_optimization": {"stage": stage, "sub_group_size": 60 if "small" in special else 10**9,
                                  "stage3_param_persistence_threshold": 10 if "persistent" in special else 0},
            "bf16": {"enabled": precision == "bf16"},
            "fp16": {"enabled": precision == "fp16", "initial_scale_power": 4},
        }
        if "float-gradients" in special:
            settings["data_types"] = {"grad_accum_dtype": "fp32"}
        engine = deepspeed.initialize(model=model, optimizer=torch.optim.AdamW(groups, lr=0.01), config=settings)[0]
        generator = torch.Generator().manual_seed(rank)
        for _ in range(2):
            loss = engine(torch.randint(0, 11, (2, 4), generator=generator)).float().pow(2).mean()
            engine.backward(loss)
            engine.step()
        engine.save_checkpoint(str(folder), tag=TAG)
    torch.distributed.destroy_process_group()


def name_of(kind):
    return "-".join([str(kind[1]), kind[2], str(kind[0]), *kind[3].split()])


def make(kinds, work):
    """Makes the checkpoints of the kinds, and returns their folders."""
    folders = {kind: work / name_of(kind) for kind in kinds}
    for world in sorted({kind[0] for kind in kinds}):
        jobs = [(kind, folder) for kind, folder in folders.items() if kind[0] == world]
        port = random.randrange(20000, 60000)
        torch.multiprocessing.spawn(train, (world, jobs, port), nprocs=world)
    return folders


def universal(folder, shapes):
    """Makes a universal checkpoint, and returns its optimizer state."""
    out = folder / "universal"
    args = types.SimpleNamespace(input_folder=str(folder / TAG), output_folder=str(out), num_extract_workers=1,
                                 num_merge_workers=1, keep_temp_folder=False, strict=True, inject_missing_state=True)
    ds_to_universal.main(args)
    state = {}
    for file in sorted((out / "zero").glob("*/*.pt")):
        if file.stem != "fp32":
            value = torch.load(file, weights_only=False)
            value = value["param"] if isinstance(value, dict) else value
            if torch.is_tensor(value):  # that of stage 3 has one dimension
                shape = shapes.get(file.parent.name, value.shape)
                if file.stem != "step" and value.numel() == shape.numel():
                    value = value.reshape(shape)
                state[f"optimizer.state.{file.parent.name}.{file.stem}"] = value
    return state


def expected(folder):
    """Returns what DeepSpeed makes of a checkpoint: weights, and the state of the optimizer."""
    unknown = False
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            weights = get_fp32_state_dict_from_zero_checkpoint(str(folder), tag=TAG)
        except ValueError:  # it does not know BF16_Optimizer, which keeps gradients in float32
            weights = torch.load(folder / TAG / "mp_rank_00_model_states.pt", weights_only=False)["module"]
            unknown = True
        state = universal(folder, {k: v.shape for k, v in weights.items()})
        for file in (folder / "universal" / "zero").glob("*/exp_avg.pt") if unknown else ():
            weights[file.parent.name] = torch.load(file.with_name("fp32.pt"), weights_only=False)["param"]
        weights["head.weight"] = weights["embed.weight"]
    return ({k: v.clone().contiguous() for k, v in weights.items()}, {k: v.clone().contiguous() for k, v in state.items()})


def bytes_of(tensor):
    return tensor.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


def differences(have, want):
    """Yields what differs between two dicts of tensors."""
    for name in sorted(have.keys() | want.keys()):
        a, b = have.get(name), want.get(name)
        if a is None or b is None:
            yield f"{name} is only in {'DeepSpeed' if a is None else 'weigh'}"
        elif a.dtype != b.dtype or a.shape != b.shape or bytes_of(a) != bytes_of(b):
            yield f"{name} differs: {a.dtype} {tuple(a.shape)}, {b.dtype} {tuple(b.shape)}"


def compare(weigh, folder):
    """Returns what is wrong with how weigh reads a checkpoint."""
    weights, state = expected(folder)
    faults = []
    # A frozen weight of stage 1 is only in the file of the model, where zero_to_fp32 does not look.
    extra = torch.load(next((folder / TAG).glob("*mp_rank_00_model_states.pt")), weights_only=False)["module"]
    weights.update({k: v for k, v in extra.items() if k not in weights and v.numel()})
    for flags, want in (([], weights), (["--with-optimizer"], weights | state)):
        out = folder / "new.safetensors"
        done = subprocess.run([weigh, "convert", *flags, folder / TAG, "-o", out, "--force"], capture_output=True, text=True)
        if done.returncode:
            return [done.stderr.strip()]
        have = load_file(out)
        # ds_to_universal writes a fixed list of keys, and not the number of steps of stage 3.
        if flags:
            have = {k: v for k, v in have.items() if k in want or not k.endswith(".step")}
            want = {k: v for k, v in want.items() if k in have or not k.endswith(".step")}
        faults += differences(have, want)
    return faults


def write(folders, target):
    """Writes the test data of the project."""
    for name, kind in TEST_DATA.items():
        weights, state = expected(folders[kind])
        to = target / name
        shutil.rmtree(to, ignore_errors=True)
        shutil.copytree(folders[kind] / TAG, to / TAG)
        save_file(weights | state, to / "expected.safetensors", {"format": "pt"})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weigh", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 31))
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--write", type=pathlib.Path)
    args = parser.parse_args()
    start = time.monotonic()
    shutil.rmtree(args.work, ignore_errors=True)
    args.work.mkdir(parents=True)
    if args.write:
        return write(make(TEST_DATA.values(), args.work), args.write)
    kinds = KINDS if args.all else random.Random(args.seed).sample([k for k in KINDS if k[0] == 2], 2)
    failed = checked = 0
    for kind, folder in make(kinds, args.work).items():
        if not args.all and time.monotonic() - start > args.seconds:
            break
        faults = compare(args.weigh, folder)
        checked += 1
        failed += bool(faults)
        for fault in faults[:5]:
            print(f"zero: {name_of(kind)}: {fault}")
    print(f"zero: compared {checked} of {len(kinds)} checkpoints, {failed} differ (seed {args.seed})")
    shutil.rmtree(args.work, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
