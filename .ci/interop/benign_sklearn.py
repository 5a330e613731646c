"""Benign files of scikit-learn estimators and SciPy objects, by joblib, pickle, dill and skops."""

import pickle
import warnings

import dill
import joblib
import numpy as np
import scipy.sparse
from sklearn import set_config
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, RandomizedSearchCV, cross_val_score
from sklearn.neighbors import BallTree, KDTree, KNeighborsClassifier, NearestNeighbors
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.utils import Bunch, all_estimators

import benign_numpy

warnings.simplefilter("ignore")
X = np.abs(np.random.RandomState(0).rand(30, 4))
Y = np.array([0, 1, 2] * 10)
TEXTS = ["the cat sat", "a dog ran", "no cat here"] * 4


def composed(r):
    """Returns an estimator that is made of others, fitted."""
    return r.choice(
        [
            lambda: make_pipeline(StandardScaler(), LogisticRegression()).fit(X, Y),
            lambda: GridSearchCV(SVC(), {"C": [1, 10]}, cv=2).fit(X, Y),
            lambda: RandomizedSearchCV(LogisticRegression(), {"C": [0.1, 1, 10]}, n_iter=2, cv=2, random_state=0).fit(
                X, Y
            ),
            lambda: KNeighborsClassifier(3, algorithm=r.choice(["auto", "kd_tree", "ball_tree", "brute"])).fit(X, Y),
            lambda: NearestNeighbors().fit(X),
            lambda: KDTree(X),
            lambda: BallTree(X),
            lambda: ColumnTransformer(
                [("a", StandardScaler(), [0, 1]), ("b", OneHotEncoder(), slice(2, 3)), ("c", "passthrough", [3])]
            ).fit(X),
            lambda: Pipeline([("t", TfidfVectorizer()), ("c", LogisticRegression())]).fit(TEXTS, [0, 1, 2] * 4),
            lambda: FeatureUnion([("a", CountVectorizer()), ("b", HashingVectorizer(n_features=8))]).fit(TEXTS),
            lambda: FunctionTransformer(r.choice([np.log1p, np.sqrt, np.exp])).fit(X),
            lambda: Bunch(a=1, b=X),
            lambda: KFold(3),
            lambda: RandomForestClassifier(3, random_state=np.random.RandomState(1)).fit(X, Y),
            lambda: {
                "model": LogisticRegression().fit(X, Y),
                "features": ["a", "b"],
                "scaler": StandardScaler().fit(X),
                "classes": np.unique(Y),
            },
        ]
    )()


def estimators():
    """Yields all estimators, fitted where that needs no more than numbers."""
    for name, kind in all_estimators():
        try:
            yield name, kind
        except Exception:
            pass


def fitted(kind):
    e = kind()
    for args in ((X, Y), (X,), (X, X), (TEXTS,), (X[:, 0], Y)):
        try:
            return e.fit(*args)
        except Exception:
            continue
    return e


def files(r):
    """Yields names of files with functions that write them."""
    kinds = [k for _, k in estimators()]
    r.shuffle(kinds)

    def save(make):
        def f(path):
            value, how = make(), r.random()
            if how < 0.55:
                joblib.dump(value, path, compress=r.choice([0, 0, 3, "gzip"]))
                return
            with open(path, "wb") as out:
                (dill if how > 0.9 else pickle).dump(value, out, protocol=r.choice([2, 3, 4, 5]))

        return f

    while True:
        for kind in kinds:
            yield "model" + r.choice([".joblib", ".pkl", ".sav"]), save(lambda k=kind: fitted(k))
            if r.random() < 0.3:
                yield "model.pkl", save(lambda: composed(r))
            if r.random() < 0.15:
                yield "sparse.pkl", save(lambda: benign_numpy.scipy(r))
            if r.random() < 0.1:
                yield "scipy.pkl", save(lambda: benign_numpy.structures(r))
