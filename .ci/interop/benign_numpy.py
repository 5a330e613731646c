"""Benign files that NumPy, SciPy and joblib write."""

import pickle

import joblib
import numpy as np

TYPES = [
    "f4",
    "f8",
    "f2",
    "i1",
    "i2",
    "i4",
    "i8",
    "u1",
    "u2",
    "u4",
    "u8",
    "?",
    "c8",
    "c16",
    ">f4",
    ">i8",
    "S5",
    "U7",
    "M8[ns]",
    "m8[s]",
    "V6",
    "f4,i8",
    [("a", "f8"), ("b", "i4", (2, 2)), ("c", "S3")],
    [("x", "<f4"), ("y", [("z", "i2")])],
    "M8[D]",
    "O",
]


def array(r):
    """Returns a random array."""
    t = np.dtype(r.choice(TYPES))
    shape = r.choice([(), (1,), (5,), (2, 3), (0,), (2, 0), (2, 2, 2)])
    if t.hasobject:
        made = np.empty(shape, t)
        for i in np.ndindex(shape):
            made[i] = r.choice([None, "text", 1.5, [1, 2], {"a": 1}])
        return made
    made = np.zeros(shape, t)
    if t.kind in "fiuc":
        made = np.arange(made.size).reshape(shape).astype(t)
    return r.choice([lambda a: a, np.asfortranarray, lambda a: a.T, lambda a: a[..., ::2] if a.ndim else a])(made)


def other(r):
    """Returns another object of NumPy."""
    a = np.arange(6.0).reshape(2, 3)
    return r.choice(
        [
            lambda: np.ma.masked_array(a, a > 2),
            lambda: np.matrix(a),
            lambda: np.float32(1.5),
            lambda: np.int64(3),
            lambda: np.bool_(True),
            lambda: np.str_("a"),
            lambda: np.bytes_(b"a"),
            lambda: np.datetime64("2024-01-02"),
            lambda: np.timedelta64(3, "s"),
            lambda: np.dtype("f4"),
            lambda: np.dtype([("a", "f8"), ("b", "S3")]),
            lambda: np.rec.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]),
            lambda: np.void(b"abcd"),
            lambda: [array(r), array(r)],
            lambda: {"w": a, "b": a[0]},
            lambda: np.complex128(1 + 2j),
            lambda: np.float16(1),
            lambda: np.array(["a", None], dtype=object),
            lambda: np.poly1d([1, 2, 3]),
            lambda: np.char.array(["a", "b"]),
            lambda: (a, a),
            lambda: np.longdouble(1),
            lambda: np.finfo("f4").max,
            lambda: a.astype(">f8"),
            lambda: np.float64,
            lambda: np.ndarray,
            lambda: np.array([(1, [1.5, 2])], dtype=[("n", "i4"), ("v", "f8", (2,))])[0],
        ]
    )()


def scipy(r):
    """Returns an object of SciPy."""
    import scipy.sparse
    import scipy.spatial
    import scipy.interpolate
    import scipy.stats
    import scipy.optimize

    a = np.eye(3)
    return r.choice(
        [
            lambda: getattr(
                scipy.sparse,
                r.choice(
                    [
                        "csr_matrix",
                        "csc_matrix",
                        "coo_matrix",
                        "bsr_matrix",
                        "dia_matrix",
                        "lil_matrix",
                        "dok_matrix",
                        "csr_array",
                        "coo_array",
                    ]
                ),
            )(a)
        ]
    )()


def structures(r):
    import scipy.interpolate
    import scipy.optimize
    import scipy.spatial
    import scipy.stats

    x = np.arange(5.0)
    return r.choice(
        [
            lambda: scipy.interpolate.interp1d(x, x),
            lambda: scipy.interpolate.CubicSpline(x, x),
            lambda: scipy.stats.norm(0, 1),
            lambda: scipy.spatial.KDTree(np.eye(3)),
            lambda: scipy.optimize.OptimizeResult(x=x, fun=1.0),
            lambda: scipy.spatial.transform.Rotation.identity(),
            lambda: scipy.stats.gaussian_kde(np.random.rand(10)),
        ]
    )()


def files(r):
    """Yields names of files with functions that write them."""

    def pickled(make):
        def f(path):
            with open(path, "wb") as out:
                pickle.dump(make(r), out, protocol=r.randint(0, 5))

        return f

    def dumped(make):
        return lambda path: joblib.dump(
            make(r),
            path,
            compress=r.choice([0, 0, 1, 3, "gzip", "bz2", "xz", "lzma", ("zlib", 9)]),
            protocol=r.choice([None, 2, 3, 4, 5]),
        )

    while True:
        for _ in range(3):
            yield "a.npy", lambda path: np.save(path, array(r), allow_pickle=True)
            yield "a.npz", lambda path: r.choice([np.savez, np.savez_compressed])(
                path, array(r), w=array(r), b=array(r)
            )
            yield "a" + r.choice([".pkl", ".pickle", ".bin"]), pickled(array)
            yield "a" + r.choice([".pkl", ".dat"]), pickled(other)
            yield "a" + r.choice([".joblib", ".pkl", ".gz"]), dumped(array)
            yield "a.joblib", dumped(other)
