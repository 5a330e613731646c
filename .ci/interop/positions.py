"""Checks the verdicts of `weigh scan` on files of SciPy, scikit-learn and PyTorch that contain positions.

Writes sparse matrices, trees, search trees, and sparse and nested tensors with these libraries, as they are and after
one position was changed to lead outside. The first must be safe, the others dangerous.

    positions.py --weigh PROGRAM [--work FOLDER] [--golden FILE]

--golden writes the small files with their verdicts to FILE, for the tests in Go.
"""

import argparse
import copy
import gzip
import json
import pickle
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import joblib
import numpy as np
import scipy.sparse as sp
from scipy.spatial import cKDTree

warnings.filterwarnings("ignore")
GOLDEN = ("c*-matrix*-4.pkl", "bsr-array*-4.pkl", "lil-matrix*-4.pkl", "dia*-4.pkl", "csr-matrix*-2.pkl", "csr-array*.npz",
          "coo-matrix*.npz", "tree-[bl]*-4.pkl", "tree-[mn]*-4.pkl", "tree-best*-[025].pkl", "c*10*.joblib", "tree-best.joblib",
          "search-[os]*-4.pkl", "torch-[cl]*.pt", "torch-nested*.pt", "torch-jagged[01]*.pt", "torch-bsr*.pt")
rng = np.random.default_rng(0)


class Made:
    """An object that is pickled as a call and a state."""

    def __init__(self, function, args, state=None):
        self.parts = (function, args) if state is None else (function, args, state)

    def __reduce__(self):
        return self.parts


def pickles(folder, name, obj):
    """Writes an object in each protocol, and with joblib."""
    for protocol in range(6):
        try:
            data = pickle.dumps(obj, protocol)
        except TypeError:  # a class that only newer protocols support
            continue
        (folder / f"{name}-{protocol}.pkl").write_bytes(data)
    joblib.dump(obj, folder / f"{name}.joblib")
    joblib.dump(obj, folder / f"{name}-zlib.joblib", compress=3)


# --- Sparse matrices ---

def changed(m, attribute, index, value):
    m = copy.deepcopy(m)
    getattr(m, attribute)[index] = value
    return m


def replaced(m, attribute, value):
    m = copy.deepcopy(m)
    setattr(m, attribute, value)
    return m


def matrices(good, bad):
    base = sp.random(8, 6, density=0.3, format="csr", random_state=1)
    for kind in ("matrix", "array"):
        for form in ("csr", "csc", "bsr", "coo", "dia", "lil", "dok"):
            m = getattr(sp, f"{form}_{kind}")(base)
            name = f"{form}-{kind}"
            pickles(good, name, m)
            if form not in ("lil", "dok"):
                sp.save_npz(good / f"{name}.npz", m)
                sp.save_npz(good / f"{name}-stored.npz", m, compressed=False)
            if form in ("csr", "csc", "bsr"):
                width = 8 if form == "csc" else 6
                for what, index, value in (("indices", 2, 10**6), ("indices", -1, width), ("indices", 0, -1),
                                           ("indptr", -1, 10**6), ("indptr", 2, 10**5), ("indptr", 0, -5)):
                    lie = changed(m, what, index, value)
                    pickles(bad, f"{name}-{what}{index}", lie)
                    if what == "indices" or index == 2:  # save_npz checks the others
                        sp.save_npz(bad / f"{name}-{what}{index}.npz", lie)
                pickles(bad, f"{name}-short", replaced(m, "indptr", m.indptr[:-1].copy()))
                pickles(bad, f"{name}-data", replaced(m, "data", m.data[:2].copy()))
                rows, columns = m.shape
                pickles(bad, f"{name}-shape", replaced(m, "_shape", (3, columns) if form == "csc" else (10**7, columns)))
            if form == "coo":
                for axis, value in ((0, 8), (1, -2)):
                    lie = copy.deepcopy(m)
                    lie.coords[axis][1] = value
                    pickles(bad, f"{name}-{axis}", lie)
            if form == "dia":
                pickles(bad, f"{name}-short", replaced(m, "data", m.data[:2].copy()))
            if form == "lil":
                lie = copy.deepcopy(m)
                lie.rows[3], lie.data[3] = [500], [1.0]
                pickles(bad, f"{name}-rows", lie)
                lie = copy.deepcopy(m)
                lie.rows[3], lie.data[3] = [1, 2, 3], [1.0]
                pickles(bad, f"{name}-data", lie)
    wide = base.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    big = base.copy()
    big.indices, big.indptr = big.indices.astype(">i4"), big.indptr.astype(">i4")
    spare = base.copy()  # what follows the last row is not used
    spare.data = np.concatenate([spare.data, np.zeros(3)])
    spare.indices = np.concatenate([spare.indices, np.full(3, 99, spare.indices.dtype)])
    for name, m in {"wide": wide, "big": big, "spare": spare, "none": sp.csr_matrix((0, 0)),
                    "empty": sp.csr_matrix((5, 7)), "empty-columns": sp.csc_matrix((5, 0)),
                    "row": sp.csr_array(np.array([0, 1, 0, 2])), "row-coo": sp.coo_array(np.array([0, 1, 0, 2])),
                    "blocks": sp.bsr_matrix(np.kron(np.eye(3), np.ones((2, 3)))),
                    "complex": base.astype(np.complex128), "bool": base.astype(bool)}.items():
        pickles(good, f"csr-{name}", m)
    pickles(bad, "csr-wide", changed(wide, "indices", 2, 2**40))
    pickles(bad, "csr-big", changed(big, "indices", 0, 256))
    np.savez(good / "no-matrix.npz", indices=np.array([5, -3]), data=np.ones(3), shape=np.array([1]))


# --- Trees ---

def models():
    from sklearn import ensemble as e, tree as t
    x = rng.random((40, 3))
    y = (x[:, 0] + x[:, 1] > 1).astype(int)
    few = {"max_depth": 3, "random_state": 0}
    made = {"tree": t.DecisionTreeClassifier(**few), "tree-best": t.DecisionTreeRegressor(max_leaf_nodes=5),
            "tree-extra": t.ExtraTreeClassifier(**few), "tree-pruned": t.DecisionTreeClassifier(ccp_alpha=0.01),
            "forest": e.RandomForestClassifier(3, **few), "extra": e.ExtraTreesRegressor(2, **few),
            "embedding": e.RandomTreesEmbedding(2, max_depth=2),
            "boosting": e.GradientBoostingClassifier(n_estimators=2, max_depth=2),
            "isolation": e.IsolationForest(n_estimators=2), "isolation-few": e.IsolationForest(n_estimators=2, max_features=2),
            "bagging": e.BaggingClassifier(t.DecisionTreeClassifier(**few), 2, max_features=2),
            "hist": e.HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=3, max_depth=2)}
    for m in made.values():
        m.fit(x, y)
    made["tree-outputs"] = t.DecisionTreeClassifier(**few).fit(x, np.c_[y, y])
    made["tree-leaf"] = t.DecisionTreeClassifier().fit(x, np.zeros(40))
    made["tree-unfitted"] = t.DecisionTreeClassifier()
    return made


def categories():
    """Returns a model of categories. Its file imports a function of functools."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    x = np.c_[rng.integers(0, 6, 200), rng.random(200)]
    return HistGradientBoostingClassifier(max_iter=5, categorical_features=[0], min_samples_leaf=5).fit(x, x[:, 0] % 2)


def trees(good, bad):
    made = models()
    for name, m in made.items():
        pickles(good, name, m)

    def lie(name, model, change):
        m = copy.deepcopy(made[model] if isinstance(model, str) else model)
        change(m)
        pickles(bad, name, m)

    def node(get, field, value):
        def change(m):
            getattr(get(m), field)[0] = value
        return change

    nodes = made["tree"].tree_.node_count
    for field in ("children_left", "children_right"):
        for value in (10**6, -7, 0, nodes):
            lie(f"{field}{value}", "tree", node(lambda m: m.tree_, field, value))
    for value in (10**6, -2, 3):
        lie(f"feature{value}", "tree", node(lambda m: m.tree_, "feature", value))
    lie("forest-child", "forest", node(lambda m: m.estimators_[2].tree_, "children_left", 10**7))
    lie("boosting-feature", "boosting", node(lambda m: m.estimators_[1, 0].tree_, "feature", 3))
    for model in ("tree", "forest", "boosting", "hist"):
        lie(f"{model}-features", model, lambda m: setattr(m, "n_features_in_", 0))
    lie("isolation-features", "isolation-few", lambda m: (setattr(m, "n_features_in_", 1), setattr(m, "_max_features", 1)))
    for key, value in (("max_depth", 0), ("node_count", 10**6)):
        def change(m):
            function, args, state = m.tree_.__reduce__()
            m.tree_ = Made(function, args, state | {key: value})
        lie(f"tree-{key}", "tree", change)
    for field, value in (("left", 10**6), ("right", 0), ("feature_idx", 10**6)):
        lie(f"hist-{field}", "hist", lambda m: m._predictors[0][0].nodes[field].__setitem__(0, value))

    def bitset(m):
        for tree in (t for round in m._predictors for t in round):
            tree.nodes["bitset_idx"][tree.nodes["is_categorical"] != 0] = 5000
    lie("hist-bitset", categories(), bitset)


def neighbors(good, bad):
    from sklearn.neighbors import BallTree, KDTree, KNeighborsClassifier, LocalOutlierFactor
    x = rng.random((30, 3))
    for name, m in {"kd": KDTree(x, leaf_size=4), "ball": BallTree(x, leaf_size=4), "one": KDTree(x[:1]),
                    "knn": KNeighborsClassifier(algorithm="kd_tree").fit(x, x[:, 0] > 0.5),
                    "outlier": LocalOutlierFactor(novelty=True, algorithm="ball_tree").fit(x),
                    "scipy": cKDTree(x, leafsize=4), "scipy-box": cKDTree(x, boxsize=2.0)}.items():
        pickles(good, f"search-{name}", m)
    for kind in (KDTree, BallTree):
        for name, part, change in (("order", 1, lambda a: a.__setitem__(0, 10**6)),
                                   ("end", 2, lambda a: a["idx_end"].__setitem__(0, 10**6)),
                                   ("leaf", 2, lambda a: a["is_leaf"].__setitem__(-1, 0))):
            function, args, state = kind(x, leaf_size=4).__reduce__()
            state = [np.array(s) if isinstance(s, np.ndarray) else s for s in state]
            change(state[part])
            pickles(bad, f"search-{kind.__name__}-{name}", Made(function, args, tuple(state)))
    for name in ("order", "child"):
        state = list(cKDTree(x, leafsize=4).__getstate__())
        if name == "order":
            state[7] = state[7].copy()
            state[7][0] = 10**6
        else:
            nodes = np.frombuffer(state[0].tobytes(), dtype="i8").copy()
            nodes[7] = 10**6
            state[0] = nodes.view("S1")
        pickles(bad, f"search-scipy-{name}", Made(cKDTree, (), tuple(state)))


# --- Tensors ---

def tensors(good, bad):
    import torch
    from torch.nested._internal.nested_tensor import NestedTensor

    def save(folder, name, x):
        torch.save(x, folder / f"{name}.pt")
        torch.save({"w": x}, folder / f"{name}-old.bin", _use_new_zipfile_serialization=False)

    torch.manual_seed(0)
    dense = (torch.rand(8, 6) > 0.6) * torch.rand(8, 6)
    batch = torch.stack([torch.eye(4), torch.eye(4).flip(0)])
    sparse = {"coo": dense.to_sparse(), "csr": dense.to_sparse_csr(), "csc": dense.to_sparse_csc(),
              "bsr": dense.to_sparse_bsr((2, 3)), "bsc": dense.to_sparse_bsc((2, 3)), "batch": batch.to_sparse_csr(),
              "coo-3": (torch.rand(3, 4, 5) > 0.7).float().to_sparse(), "coo-none": torch.sparse_coo_tensor(size=(3, 4)),
              "coo-hybrid": torch.sparse_coo_tensor(torch.tensor([[0, 3]]), torch.ones(2, 5), (4, 5)),
              "csr-none": torch.zeros(3, 4).to_sparse_csr(),
              "csr-int": torch.sparse_csr_tensor(torch.tensor([0, 2, 3], dtype=torch.int32),
                                                 torch.tensor([0, 1, 2], dtype=torch.int32), torch.ones(3), (2, 4))}
    for name, x in sparse.items():
        save(good, f"torch-{name}", x)
    for name in ("coo", "coo-3", "coo-hybrid"):
        x = sparse[name]
        for value in (10**6, -1, x.shape[0]):
            at = x._indices().clone()
            at[0, 0] = value
            save(bad, f"torch-{name}{value}", torch.sparse_coo_tensor(at, x._values(), x.shape, check_invariants=False))
    for name in ("csr", "csc", "bsr", "bsc", "csr-int", "batch"):
        x = sparse[name]
        rows = "ccol_indices row_indices" if name in ("csc", "bsc") else "crow_indices col_indices"
        for part, index, value in ((1, 0, 10**6), (1, 0, -3), (0, -1, 10**6), (0, 1, 10**6), (0, 0, 1)):
            at = [getattr(x, n)().clone() for n in rows.split()]
            at[part].view(-1)[index] = value
            save(bad, f"torch-{name}-{part}{index}{value}", torch.sparse_compressed_tensor(
                *at, x.values(), x.shape, layout=x.layout, check_invariants=False))

    list_ = [torch.rand(2, 3), torch.rand(4, 3)]
    jagged, nested = (torch.nested.nested_tensor(list_, layout=l) for l in (torch.jagged, torch.strided))
    lengths = torch.nested.narrow(torch.rand(3, 9, 2), 1, torch.tensor([0, 1, 2]), torch.tensor([3, 4, 5]),
                                  layout=torch.jagged)
    for name, x in {"jagged": jagged, "nested": nested, "lengths": lengths, "jagged-t": jagged.transpose(1, 2),
                    "nested-t": nested.transpose(1, 2)}.items():
        save(good, f"torch-{name}", x)
    for offsets in ([0, 2, 100], [0, 2, 7], [0, 5, 2], [-2, 2, 6], [1, 2, 6]):
        x = NestedTensor(jagged.values(), torch.tensor(offsets))
        save(bad, "torch-jagged" + "".join(map(str, offsets)), x)
    for n in (50, -1):
        x = NestedTensor(jagged.values(), torch.tensor([0, 2, 6]), lengths=torch.tensor([2, n]))
        save(bad, f"torch-lengths{n}", x)
    function, (rebuild, kind, args, state) = jagged.__reduce_ex__(2)
    attributes = dict(state[0] if isinstance(state, tuple) else state) | {"_offsets": torch.tensor([0, 2, 10**6])}
    save(bad, "torch-jagged-attribute", Made(function, (rebuild, kind, args, attributes)))
    buffer = torch.cat([x.reshape(-1) for x in list_])
    sizes, strides, offsets = (getattr(nested, f"_nested_tensor_{n}")() for n in ("size", "strides", "storage_offsets"))
    for name, parts in {"size": (sizes * 1000, strides, offsets), "stride": (sizes, strides * 1000, offsets),
                        "offset": (sizes, strides, offsets + 1), "before": (sizes, strides, offsets - 1)}.items():
        lie = Made(torch._utils._rebuild_nested_tensor, (buffer, *(p.clone() for p in parts)))
        save(bad, f"torch-nested-{name}", lie)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weigh", required=True)
    parser.add_argument("--work", type=Path, default=Path("positions-files"))
    parser.add_argument("--golden", type=Path)
    parser.add_argument("--seconds", type=float)  # for the caller: writing the files takes about 20
    o = parser.parse_args()
    shutil.rmtree(o.work, ignore_errors=True)
    folders = {"safe": o.work / "good", "dangerous": o.work / "bad"}
    for folder in folders.values():
        folder.mkdir(parents=True)
    for write in (matrices, trees, neighbors, tensors):
        try:
            write(*folders.values())
        except ImportError as e:
            print(f"positions: skipped: {e}")
    wrong, lines = 0, []
    for want, folder in folders.items():
        run = subprocess.run([o.weigh, "scan", "--json", "--profile", "sklearn", "--profile", "numpy-random", folder],
                             capture_output=True, check=False)
        for f in json.loads(run.stdout)["files"]:
            path = Path(f["path"])
            data = path.read_bytes()
            if f["verdict"] != want:
                print(f"positions: {path} is {f['verdict']} instead of {want}")
                wrong += 1
            if len(data) < 4000 and any(path.match(p) for p in GOLDEN):
                lines.append(f"{want} {path.name} {data.hex()}\n")
    print(f"positions: {sum(len(list(f.iterdir())) for f in folders.values())} files, {wrong} wrong verdicts")
    if o.golden:
        with gzip.GzipFile(o.golden, "wb", mtime=0) as out:
            out.write("".join(lines).encode())
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
