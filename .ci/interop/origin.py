"""Converts small models with the converter of llama.cpp, and compares them with their checkpoints by weigh diff.

    python origin.py --weigh PROGRAM --work FOLDER --llama FOLDER [--seconds N] [--seed N] [--all] [--only REGEXP]

The models of origin_models.py have random weights. The converter writes each as F32, F16, BF16 or Q8_0 (all of them
with --all), and the quantizers of the package gguf requantize the F32 model to another type. Each file must be made
from its checkpoint, by weigh diff. A copy in which one tensor has other values must not be, and diff must name that
tensor and no other. The converter runs without a tokenizer, which random models do not have.

Without --all, models are taken in random order until the time is over. Exits with code 1 if weigh is wrong.
"""

import contextlib
import io
import json
import os
import random
import re
import shutil
import sys
import time
import unittest.mock
import warnings

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_VERBOSITY"] = "critical"
warnings.simplefilter("ignore")

import compare

o = None


def converter(llama):
    """Returns the main function of the converter, which then writes no vocabulary."""
    sys.path[:0] = [llama, llama + "/gguf-py"]
    import importlib
    import pkgutil
    import conversion
    from conversion import base
    for module in pkgutil.iter_modules(conversion.__path__):
        try:
            module = importlib.import_module("conversion." + module.name)
        except ImportError:
            continue
        for member in vars(module).values():
            if isinstance(member, type) and issubclass(member, base.TextModel):
                member.set_vocab = lambda model: model._set_vocab_none()
    import convert_hf_to_gguf
    import logging
    logging.disable(logging.CRITICAL)
    return convert_hf_to_gguf.main


def convert(main, folder, kind, to):
    """Converts a model. Returns what went wrong, or None. Transformers 5 renames keys of configurations that the
    converter needs, so another attempt is made without it, which reads config.json."""
    failed = attempt(main, folder, kind, to)
    if failed and failed.startswith("KeyError"):
        with unittest.mock.patch("transformers.AutoConfig.from_pretrained", side_effect=ValueError):
            return attempt(main, folder, kind, to)
    return failed


def attempt(main, folder, kind, to):
    """Runs the converter. Returns what went wrong, or None."""
    argv, sys.argv = sys.argv, ["convert", str(folder), "--outtype", kind, "--outfile", str(to)]
    try:
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            main()
    except (Exception, SystemExit) as e:
        return f"{type(e).__name__}: {str(e)[:200]}"
    finally:
        sys.argv = argv


def quantizable(t):
    """Reports whether programs quantize a tensor: in general, the matrices that are multiplied by activations."""
    return len(t.shape) > 1 and t.name.endswith(".weight") and not re.search(
        r"norm|ffn_gate_inp|altup|laurel|per_layer_model_proj|position_embd|token_types|conv", t.name)


def rewrite(path, to, kind=None, exchange=None):
    """Copies a GGUF file. Matrices become the given type, if their rows have whole blocks of it. The tensor exchange
    gets other values of the same distribution."""
    import gguf
    import numpy
    reader = gguf.GGUFReader(path)
    writer = gguf.GGUFWriter(to, "")
    writer.kv_data[0].clear()
    for field in reader.fields.values():
        if not field.name.startswith("GGUF."):
            writer.add_key_value(field.name, field.contents(), field.types[0],
                                 sub_type=field.types[-1] if field.types[0] == gguf.GGUFValueType.ARRAY else None)
    for t in reader.tensors:
        data, now = t.data, t.tensor_type
        if t.name == exchange:
            rng = numpy.random.default_rng(o.seed)
            values = gguf.quants.dequantize(data, now).astype(numpy.float32)
            other = rng.permutation(values.reshape(-1)).reshape(values.shape)
            data = gguf.quants.quantize(other, now)
        if kind is not None and quantizable(t) and now == gguf.GGMLQuantizationType.F32:
            block = gguf.GGML_QUANT_SIZES[kind][0]
            if t.shape[0] % block == 0:
                data, now = gguf.quants.quantize(data, kind), kind
        writer.add_tensor(t.name, data, raw_dtype=now)
    with contextlib.redirect_stderr(io.StringIO()):
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()


def diff(path, folder):
    """Returns the verdict and the tensors that are not as expected."""
    r = compare.weigh(o, "diff", "--json", str(path), str(folder))
    bad = [t for t in r["tensors"] if t["state"] not in ("equal", "rounded", "skipped")]
    return r["verdict"], bad, r["missing"], r["tensors"]


def judge(name, path, folder):
    """Compares a file that must be made from the checkpoint. Returns the tensors, or None if it is not."""
    verdict, bad, missing, tensors = diff(path, folder)
    if verdict == "made-from":
        return tensors
    print(f"origin: {name}: {verdict}; missing {missing[:3]}")
    for t in bad[:5]:
        print(f"    {t['name']} {t['type']} {t['state']} {t['why'] or ''} error {t['error']} rounding {t['rounding']}")


def exchanged(name, path, folder, tensors):
    """Exchanges the values of one tensor, and expects weigh to name it and no other."""
    able = [t["name"] for t in tensors if t["state"] in ("equal", "rounded") and t["name"].endswith(".weight")
            and "norm" not in t["name"]]
    which = random.choice(able)
    to = path.with_suffix(".exchanged.gguf")
    rewrite(path, to, exchange=which)
    verdict, bad, _, _ = diff(to, folder)
    to.unlink()
    names = [t["name"] for t in bad]
    if verdict == "some-off" and names == [which]:
        return True
    print(f"origin: {name} with other values of {which}: {verdict}, {names[:5]}")


def run(main, name, model):
    """Compares one model. Returns how many files were compared and how many were wrong."""
    import gguf
    folder = o.work / name
    failed = model.save(folder)
    if failed:
        print(f"origin: {name}: not built: {failed}")
        return 0, int(o.all)
    kinds = ["f32", "f16", "bf16", "q8_0"]
    wrong = files = 0
    for kind in kinds if o.all else [random.choice(kinds), "f32"]:
        path = o.work / f"{name}-{kind}.gguf"
        failed = convert(main, folder, kind, path)
        if failed:
            print(f"origin: {name}: not converted to {kind}: {failed}")
            return files, wrong + int(o.all)
        files += 1
        tensors = judge(f"{name} as {kind}", path, folder)
        wrong += tensors is None
        if tensors and kind != "f32":
            files += 1
            wrong += not exchanged(f"{name} as {kind}", path, folder, tensors)
    quantizers = ["Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "TQ1_0", "TQ2_0", "MXFP4"]
    for kind in quantizers if o.all else [random.choice(quantizers)]:
        to = o.work / f"{name}-{kind}.gguf"
        try:
            rewrite(o.work / f"{name}-f32.gguf", to, kind=gguf.GGMLQuantizationType[kind])
        except NotImplementedError:
            continue
        files += 1
        wrong += judge(f"{name} quantized to {kind}", to, folder) is None
    return files, wrong


def main():
    global o
    p = compare.parser("origin", "compare only models whose names match")
    p.add_argument("--llama", required=True)
    o = compare.parsed(p)
    try:
        import transformers
        transformers.utils.logging.disable_progress_bar()
        import origin_models
        convert_main = converter(o.llama)
    except ImportError as e:
        print(f"origin: skipped: {e}")
        return 0
    begin = time.monotonic()
    models = [(n, m) for n, m in origin_models.MODELS.items() if re.search(o.only, n)]
    random.shuffle(models)
    done = files = wrong = 0
    for name, model in models:
        if not o.all and time.monotonic() - begin > o.seconds:
            break
        f, w = run(convert_main, name, model)
        done, files, wrong = done + 1, files + f, wrong + w
        for path in o.work.glob(name + "-*.gguf"):
            path.unlink()
        shutil.rmtree(o.work / name, ignore_errors=True)
    print(f"origin: {done} of {len(models)} models, {files} files compared, {wrong} wrong; seed {o.seed}")
    return int(wrong > 0 or done == 0)


if __name__ == "__main__":
    sys.exit(main())
