"""Builds models of transformers without data, and compares what weigh says about them with what transformers knows.

    python architectures.py --weigh PROGRAM --work FOLDER [--seconds N] [--seed N] [--all] [--only REGEXP]

Each type of configuration that has a class of models is built with its defaults on the device "meta". The model's own
save_pretrained writes it, with holes instead of the data. The right number of parameters is the sum over
named_parameters of what is saved; buffers are none. The layers, heads and sizes are those of the configuration of the
language model. A saved model is healthy: no finding may be above a note. Copies of models that are damaged in one way
have a finding of that rule.

Without --all, types are taken in random order until the time is over. Exits with code 1 if weigh is wrong.
"""

import collections
import os
import pathlib
import random
import re
import shutil
import signal
import sys
import time
import warnings

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_VERBOSITY"] = "critical"
warnings.simplefilter("ignore")
try:
    import torch
    import transformers
    from transformers import modeling_utils
    from transformers.models.auto import modeling_auto
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES
except ImportError as e:
    print(f"architectures: skipped: {e}")
    sys.exit(0)

import compare
from holes import damage, write

# The class of a type is the one with the first of these heads, otherwise any, and the model without a head last.
HEADS = ["PRETRAINING", "CAUSAL_LM", "SEQ_TO_SEQ_CAUSAL_LM", "IMAGE_TEXT_TO_TEXT", "MULTIMODAL_LM", "MASKED_LM", "CTC"]

# Types whose saved buffers have names that parameters of other types have, as docs/counting.md says.
NAMED = {"sam", "sam_hq"}

FACTS = {
    "layers": "num_hidden_layers", "hidden": "hidden_size", "heads": "num_attention_heads",
    "kv_heads": "num_key_value_heads", "vocab": "vocab_size",
}

# Facts that transformers computes otherwise, for example the layers of an encoder, or with two sublayers for each.
OTHERWISE = {
    ("layers", "blenderbot"), ("layers", "dory"), ("layers", "funnel"), ("layers", "longcat_flash"),
    ("layers", "mask2former"), ("layers", "oneformer"), ("layers", "xlm-prophetnet"), ("hidden", "xcodec"),
    ("kv_heads", "whisper"), ("kv_heads", "voxtral_realtime_encoder"),
}


def types():
    """Returns the names of classes for each type of configuration, the best first."""
    found = collections.defaultdict(list)
    for name in dir(modeling_auto):
        m = re.fullmatch(r"(?:MODEL_FOR_(.*)|MODEL)_MAPPING_NAMES", name)
        for kind, classes in getattr(modeling_auto, name).items() if m else ():
            for c in classes if isinstance(classes, (tuple, list)) else [classes]:
                rank = HEADS.index(m[1]) if m[1] in HEADS else len(HEADS) + (m[1] is None)
                found[kind].append((rank, c))
    return {kind: [c for _, c in sorted(classes, key=lambda x: x[0])] for kind, classes in found.items()}


class Slow(Exception):
    """A model takes too long."""


def alarm(*_):
    raise Slow()


def build(kind, name, folder):
    """Writes a model and returns what is right about it, or None if what is saved is not what the model has."""
    cls = getattr(transformers, name)
    config = cls.config_class()
    if config.model_type != kind:
        config = getattr(transformers, CONFIG_MAPPING_NAMES[kind])()
    with torch.device("meta"):
        model = cls(config)
    model.tie_weights()
    parameters = dict(model.named_parameters())
    names = collections.defaultdict(set)
    for n, p in model.named_parameters(remove_duplicate=False):
        names[id(p)].add(n)
    ignored = set(getattr(model, "_keys_to_ignore_on_save", None) or ())
    state = set(model.state_dict()) - ignored
    right = sum(p.numel() for p in parameters.values() if names[id(p)] & state)
    buffers = sum(b.numel() for n, b in model.named_buffers() if n in state)
    folder.mkdir(parents=True)
    WRITTEN.clear()
    model.save_pretrained(folder)
    text = config.get_text_config() if hasattr(config, "get_text_config") else config
    facts = {fact: getattr(text, a, None) for fact, a in FACTS.items()}
    # The conversion to the original names pads or merges tensors of some models.
    if sum(WRITTEN) != right + buffers:
        return None
    return {"params": right, "facts": {f: n for f, n in facts.items() if isinstance(n, int)}}


WRITTEN = []


def save(tensors, filename, metadata=None):
    WRITTEN.append(write(tensors, filename, metadata))


modeling_utils.safe_save_file = save
transformers.logging.disable_progress_bar()
if transformers.__version__ < "5":
    # Version 4 looks for buffers on the device among the parameters.
    def get(model, name, of=torch.nn.Module.get_parameter):
        try:
            return of(model, name)
        except AttributeError:
            return model.get_buffer(name)

    transformers.PreTrainedModel.get_parameter = get
if hasattr(modeling_utils, "revert_weight_conversion"):
    revert = modeling_utils.revert_weight_conversion

    def convert(model, state):
        # Parts of one tensor would each count as the whole.
        return {n: torch.empty(t.shape, dtype=t.dtype, device="meta") for n, t in revert(model, state).items()}

    modeling_utils.revert_weight_conversion = convert


class Comparison:
    def __init__(self, o):
        self.o, self.models, self.wrong, self.damaged = o, 0, 0, 0
        self.absent = collections.Counter()

    def fail(self, kind, what):
        self.wrong += 1
        print(f"architectures: {kind}: {what}", flush=True)

    def judge(self, rights):
        """Compares what weigh says about some folders with what is right."""
        if not rights:
            return
        found = compare.info(self.o, rights)
        for folder, right in rights.items():
            self.models += 1
            if len(found[str(folder)]) != 1:
                self.fail(folder.name, f"{len(found[str(folder)])} models")
                continue
            self.count(folder.name, found[str(folder)][0], right)
        for f in compare.findings(self.o, rights, "--for", "transformers,vllm,sglang"):
            self.fail(pathlib.Path(f["file"]).parent.name, f"{f['rule']}: {f['message']}")
        for folder in random.sample(sorted(rights), min(2, len(rights))):
            self.injure(folder)
        for folder in rights:
            shutil.rmtree(folder)

    def count(self, kind, model, right):
        logical, facts = model["logical"], model["architecture"] or {}
        if logical["params"] != right["params"] and kind not in NAMED:
            self.fail(kind, f"{logical['params'] or logical['bounds']} parameters, right are {right['params']}")
        for fact, value in right["facts"].items():
            got = facts.get(fact) or {}
            if got.get("value") != value and (fact, kind) not in OTHERWISE:
                self.fail(kind, f"{fact}: {got.get('value') or got.get('from') or 'none'}, right is {value}")

    def injure(self, folder):
        """Damages a copy of a model in each way, and expects a finding."""
        for rule, options, copy in damage(folder, folder.with_name("damaged")):
            found = [f["rule"] for f in compare.findings(self.o, [copy], *options)]
            self.damaged += 1
            if rule not in found:
                self.fail(folder.name, f"no finding of {rule} in a damaged copy, but {found[:5]}")
            shutil.rmtree(copy)


def make(c, kind, classes, limit):
    """Builds the first class of a type that can be built without further packages, and returns its right answers."""
    folder, error = c.o.work / kind, None
    for name in dict.fromkeys(classes):
        shutil.rmtree(folder, ignore_errors=True)
        try:
            signal.setitimer(signal.ITIMER_REAL, limit)
            return folder, build(kind, name, folder)
        except (Exception, SystemExit) as e:  # defaults of some configurations cannot be built
            error = e
            if isinstance(e, Slow):
                break
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    shutil.rmtree(folder, ignore_errors=True)
    c.absent[type(error).__name__] += 1
    return folder, None


def main():
    o = compare.options("architectures", "types that contain a match of this regular expression")
    signal.signal(signal.SIGALRM, alarm)
    c = Comparison(o)
    found = types()
    todo = [k for k in sorted(found) if re.search(o.only, k)]
    random.shuffle(todo)
    end, rights = time.monotonic() + o.seconds, {}
    for kind in todo:
        left = end - time.monotonic()
        if not o.all and left < 2:
            break
        folder, right = make(c, kind, found[kind], 60 if o.all else min(left, 60))
        if right is not None:
            rights[folder] = right
        else:
            shutil.rmtree(folder, ignore_errors=True)
        if len(rights) == 20:
            c.judge(rights)
            rights = {}
    c.judge(rights)
    shutil.rmtree(o.work, ignore_errors=True)
    absent = f", {sum(c.absent.values())} could not be built ({', '.join(sorted(c.absent))})" if c.absent else ""
    print(f"architectures: transformers {transformers.__version__}: {c.models} models of {len(found)} types{absent}, "
          f"{c.damaged} damaged copies, {c.wrong} wrong, seed {o.seed}")
    sys.exit(c.wrong > 0)


main()
