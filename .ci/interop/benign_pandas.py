"""Benign files of pandas: pickles of frames, series, indexes and scalars."""

import pickle

import joblib
import numpy as np
import pandas as pd


def frame(r):
    """Returns a frame of columns of random types."""
    columns = {
        "i": [1, 2, 3],
        "f": [1.5, 2, np.nan],
        "s": ["a", "b", None],
        "b": [True, False, True],
        "t": pd.date_range("2024", periods=3),
        "tz": pd.date_range("2024", periods=3, tz="UTC"),
        "c": pd.Categorical(["a", "b", "a"]),
        "d": pd.to_timedelta([1, 2, 3], "s"),
        "n": pd.array([1, None, 3], dtype="Int64"),
        "st": pd.array(["a", None, "c"], dtype="string"),
        "o": [[1], {"a": 1}, (1,)],
        "p": pd.period_range("2024", periods=3, freq="M"),
        "iv": pd.interval_range(0, 3),
        "sp": pd.arrays.SparseArray([0, 0, 1]),
        "bo": pd.array([True, None, False], dtype="boolean"),
        "fl": pd.array([1.5, None, 2], dtype="Float64"),
    }
    names = r.sample(sorted(columns), r.randint(1, 6))
    index = r.choice(
        [
            None,
            ["x", "y", "z"],
            pd.date_range("2024", periods=3),
            pd.MultiIndex.from_product([["a"], [1, 2, 3]]),
            pd.RangeIndex(3),
            pd.CategoricalIndex(["a", "b", "c"]),
            pd.Index([1.5, 2.5, 3.5], name="k"),
        ]
    )
    made = pd.DataFrame({n: columns[n] for n in names})
    return made if index is None else made.set_axis(index)


def other(r):
    """Returns another object of pandas."""
    return r.choice(
        [
            lambda: frame(r).iloc[:, 0],
            lambda: pd.Timestamp("2024-01-02", tz=r.choice([None, "UTC", "Europe/Berlin"])),
            lambda: pd.Timedelta("1s"),
            lambda: pd.Period("2024-01", "M"),
            lambda: pd.Interval(0, 1),
            lambda: pd.NaT,
            lambda: pd.NA,
            lambda: pd.CategoricalDtype(["a"]),
            lambda: pd.Index([1, 2]),
            lambda: pd.MultiIndex.from_tuples([(1, "a")]),
            lambda: pd.date_range("2024", periods=3, freq="D"),
            lambda: pd.offsets.MonthEnd(),
            lambda: {"df": frame(r), "n": 1},
            lambda: [frame(r), frame(r)],
            lambda: pd.DataFrame(),
            lambda: pd.Series([1, 2], name="a"),
            lambda: frame(r).dtypes,
            lambda: pd.DataFrame(np.eye(3)),
            lambda: pd.Series(["a", "b"], dtype="category"),
            lambda: frame(r).describe(include="all"),
        ]
    )()


def files(r):
    """Yields names of files with functions that write them."""

    def pickled(path):
        with open(path, "wb") as out:
            pickle.dump(r.choice([frame, other])(r), out, protocol=r.choice([2, 3, 4, 5]))

    while True:
        yield "df.pkl", lambda path: frame(r).to_pickle(path, protocol=r.choice([2, 4, 5]))
        yield "df.pkl" + r.choice([".gz", ".bz2", ".xz", ".zip"]), lambda path: frame(r).to_pickle(path)
        yield "v" + r.choice([".pkl", ".pickle"]), pickled
        yield "df.joblib", lambda path: joblib.dump(r.choice([frame, other])(r), path, compress=r.choice([0, 3]))
