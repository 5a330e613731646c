"""Writes the classes and functions of the installed Keras and tf_keras to ../keras_*.txt.

Classes that reach files, other programs or Python code are left out: keras.go lists them.
"""

import inspect
import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import keras  # noqa: E402, F401
import tf_keras  # noqa: E402
from keras.src import api_export  # noqa: E402
from tf_keras.src.layers import serialization  # noqa: E402

harmless = ("activations", "losses", "metrics", "ops", "ops.image", "random", "constraints", "initializers",
            "regularizers", "layers", "quantizers", "_legacy.backend")
reaching = set("""Lambda LambdaCallback TFSMLayer TorchModuleWrapper JaxLayer FlaxLayer SKLearnClassifier
SKLearnRegressor SKLearnTransformer KerasFileEditor CSVLogger ModelCheckpoint BackupAndRestore TensorBoard
RemoteMonitor OrbaxCheckpoint ExportArchive Callback CallbackList DirectoryIterator SwapEMAWeights TFOpLambda
ClassMethod InstanceMethod InstanceProperty TensorFlowOpLayer CustomObjectScope""".split())

classes, functions = set(), set()
for name, symbol in api_export.REGISTERED_NAMES_TO_OBJS.items():
    module, _, last = name.rpartition(".")
    if inspect.isclass(symbol):
        classes.add(last)
    elif module.removeprefix("keras.") in harmless and last != "eval":
        functions.add(last)
for module in (tf_keras.layers, tf_keras.losses, tf_keras.metrics, tf_keras.optimizers, tf_keras.optimizers.legacy,
               tf_keras.optimizers.schedules, tf_keras.initializers, tf_keras.regularizers, tf_keras.constraints,
               tf_keras.activations, tf_keras.mixed_precision, tf_keras.layers.experimental.preprocessing,
               tf_keras.optimizers.experimental, tf_keras.models):
    for last in dir(module):
        symbol = getattr(module, last)
        if last.startswith("_"):
            continue
        if inspect.isclass(symbol):
            classes |= {last, symbol.__name__}
        elif callable(symbol) and module is not tf_keras.models:
            functions.add(last)
serialization.populate_deserializable_objects()
classes |= set(serialization.LOCAL.ALL_OBJECTS)

for file, names in (("classes", classes - reaching), ("functions", functions)):
    with open(f"../keras_{file}.txt", "w") as f:
        f.write("\n".join(sorted(names)))
