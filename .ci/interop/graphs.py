"""Compares the verdicts of `weigh scan` with what Keras, TensorFlow, h5py, PyArrow and onnx do.

Generates models that ask these programs to run code or to write files, in ways that they understand more or less, and
harmless ones. A child process loads and calls each with all guards off and reports whether code of the file ran, a file
appeared, or a module of ours was imported. Then the same files are scanned. A file that did something must not be safe,
and a harmless file that a library wrote must not be dangerous.

    graphs.py --weigh PROGRAM [--seconds N] [--seed N] [--work FOLDER]

Files that disagree are kept, and their paths are printed.
"""

import argparse
import base64
import json
import marshal
import os
import random
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="", TF_ENABLE_ONEDNN_OPTS="0")

CANARY = "canary"  # a folder or file that appears if something ran
CODE = marshal.dumps((lambda x: (__import__("os").makedirs("canary", exist_ok=True), x)[1]).__code__)
TEXT = base64.b64encode(CODE).decode()


# --- Loading, in a child process ---

def load(path):
    """Loads a file with the guards off."""
    name = path.name
    if name.endswith(".json"):
        import keras
        text = path.read_text()
        try:
            keras.models.model_from_json(text)
        except Exception:
            keras.saving.deserialize_keras_object(json.loads(text), safe_mode=False)
    elif name.endswith((".keras", ".h5")):
        import keras
        keras.saving.load_model(path, compile=False, safe_mode=False)
    elif path.is_dir():
        import tensorflow as tf
        model = tf.saved_model.load(str(path))
        for f in [getattr(model, "__call__", None), *getattr(model, "signatures", {}).values()]:
            if f is not None:
                try:
                    f(tf.constant(1.0))
                except Exception:
                    f(args_0=tf.constant(1.0))
    elif name.endswith(".parquet"):
        import pyarrow.parquet
        pyarrow.parquet.read_table(path)
    elif name.endswith(".onnx"):
        import onnx
        onnx.load(path)


def child():
    """Loads the files named on standard input and prints what each did."""
    import keras
    import tensorflow  # noqa: F401
    keras.config.enable_unsafe_deserialization()
    ran = []

    def hook(event, args):
        if event == "marshal.loads" and args and args[0] == CODE:
            ran.append("code")
        elif event == "open" and args and CANARY in str(args[0]):
            ran.append("open")

    sys.addaudithook(hook)
    sys.path.insert(0, os.getcwd())
    for line in sys.stdin:
        path = Path(line.strip())
        ran.clear()
        error = ""
        try:
            load(path)
        except BaseException as e:  # noqa: BLE001
            error = f"{type(e).__name__}: {e}"[:200]
        if os.path.exists(CANARY):
            ran.append("canary")
            shutil.rmtree(CANARY, ignore_errors=True)
            Path(CANARY).unlink(missing_ok=True)
        for other in Path().glob(CANARY + "*"):
            ran.append("file")
            other.unlink()
        if "canary_module" in sys.modules:
            ran.append("import")
            del sys.modules["canary_module"]
        print(json.dumps({"path": str(path), "ran": ran, "error": error}), flush=True)


# --- Files ---

class Maker:
    """Makes files. Each method returns a path and whether a library wrote it, so that it must not be dangerous."""

    def __init__(self, folder, rng):
        self.folder, self.rng, self.n = folder, rng, 0

    def path(self, suffix):
        self.n += 1
        return self.folder / f"{self.n:04d}{suffix}"

    def keras_object(self):
        rng = self.rng
        code = {"class_name": "__lambda__", "config": {"code": TEXT, "defaults": None, "closure": None}}
        return rng.choice([
            {"module": rng.choice(["keras.layers", "keras", "keras.src.layers.core.lambda_layer"]),
             "class_name": rng.choice(["Lambda", "Lambda", "layers.Lambda"]), "config": {"name": "l", "function": code},
             "registered_name": None},
            {"class_name": "Lambda", "config": {"name": "l", "function": [TEXT, None, None], "function_type": "lambda"}},
            {"module": "canary_module", "class_name": "Thing", "config": {}, "registered_name": None},
            {"module": "canary_module", "class_name": "function", "config": "run", "registered_name": "function"},
            {"class_name": "__lambda__", "config": {"value": [TEXT, None, None]}},
            {"class_name": "__lambda__", "config": {"value": TEXT}},
            {"module": "canary_module", "class_name": "__typespec__", "spec_name": "Thing", "config": [1],
             "registered_name": None},
            {"module": "keras.utils", "class_name": "function", "config": "get_file", "registered_name": "get_file"},
            {"module": "keras.layers", "class_name": "Dense", "config": {"units": 2, "activation": code}},
            {"module": "keras.layers", "class_name": "StringLookup", "config": {"vocabulary": "canary.txt"}},
            {"module": "keras.layers", "class_name": "TFSMLayer", "config": {"filepath": "canary"}},
        ])

    def nested(self, value):
        for _ in range(self.rng.randrange(4)):
            value = {f"k{self.rng.randrange(9)}": value} if self.rng.random() < 0.5 else [{}, value]
        return {"a": value}

    def text(self, value):
        text = json.dumps(value, indent=self.rng.choice([None, 1]))
        if self.rng.random() < 0.3:
            text = text.replace("class_name", "cl\\u0061ss_name")
        return text

    def sequential(self, layer):
        return {"module": "keras", "class_name": "Sequential", "registered_name": None, "config": {"name": "s", "layers": [
            {"module": "keras.layers", "class_name": "InputLayer", "registered_name": None,
             "config": {"batch_shape": [None, 2], "dtype": "float32", "name": "i"}}, layer]}}

    def keras_json(self):
        path = self.path(".json")
        value = self.keras_object()
        path.write_text(self.text(self.sequential(value) if self.rng.random() < 0.5 else self.nested(value)))
        return path, False

    def keras_zip(self):
        path = self.path(".keras")
        with zipfile.ZipFile(path, "w", self.rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])) as z:
            members = [("metadata.json", '{"keras_version": "3.0.0"}'),
                       ("config.json", self.text(self.sequential(self.keras_object())))]
            self.rng.shuffle(members)
            for name, content in members:
                z.writestr(name, content)
        return path, False

    def keras_h5(self):
        import h5py
        path = self.path(".h5")
        with h5py.File(path, "w", libver=self.rng.choice(["earliest", "latest", "v108"])) as f:
            f.attrs["keras_version"], f.attrs["backend"] = "2.15.0", "tensorflow"
            layer = {"class_name": "Lambda", "config": {"name": "l", "function": [TEXT, None, None],
                                                        "function_type": "lambda", "arguments": {}}}
            text = json.dumps({"class_name": "Sequential", "config": {"name": "s", "layers": [
                {"class_name": "InputLayer", "config": {"batch_input_shape": [None, 2], "name": "i"}}, layer]}})
            f.attrs["model_config"] = self.rng.choice([text, text.encode()])
            for i in range(self.rng.choice([0, 3, 20])):
                f.attrs[f"other{i}"] = f'{{"k": {i}}}'
            f.create_group("model_weights").attrs["layer_names"] = []
        return path, False

    def good_keras(self):
        import keras
        layers = [keras.layers.Dense(2, activation=self.rng.choice(["relu", "gelu"])), keras.layers.Dropout(0.1),
                  keras.layers.BatchNormalization(), keras.layers.LayerNormalization(), keras.layers.Reshape((2, 1))]
        model = keras.Sequential([keras.Input((2,)), layers[0], *self.rng.sample(layers[1:], 2)])
        path = self.path(self.rng.choice([".keras", ".h5"]))
        model.save(path)
        return path, True

    def graph(self):
        import tensorflow as tf
        raw, rng = tf.raw_ops, self.rng
        path = rng.choice([os.path.abspath(CANARY), CANARY, f"file://{os.path.abspath(CANARY)}"])
        save = {"tensor_names": ["a"], "shape_and_slices": [""]}

        def captured(x):
            raw.SaveV2(prefix=constant, tensors=[x], **save)
        constant = tf.constant(CANARY)
        variable = tf.Variable(CANARY)
        actions = [
            lambda x: raw.WriteFile(filename=path, contents="x", name="n" * rng.choice([1, 130, 300])),
            lambda x: raw.WriteFile(filename=tf.strings.join([CANARY[:3], CANARY[3:]]), contents="x"),
            lambda x: tf.print(x, output_stream="file://" + os.path.abspath(CANARY)),
            lambda x: raw.SaveV2(prefix=path, tensors=[x], **save),
            lambda x: raw.SaveV2(prefix=tf.strings.join(["can", "ary"]), tensors=[x], **save),
            lambda x: raw.SaveV2(prefix=variable, tensors=[x], **save),
            captured,
            lambda x: raw.Save(filename=path, tensor_names=["a"], data=[x]),
            lambda x: raw.SaveSlices(filename=path, tensor_names=["a"], shapes_and_slices=[""], data=[x]),
            lambda x: tf.cond(x > 0, lambda: (tf.io.write_file(path, "x"), x)[1], lambda: x),
            lambda x: tf.while_loop(lambda i: i < 1.5, lambda i: (tf.io.write_file(path, "x"), [i + 1])[1], [x]),
            lambda x: raw.DatasetToTFRecord(input_dataset=tf.data.Dataset.from_tensors("a")._variant_tensor,
                                            filename=path, compression_type=""),
            lambda x: tf.map_fn(lambda y: (tf.io.write_file(path, "x"), y)[1], tf.stack([x])),
            lambda x: tf.data.Dataset.from_tensors(x).map(
                lambda y: (tf.io.write_file(path, "x"), y)[1]).reduce(0.0, lambda a, b: a + b),
        ]
        action = rng.choice(actions)

        class Module(tf.Module):
            def __init__(self):
                self.held = [constant, variable]

            @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
            def __call__(self, x):
                with tf.control_dependencies([y for y in [action(x)] if y is not None]):
                    return tf.identity(x)

        folder = self.path("")
        tf.saved_model.save(Module(), str(folder))
        return folder, False

    def good_graph(self):
        import keras
        model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(self.rng.randrange(1, 9))])
        folder = self.path("")
        model.export(str(folder), verbose=False)
        return folder, True

    def parquet(self):
        import pyarrow as pa
        import pyarrow.parquet as pq
        good = self.rng.random() < 0.5
        path = self.path(".parquet")
        table = pa.table({"a": [1, 2], "b": [[{"c": "x"}], []]})
        if not good:
            class Pickled(pa.ExtensionType):
                def __init__(self):
                    super().__init__(pa.int64(), "arrow.py_extension_type")

                def __arrow_ext_serialize__(self):
                    return b"cos\nmakedirs\n(S'canary'\ntR."
            table = table.append_column("x", pa.ExtensionArray.from_storage(Pickled(), pa.array([1, 2])))
        pq.write_table(table, path, compression=self.rng.choice(["none", "snappy", "zstd"]))
        return path, good

    def onnx(self):
        import numpy as np
        import onnx
        from onnx import helper, numpy_helper
        good = self.rng.random() < 0.5
        weight = numpy_helper.from_array(np.ones((2, 2), "f4"), "w")
        op = "Add" if good else self.rng.choice(["MyOp", "Add"])
        domain = "" if op == "Add" else "my.domain"
        if op == "Add" and not good:
            onnx.external_data_helper.set_external_data(weight, self.rng.choice(["../canary", "/etc/hostname"]), 0, 4)
            weight.ClearField("raw_data")
        graph = helper.make_graph([helper.make_node(op, ["x", "w"], ["y"], domain=domain)], "g",
                                  [helper.make_tensor_value_info("x", 1, [2, 2])],
                                  [helper.make_tensor_value_info("y", 1, [2, 2])], [weight])
        path = self.path(".onnx")
        path.write_bytes(helper.make_model(graph).SerializeToString())
        return path, good


def reordered(data, rng):
    """Writes the fields of the outermost messages of a protocol buffer in another order, with unknown ones between."""
    def varint(at):
        value = shift = 0
        while True:
            byte = data[at]
            value |= (byte & 127) << shift
            at, shift = at + 1, shift + 7
            if byte < 128:
                return value, at
    fields, at = [], 0
    while at < len(data):
        begin = at
        tag, at = varint(at)
        if tag & 7 == 2:
            size, at = varint(at)
            at += size
        elif tag & 7 == 0:
            _, at = varint(at)
        else:
            at += 8 if tag & 7 == 1 else 4
        fields.append(data[begin:at])
    rng.shuffle(fields)
    return b"".join(f + (b"\xc2\x3e\x03abc" if rng.random() < 0.3 else b"") for f in fields)


def scan(weigh, paths):
    """Scans paths and returns the verdict on each."""
    verdicts = {}
    for path in paths:
        run = subprocess.run([weigh, "scan", "--json", str(path)], capture_output=True, text=True)
        verdicts[path] = json.loads(run.stdout)["verdict"]
    return verdicts


def make(maker, kinds, deadline, most):
    """Makes files of all kinds in turn."""
    files = {}
    while time.monotonic() < deadline and len(files) < most:
        for kind in kinds:
            path, good = kind()
            if path.is_dir() and maker.rng.random() < 0.5:
                pb = path / "saved_model.pb"
                pb.write_bytes(reordered(pb.read_bytes(), maker.rng))
            files[path] = good
            if time.monotonic() > deadline:
                break
    return files


def run(args):
    begin = time.monotonic()
    seed = args.seed if args.seed is not None else random.randrange(1 << 30)
    folder = args.work.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    place = folder / "place"  # in which files are loaded
    place.mkdir()
    (place / "canary_module.py").write_text("class Thing: pass\ndef run(): pass\n")
    os.chdir(place)
    maker = Maker(folder, random.Random(seed))
    kinds = [maker.keras_json, maker.keras_json, maker.keras_json, maker.keras_zip, maker.keras_h5, maker.good_keras,
             maker.graph, maker.graph, maker.good_graph, maker.parquet, maker.onnx]
    files = make(maker, kinds, begin + args.seconds * 0.45, args.most)
    try:
        child = subprocess.run([sys.executable, "-W", "ignore", __file__, "--child"], stdout=subprocess.PIPE,
                               input="\n".join(map(str, files)).encode() + b"\n", stderr=subprocess.DEVNULL,
                               timeout=max(30, args.seconds * 0.9 - (time.monotonic() - begin)))
        out = child.stdout
    except subprocess.TimeoutExpired as e:
        out = e.stdout or b""  # of the files that were loaded in time
    done = [json.loads(line) for line in out.decode().splitlines() if line.startswith("{") and line.endswith("}")]
    verdicts = scan(args.weigh, [Path(d["path"]) for d in done])
    wrong, acted = [], 0
    for d in done:
        path = Path(d["path"])
        acted += bool(d["ran"])
        if d["ran"] and verdicts[path] == "safe" and not files[path]:
            wrong.append(f"{path}: safe, but {', '.join(d['ran'])}")
        if files[path] and verdicts[path] == "dangerous":
            wrong.append(f"{path}: dangerous, but a library wrote it")
    print(f"graphs: {len(done)} of {len(files)} files loaded, {acted} acted, {len(wrong)} wrong verdicts (seed {seed})")
    if args.verbose:
        for d in done:
            print(verdicts[Path(d["path"])], d)
    print("\n".join(wrong))
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--child", action="store_true")
    parser.add_argument("--weigh")
    parser.add_argument("--work", type=Path, default=Path("graphs-files"))
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--most", type=int, default=2000)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    if args.child:
        child()
        return 0
    return run(args)


if __name__ == "__main__":
    sys.exit(main())
