"""Writes aliases.txt: the names by which modules of Python's standard library expose dangerous modules and functions.

    python3 aliases.py PYTHON...     # in this folder; the table is the union over the interpreters

Each interpreter runs this file with the argument --dump. A file VERSION.json is the output of an interpreter that cannot
be started from here: that of CPython 3.14 was made with Pyodide 314.0.7, in Node.js. The interpreter reads the source of every module of its standard library,
and imports the modules that have no effects when they are imported. The source also tells what a module imports on
other systems (nt, winreg), or only when a function is called. The table leaves out modules that policy.txt denies as a
whole, and aliases from which no denied name can be reached.
"""

from __future__ import print_function

import ast
import collections
import json
import os
import re
import subprocess
import sys
import sysconfig

# Not imported: they print, open windows or a browser, start threads, or are tests.
SKIP = {
    "antigravity",
    "this",
    "test",
    "idlelib",
    "lib2to3",
    "turtledemo",
    "__phello__",
    "ensurepip",
    "turtle",
    "tkinter",
    "site-packages",
    "__pycache__",
    "pydoc_data",
    "_pyrepl",
    "config",
    "lib-dynload",
    "dist-packages",
}
FUNCTIONS = (ast.FunctionDef, ast.Lambda, getattr(ast, "AsyncFunctionDef", ast.Lambda))
IDENTIFIER = re.compile(r"^[A-Za-z_]\w*$")


def sources(root):
    """Yields the module name, path and whether it is a package, for each source file."""
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if IDENTIFIER.match(f) and f not in ("test", "tests", "idle_test"))
        package = os.path.relpath(folder, root).replace(os.sep, ".")
        package = "" if package == "." else package + "."
        for f in sorted(files):
            if f == "__init__.py" and package:
                yield package[:-1], os.path.join(folder, f), True
            elif f.endswith(".py") and IDENTIFIER.match(f[:-3]):
                yield package + f[:-3], os.path.join(folder, f), False


def written(name, path, package):
    """Yields the aliases that a source file defines: (scope, alias, target)."""
    with open(path, "rb") as f:
        try:
            tree = ast.parse(f.read())
        except (SyntaxError, ValueError):
            return
    base = name if package else name.rpartition(".")[0]

    def walk(node, scope, globals_):
        for child in ast.iter_child_nodes(node):
            inner, names = scope, globals_
            if isinstance(child, FUNCTIONS):
                names = {n for s in ast.walk(child) if isinstance(s, ast.Global) for n in s.names}
            elif isinstance(child, ast.ClassDef):
                inner = scope + "." + child.name
            elif isinstance(child, ast.Import):
                for a in child.names:
                    bound = a.asname or a.name.partition(".")[0]
                    if names is None or bound in names:
                        yield name if names else scope, bound, a.name if a.asname else bound
            elif isinstance(child, ast.ImportFrom):
                module = child.module or ""
                if child.level:
                    up = base.split(".")
                    up = up[: len(up) - child.level + 1]
                    module = ".".join(up + ([module] if module else []))
                for a in child.names:
                    bound = a.asname or a.name
                    if bound != "*" and (names is None or bound in names):
                        yield name if names else scope, bound, module + "." + a.name
            for found in walk(child, inner, names):
                yield found

    for found in walk(tree, name, None):
        yield found


def home(value):
    """Returns the dotted name by which a module, class or function knows itself, or None."""
    if type(value) is type(sys):
        return value.__name__
    try:
        module, name = value.__module__, getattr(value, "__qualname__", value.__name__)
    except Exception:
        return None
    if not isinstance(module, str) or not isinstance(name, str) or "<" in name:
        return None
    found = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return module + "." + name if found is value else None


def seen(name):
    """Yields the aliases in an imported module."""
    try:
        module = __import__(name, fromlist=["*"])
    except BaseException:
        return
    for scope, inside in [(name, vars(module))] + [
        (name + "." + n, vars(v))
        for n, v in list(vars(module).items())
        if isinstance(v, type) and getattr(v, "__module__", None) == name and v.__name__ == n
    ]:
        for alias, value in sorted(inside.items()):
            value = getattr(value, "__func__", value) if isinstance(value, (staticmethod, classmethod)) else value
            target = home(value)
            if target and not (alias[:2] == alias[-2:] == "__"):
                yield scope, alias, target
            elif isinstance(getattr(value, "__dict__", None), dict) and not callable(value):
                for attribute, held in sorted(vars(value).items()):
                    target = home(held) if isinstance(attribute, str) else None
                    if target:
                        yield scope + "." + alias, attribute, target


def dump():
    """Prints the aliases and modules of this interpreter as JSON."""
    found, names = set(), set(sys.builtin_module_names)
    for name, path, package in sources(sysconfig.get_paths()["stdlib"]):
        if name.partition(".")[0] not in SKIP:
            names.add(name)
            found.update(written(name, path, package))
    for f in os.listdir(os.path.join(sysconfig.get_paths()["platstdlib"], "lib-dynload")):
        names.add(f.partition(".")[0])
    for name in sorted(names):
        parts = name.split(".")
        if not SKIP & set(parts) and parts[-1] != "__main__":
            found.update(seen(name))
    for name, module in list(sys.modules.items()):
        if isinstance(module, type(sys)) and module.__name__ != name and name.partition(".")[0] in names:
            found.add((name.rpartition(".")[0], name.rpartition(".")[2], module.__name__))
    print_to.write(json.dumps(sorted(a for a in found if a[0] + "." + a[1] != a[2])))


def denied():
    """Returns a function that reports whether policy.txt denies a name."""
    lists = {"allow": set(), "doubt": set(), "deny": set()}
    with open("policy.txt") as f:
        for line in f.read().partition("\n[")[0].splitlines():
            words = line.split()
            if words and words[0] in lists:
                lists[words[0]].update(words[1 : words.index("=")])

    def judge(name):
        if name in lists["allow"]:
            return False
        parts = name.split(".")
        heads = [".".join(parts[: i + 1]) for i in range(len(parts))]
        return any(h in lists["deny"] or h + ".*" in lists["deny"] for h in heads)

    return judge


def select(found, bad):
    """Returns the aliases from which a denied name can be reached."""
    dunder = re.compile(r"(^|\.)__\w+__(\.|$)")
    found = {a for a in found if not dunder.search(a[0] + "." + a[1]) and not bad(a[0])}
    scopes = set()
    while True:
        kept = {a for a in found if bad(a[2]) or a[2] in scopes}
        heads = {".".join(a[0].split(".")[: i + 1]) for a in kept for i in range(a[0].count(".") + 1)}
        if heads == scopes:
            return kept
        scopes = heads


def wrapped(start, words):
    """Yields lines of the words that begin with start."""
    line = start
    for word in words:
        if len(line) + 1 + len(word) > 118:
            yield line
            line = start
        line += " " + word
    yield line


def main():
    found, versions = set(), []
    for python in sys.argv[1:]:
        if python.endswith(".json"):
            with open(python) as f:
                found.update(map(tuple, json.load(f)))
            versions.append(os.path.basename(python)[:-len(".json")])
            continue
        out = subprocess.run([python, "-W", "ignore", __file__, "--dump"], stdout=subprocess.PIPE, check=True).stdout
        found.update(map(tuple, json.loads(out)))
        versions.append(
            subprocess.run(
                [python, "-c", "import platform; print(platform.python_version())"],
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            ).stdout.strip()
        )
    same, other = collections.defaultdict(list), collections.defaultdict(list)
    for scope, alias, target in sorted(select(found, denied())):
        if alias == target:
            same[alias].append(scope)
        else:
            other[scope].append(alias + "=" + target)
    with open("aliases.txt", "w") as f:
        print(
            "# Aliases in Python's standard library. Written by aliases.py from CPython",
            ", ".join(versions) + ".",
            file=f,
        )
        print("#   same NAME SCOPE...          SCOPE.NAME is NAME", file=f)
        print("#   in SCOPE ALIAS=TARGET...    SCOPE.ALIAS is TARGET; a scope of - is the top level", file=f)
        for alias in sorted(same):
            print(*wrapped("same " + alias, same[alias]), sep="\n", file=f)
        for scope in sorted(other):
            print(*wrapped("in " + (scope or "-"), other[scope]), sep="\n", file=f)


if __name__ == "__main__":
    if sys.argv[1:] == ["--dump"]:
        print_to, sys.stdout = sys.stdout, sys.stderr
        dump()
    else:
        main()
