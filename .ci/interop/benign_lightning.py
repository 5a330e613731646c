"""Benign checkpoints of PyTorch Lightning."""

import argparse
import logging
import pathlib
import warnings

import lightning
import lightning.pytorch as pl
import torch
from lightning.pytorch import callbacks
from torch import nn

warnings.simplefilter("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
logging.getLogger("lightning.fabric").setLevel(logging.ERROR)


class Module(pl.LightningModule):
    """A linear model."""

    def __init__(self, lr=0.1, n=2, extra=None, scheduler="step"):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Linear(n, 1)

    def training_step(self, batch, _):
        loss = self.net(batch).mean()
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, _):
        self.log("val_loss", self.net(batch).mean())

    def configure_optimizers(self):
        o = {"adam": torch.optim.Adam, "sgd": torch.optim.SGD}["adam" if self.hparams.lr < 0.5 else "sgd"](
            self.parameters(), lr=self.hparams.lr
        )
        s = (
            torch.optim.lr_scheduler.StepLR(o, 1)
            if self.hparams.scheduler == "step"
            else torch.optim.lr_scheduler.CosineAnnealingLR(o, 5)
        )
        return [o], [s]


def checkpoint(r, path):
    """Trains for a step and saves a checkpoint."""
    n = r.choice([2, 3])
    extra = r.choice([None, {"a": 1}, pathlib.Path("data"), argparse.Namespace(a=1), [1, 2], "text", torch.float16])
    made = Module(r.choice([0.1, 1.0]), n, extra, r.choice(["step", "cosine"]))
    calls = r.sample(
        [
            callbacks.ModelCheckpoint(monitor="loss", dirpath=str(path.parent / "out")),
            callbacks.EarlyStopping("loss"),
            callbacks.Timer(),
            callbacks.StochasticWeightAveraging(0.1, swa_epoch_start=1),
            callbacks.GradientAccumulationScheduler({0: 1}),
        ],
        r.randint(0, 3),
    )
    trainer = pl.Trainer(
        max_steps=1,
        logger=False,
        enable_checkpointing=any(isinstance(c, callbacks.ModelCheckpoint) for c in calls),
        callbacks=calls,
        enable_progress_bar=False,
        enable_model_summary=False,
        accelerator="cpu",
        devices=1,
        default_root_dir=str(path.parent),
    )
    data = torch.utils.data.DataLoader(torch.randn(4, n), batch_size=2)
    trainer.fit(made, data, data if r.random() < 0.5 else None)
    trainer.save_checkpoint(path, weights_only=r.random() < 0.2)


def fabric(r, path):
    f = lightning.Fabric(accelerator="cpu", devices=1)
    m = nn.Linear(2, 1)
    m, o = f.setup(m, torch.optim.SGD(m.parameters(), lr=0.1))
    f.save(str(path), {"model": m, "optimizer": o, "step": 1, "hparams": {"lr": 0.1}})


def files(r):
    """Yields names of files with functions that write them."""
    while True:
        yield "epoch=0-step=1.ckpt", lambda path: checkpoint(r, path)
        yield "last.ckpt", lambda path: checkpoint(r, path)
        yield "fabric.ckpt", lambda path: fabric(r, path)
