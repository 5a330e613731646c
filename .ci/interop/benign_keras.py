"""Benign files of Keras."""

import os
import pickle

os.environ.setdefault("KERAS_BACKEND", "torch")
import keras


def model(r):
    """Returns a small model of random layers."""
    n = r.choice([2, 4])
    layers = [
        lambda: keras.layers.Dense(n, activation=r.choice(["relu", "gelu", None])),
        lambda: keras.layers.Dropout(0.1),
        lambda: keras.layers.LayerNormalization(),
        lambda: keras.layers.BatchNormalization(),
        lambda: keras.layers.Activation("tanh"),
        lambda: keras.layers.Rescaling(2.0),
    ]
    if r.random() < 0.3:
        x = keras.Input((n,), name="in")
        y = keras.layers.Add()([keras.layers.Dense(n)(x), x])
        made = keras.Model(x, keras.layers.Dense(1)(y))
    else:
        made = keras.Sequential([keras.Input((n,))] + [r.choice(layers)() for _ in range(r.randint(1, 4))])
    if r.random() < 0.5:
        made.compile(r.choice(["adam", "sgd"]), r.choice(["mse", "mae"]), metrics=r.choice([None, ["mae"]]))
    return made


def files(r):
    """Yields names of files with functions that write them."""

    def pickled(path):
        with open(path, "wb") as out:
            pickle.dump({"weights": model(r).get_weights(), "history": {"loss": [1.0]}}, out)

    def text(path):
        path.write_text(model(r).to_json())

    while True:
        yield "model.keras", lambda path: model(r).save(path)
        yield "model.h5", lambda path: model(r).save(path)
        yield "model.weights.h5", lambda path: model(r).save_weights(path)
        yield "model.json", text
        yield "weights.pkl", pickled
