"""Benign pickles of Python's own values, by pickle, dill and cloudpickle."""

import array
import argparse
import collections
import datetime
import decimal
import fractions
import http
import ipaddress
import logging
import pathlib
import pickle
import random
import re
import statistics
import string
import types
import uuid
import zoneinfo

VALUES = [
    lambda r: collections.deque([1, "a", None], maxlen=r.choice([None, 5])),
    lambda r: collections.defaultdict(collections.OrderedDict, a=collections.OrderedDict(b=1)),
    lambda r: collections.defaultdict(r.choice([list, int, dict, set, float, None]), a=1),
    lambda r: collections.Counter("hello"),
    lambda r: collections.ChainMap({"a": 1}),
    lambda r: collections.UserDict(a=1),
    lambda r: collections.UserList([1]),
    lambda r: collections.UserString("a"),
    lambda r: http.HTTPStatus.OK,
    lambda r: {"status": http.HTTPStatus.NOT_FOUND},
    lambda r: re.compile(r"\w+(\d)?", re.I),
    lambda r: re.compile(b"a"),
    lambda r: datetime.datetime(2024, 1, 2, 3, 4, 5, 6, datetime.timezone(datetime.timedelta(hours=1))),
    lambda r: datetime.date(2024, 1, 2),
    lambda r: datetime.timedelta(1, 2, 3),
    lambda r: datetime.time(1, 2),
    lambda r: zoneinfo.ZoneInfo("Europe/Berlin"),
    lambda r: decimal.Decimal("1.50"),
    lambda r: fractions.Fraction(1, 3),
    lambda r: uuid.UUID(int=77),
    lambda r: pathlib.Path("a/b"),
    lambda r: pathlib.PureWindowsPath("a\\b"),
    lambda r: argparse.Namespace(a=1, b=[2]),
    lambda r: types.SimpleNamespace(a=1),
    lambda r: ipaddress.ip_address("127.0.0.1"),
    lambda r: ipaddress.ip_network("10.0.0.0/8"),
    lambda r: array.array(r.choice("bBhHiIlLqQfd"), [1, 2, 3]),
    lambda r: random.Random(1),
    lambda r: random.Random(1).getstate(),
    lambda r: statistics.NormalDist(0, 1),
    lambda r: string.Template("$a"),
    lambda r: logging.getLogger("train"),
    lambda r: ValueError("bad"),
    lambda r: KeyError("k"),
    lambda r: OSError(2, "No such file"),
    lambda r: range(3),
    lambda r: slice(1, 2),
    lambda r: {1, 2},
    lambda r: frozenset([1]),
    lambda r: bytearray(b"abc"),
    lambda r: b"abc" * 9,
    lambda r: 1 << 100,
    lambda r: 1 + 2j,
    lambda r: [int, str, float, list, dict, bytes],
    lambda r: NotImplemented,
    lambda r: Ellipsis,
    lambda r: re.IGNORECASE,
    lambda r: types.MappingProxyType,
    lambda r: list[int],
    lambda r: dict[str, int],
    lambda r: __import__("typing").List[int],
    lambda r: __import__("typing").Optional[str],
    lambda r: len,
    lambda r: sorted,
    lambda r: {"f": max, "g": abs},
    lambda r: __import__("math").sqrt,
    lambda r: {"a": [1, 2.5, "x", None, True], "b": {"c": (1, 2)}},
    lambda r: [{"role": "user", "content": "hi"}] * 3,
    lambda r: "text\n" * 50,
    lambda r: iter([1, 2]),
    lambda r: reversed([1, 2]),
    lambda r: enumerate("ab"),
    lambda r: zip("a", "b"),
    lambda r: collections.OrderedDict((str(i), i) for i in range(5)),
    lambda r: dict.fromkeys("abc"),
    lambda r: type(None),
    lambda r: object(),
    lambda r: datetime.timezone.utc,
    lambda r: __import__("calendar").Month(1),
    lambda r: __import__("socket").AF_INET,
    lambda r: __import__("signal").SIGINT,
    lambda r: __import__("inspect").Parameter.empty,
    lambda r: __import__("inspect").signature(lambda a, b=1: 0).parameters["a"].kind,
    lambda r: __import__("xml.etree.ElementTree").etree.ElementTree.Element("a"),
    lambda r: __import__("io").BytesIO(b"abc"),
    lambda r: __import__("io").StringIO("abc"),
    lambda r: __import__("operator").itemgetter(1),
    lambda r: __import__("operator").attrgetter("a"),
    lambda r: __import__("functools").partial(int, base=2),
    lambda r: __import__("time").localtime(0),
    lambda r: __import__("os").stat("/"),
    lambda r: __import__("sys").version_info[:3],
    lambda r: __import__("platform").uname(),
    lambda r: __import__("threading").Lock and 1,
    lambda r: __import__("urllib.parse").parse.urlparse("http://a/b?c"),
    lambda r: __import__("email.message").message.Message(),
    lambda r: __import__("tokenize").TokenInfo(1, "a", (1, 0), (1, 1), "a"),
    lambda r: __import__("ast").parse("a + 1"),
    lambda r: __import__("difflib").Differ(),
    lambda r: __import__("contextlib").nullcontext(),
    lambda r: __import__("graphlib").TopologicalSorter({1: [2]}),
    lambda r: __import__("queue").Empty(),
]


def files(r):
    """Yields names of files with functions that write them."""
    import cloudpickle
    import dill
    import numpy

    def save(make, module, protocols):
        def f(path):
            made = module.dumps(make(r), protocol=r.choice(protocols))
            if b"_eval_repr" in made or b"_create_function" in made:
                raise ValueError("dill stores it as code")
            path.write_bytes(made)

        return f

    order = list(range(len(VALUES)))
    while True:
        r.shuffle(order)
        for i in order:
            yield "v" + r.choice([".pkl", ".pickle", ".p", ".dat"]), save(VALUES[i], pickle, [0, 1, 2, 3, 4, 5])
            if r.random() < 0.3:
                yield "v.pkl", save(VALUES[i], r.choice([dill, cloudpickle]), [2, 4, 5])
            if r.random() < 0.2:
                yield "d.pkl", save(lambda r: {"w": numpy.arange(r.randint(0, 9)), "m": numpy.eye(2)}, dill, [2, 4, 5])
