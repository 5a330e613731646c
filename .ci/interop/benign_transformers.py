"""Benign files of Transformers and Accelerate: arguments, states of trainers, configurations and whole models."""

import os
import pickle
import warnings

os.environ["HF_HUB_OFFLINE"] = "1"
import accelerate
import torch
import transformers
from torch import nn

warnings.simplefilter("ignore")
transformers.logging.set_verbosity_error()


def arguments(r, path):
    """Writes training_args.bin as the Trainer does."""
    args = transformers.TrainingArguments(
        output_dir=str(path.parent / "out"),
        learning_rate=r.random(),
        use_cpu=True,
        report_to=[],
        lr_scheduler_type=r.choice(["linear", "cosine", "constant"]),
        optim=r.choice(["adamw_torch", "sgd", "adafactor"]),
        save_strategy=r.choice(["no", "steps", "epoch"]),
        logging_strategy=r.choice(["no", "steps", "epoch"]),
        num_train_epochs=r.randint(1, 5),
        label_names=r.choice([None, ["labels"]]),
        seed=r.randint(0, 99),
        gradient_checkpointing=r.random() < 0.5,
    )
    if r.random() < 0.3:
        args = r.choice([transformers.Seq2SeqTrainingArguments, transformers.TrainingArguments])(
            output_dir="out", use_cpu=True, report_to=[]
        )
    torch.save(args, path)


def small(r):
    """Returns a small model of Transformers."""
    return r.choice(
        [
            lambda: transformers.BertModel(
                transformers.BertConfig(
                    vocab_size=9, hidden_size=4, num_hidden_layers=1, num_attention_heads=2, intermediate_size=4
                )
            ),
            lambda: transformers.GPT2LMHeadModel(
                transformers.GPT2Config(vocab_size=9, n_embd=4, n_layer=1, n_head=2, n_positions=8)
            ),
            lambda: transformers.LlamaForCausalLM(
                transformers.LlamaConfig(
                    vocab_size=9,
                    hidden_size=4,
                    num_hidden_layers=1,
                    num_attention_heads=2,
                    num_key_value_heads=1,
                    intermediate_size=4,
                )
            ),
            lambda: transformers.T5Model(
                transformers.T5Config(vocab_size=9, d_model=4, d_kv=2, d_ff=4, num_layers=1, num_heads=2)
            ),
        ]
    )()


class Data(torch.utils.data.Dataset):
    """Four rows."""

    def __len__(self):
        return 4

    def __getitem__(self, i):
        return {"input_ids": torch.tensor([1, 2, 3]), "labels": torch.tensor([1, 2, 3])}


def trainer(r, path):
    """Trains for a step, so that the Trainer writes a checkpoint into the folder."""
    args = transformers.TrainingArguments(
        output_dir=str(path.parent),
        max_steps=1,
        save_strategy="steps",
        save_steps=1,
        use_cpu=True,
        report_to=[],
        per_device_train_batch_size=2,
        disable_tqdm=True,
        logging_strategy="no",
    )
    m = transformers.GPT2LMHeadModel(
        transformers.GPT2Config(vocab_size=9, n_embd=4, n_layer=1, n_head=2, n_positions=8)
    )
    transformers.Trainer(model=m, args=args, train_dataset=Data()).train()


def accelerated(r, path):
    """Saves the state of an Accelerator into the folder."""
    accelerate.state.AcceleratorState._reset_state(True)
    a = accelerate.Accelerator(cpu=True)
    m = nn.Linear(2, 2)
    o = torch.optim.AdamW(m.parameters())
    s = torch.optim.lr_scheduler.StepLR(o, 1)
    m, o, s = a.prepare(m, o, s)
    a.save_state(str(path.parent), safe_serialization=r.random() < 0.5)


def files(r):
    """Yields names of files with functions that write them."""

    def pickled(make):
        def f(path):
            with open(path, "wb") as out:
                pickle.dump(make(r), out)

        return f

    while True:
        for _ in range(4):
            yield "training_args.bin", lambda path: arguments(r, path)
            yield "pytorch_model.bin", lambda path: torch.save(small(r).state_dict(), path)
        yield "model.pt", lambda path: torch.save(small(r), path)
        yield "config.pkl", pickled(lambda r: small(r).config)
        yield "output.pt", lambda path: torch.save(
            transformers.modeling_outputs.BaseModelOutput(last_hidden_state=torch.ones(1, 2)), path
        )
        yield "batch.pkl", pickled(lambda r: transformers.BatchEncoding({"input_ids": [1, 2]}))
        yield "checkpoint", lambda path: trainer(r, path)
        yield "state", lambda path: accelerated(r, path)
        yield "kwargs.pkl", pickled(
            lambda r: r.choice(
                [
                    accelerate.utils.DistributedType.NO,
                    accelerate.utils.GradientAccumulationPlugin(),
                    accelerate.utils.ProjectConfiguration("x"),
                ]
            )
        )
