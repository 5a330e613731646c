"""What save_pretrained of transformers would write for a model on the device "meta"."""

import json
import os
import pathlib
import tempfile
import warnings

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_VERBOSITY"] = "critical"
warnings.simplefilter("ignore")
import torch
import transformers
from transformers import modeling_utils

from holes import dtype

SAVED = {}


def save(tensors, filename, metadata=None):
    SAVED.update({n: (n, dtype(t), list(t.shape)) for n, t in tensors.items()})


modeling_utils.safe_save_file = save
transformers.logging.disable_progress_bar()
if transformers.__version__ < "5":
    def get(model, name, of=torch.nn.Module.get_parameter):
        try:
            return of(model, name)
        except AttributeError:
            return model.get_buffer(name)

    transformers.PreTrainedModel.get_parameter = get
if hasattr(modeling_utils, "revert_weight_conversion"):
    revert = modeling_utils.revert_weight_conversion

    def convert(model, state):
        return {n: torch.empty(t.shape, dtype=t.dtype, device="meta") for n, t in revert(model, state).items()}

    modeling_utils.revert_weight_conversion = convert


def model(name, sizes, kind="bfloat16"):
    """Returns the tensors and the JSON files of a class of transformers with these sizes."""
    cls = getattr(transformers, name)
    config = cls.config_class(**sizes)
    before = torch.get_default_dtype()
    torch.set_default_dtype(getattr(torch, kind))
    try:
        with torch.device("meta"):
            built = cls(config)
    finally:
        torch.set_default_dtype(before)
    built.tie_weights()
    SAVED.clear()
    with tempfile.TemporaryDirectory() as folder:
        built.save_pretrained(folder, max_shard_size="100000GB")
        texts = {p.name: json.loads(p.read_text()) for p in pathlib.Path(folder).glob("*.json")}
    tensors = sorted(SAVED.values(), key=lambda t: natural(t[0]))
    return tensors, texts


def natural(name):
    return [(0, int(w), "") if w.isdigit() else (1, 0, w) for w in name.split(".")]
