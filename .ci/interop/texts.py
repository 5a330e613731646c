"""Compares scan's verdicts on YAML texts and Jinja templates with what PyYAML and Jinja do with them.

Random texts are loaded by PyYAML's unsafe loader, whose functions that import names only record them, and random
templates are rendered by an environment that records which private attributes they read. No text that imports a name,
and no template that reads a private attribute, may be safe. Nothing is imported or called.

Usage: texts.py [--seconds N] [--cases N] [--seed N] WEIGH
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time

import jinja2.sandbox
import yaml

BATCH = 500  # files for each run of the program


class Recorder(yaml.UnsafeLoader):
    """Records names instead of importing them."""

    names = []

    def find_python_name(self, name, mark, unsafe=False):
        self.names.append(name)
        return str

    def find_python_module(self, name, mark, unsafe=False):
        self.names.append(name)
        return sys


def imports(text):
    """Returns the names that loading all documents of a text imports."""
    Recorder.names = []
    try:
        for _ in yaml.load_all(text, Loader=Recorder):
            pass
    except Exception:  # of any kind: what was imported before it counts
        pass
    return Recorder.names


class Environment(jinja2.sandbox.SandboxedEnvironment):
    """Allows all attributes and records the private ones."""

    read = []

    def is_safe_attribute(self, obj, attr, value):
        if str(attr).startswith("__") and value is not None:
            self.read.append(attr)
        return True

    def call(self, context, obj, *args, **kwargs):
        if not isinstance(obj, (str, jinja2.runtime.Macro)) and getattr(obj, "__module__", "") not in ("jinja2.utils", None):
            if not isinstance(getattr(obj, "__self__", None), (str, list, dict, tuple, int)):
                return ""
        return super().call(context, obj, *args, **kwargs)


def reads(text):
    """Returns the private attributes that rendering a template reads."""
    env = Environment()
    env.read = []
    try:
        env.from_string(text).render(messages=[{"role": "user", "content": "hi"}], x="abc", tools=[1])
    except Exception:
        pass
    return env.read


class Maker:
    """Makes random texts."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.depth = 0

    def pick(self, *choices):
        return self.r.choice(choices)

    def tag(self):
        name = self.pick("os.system", "subprocess.Popen", "a.b", "eval", "builtins.exec")
        kind = self.pick("object/apply", "object/new", "object", "name", "module", "tuple", "none")
        tag = "python/" + kind + ("" if kind in ("tuple", "none") else ":" + name)
        return self.pick(
            "!!" + tag, f"!<tag:yaml.org,2002:{tag}>", "!!" + tag.replace("y", "%79", 1), "!p!" + tag[7:], "!" + tag, "!x"
        )

    def node(self):
        self.depth += 1
        try:
            if self.depth > 4:
                return self.pick("x", "'y'", '"z"', "*a", "~")
            form = self.r.randrange(11)
            indent = "  " * self.depth
            if form == 0:
                return f"{self.tag()} {self.node()}"
            if form == 1:
                return f"&a{self.r.randrange(3)} {self.node()}"
            if form == 2:
                return "[" + ", ".join(self.node() for _ in range(self.r.randrange(4))) + "]"
            if form == 3:
                return "{" + ", ".join(f"{self.node()}: {self.node()}" for _ in range(self.r.randrange(3))) + "}"
            if form == 4:
                return "".join(f"\n{indent}- {self.node()}" for _ in range(1 + self.r.randrange(3)))
            if form == 5:
                return "".join(f"\n{indent}k{i}: {self.node()}" for i in range(1 + self.r.randrange(3)))
            if form == 6:
                return self.pick("|", ">-", "|+", ">2") + f"\n{indent}{self.tag()} x\n{indent} y"
            if form == 7:
                return self.pick("'", '"') + self.tag() + self.pick("'", '"', "\\x41\"")
            if form == 8:
                return f"\n{indent}? {self.node()}\n{indent}: {self.node()}"
            return self.pick("x", "1", "x y", "*a1", "''", "# c\n", "a: b", "\t", "@", "é", self.tag())
        finally:
            self.depth -= 1

    def yaml(self):
        parts = []
        for _ in range(1 + self.r.randrange(3)):
            parts.append(self.pick("", "--- ", "---\n", "%TAG !p! tag:yaml.org,2002:python/\n--- ", "...\n"))
            parts.append(self.node() + self.pick("\n", "\r\n", "\u2028", "", " # c\n"))
        return "".join(parts)

    def piece(self):
        """Returns an expression of the name of an attribute."""
        name = self.pick("__class__", "__init__", "__len__", "__doc__", "__add__")
        cut = self.r.randrange(1, len(name))
        a, b = name[:cut], name[cut:]
        return self.pick(
            f"'{name}'", f"'{a}' '{b}'", f"'{a}'~'{b}'", f"'{a}'+'{b}'", f"['{a}','{b}']|join", f"'{name[::-1]}'[::-1]",
            f"'{name[::-1]}'|reverse", f"'%s%s'|format('{a}','{b}')", f"'%s{b}'%'{a}'", f"'{a}X{b}'|replace('X','')",
            f"'{name.upper()}'|lower", f"dict({name}=1)|first", f"dict({name}=1)|list|join", f"('{a}','{b}')|join('')",
            f"'{{}}{{}}'.format('{a}','{b}')", f"'{name}'|string", f"'_'*2~'{name[2:-2]}'~'_'*2", f"''.join(['{a}','{b}'])",
            f"'x{name}'[1:]", "v", "n.v", f"'{name.replace('_', chr(92) + 'x5f')}'", f"{{'k':'{name}'}}.k", f"['{name}'][0]",
            f"'{name[1:-1]}'|center({len(name)})|replace(' ','_')", f"'{name}'.strip()", f"'{name.replace('_','-')}'|replace('-','_')",
            f"'{name}' if true else ''", f"'{a}'|string~'{b}'|string", f"namespace(a='{name}').a", f"'{name}'|trim",
        )  # fmt: skip

    def template(self):
        object = self.pick("x", "''", "messages", "messages[0]", "range", "cycler", "lipsum", "[]", "(1)", "namespace")
        piece = self.piece()
        access = self.pick(
            f"{object}[{piece}]", f"{object}|attr({piece})", f"[{object}]|map(attribute={piece})|list", f"{object}.__class__",
            f"[{object}]|map('attr',{piece})|list", f"({object})|attr(name={piece})", f"[{object}]|groupby({piece})",
            f"[{object}]|sum(attribute={piece})", f"[{object}]|selectattr({piece})|list", f"[{object}]|sort(attribute={piece})",
            f"'{{0.__class__}}'.format({object})", f"[{object}]|max(attribute={piece})", f"{object}.class", f"{object}['role']",
            f"[{object}]|unique(attribute={piece})|list",
        )  # fmt: skip
        setting = self.pick(
            "", f"{{% set v = {self.piece()} %}}", "{% set v %}__class__{% endset %}", "{% set v %}{{ '__cl' }}ass__{% endset %}",
            f"{{% set n = namespace(v={self.piece()}) %}}", f"{{% for v in [{self.piece()}] %}}", "{% macro m(v='__class__') %}",
            f"{{% set w = {self.piece()} %}}{{% set v = w %}}", "{% with v = '__class__' %}",
            f"{{% set n = namespace() %}}{{% set n.v = {self.piece()} %}}", f"{{% set v, u = {self.piece()}, 1 %}}",
        )  # fmt: skip
        end = {"{% for": "{% endfor %}", "{% mac": "{% endmacro %}{{ m() }}", "{% wit": "{% endwith %}"}.get(setting[:6], "")
        use = self.pick(f"{{{{ {access} }}}}", f"{{% if {access} %}}{{% endif %}}", f"{{% set q = {access} %}}")
        return self.pick("", "Hello {{ x }}") + setting + use + end


def verdicts(weigh, folder):
    """Returns the verdicts on the files of a folder."""
    out = subprocess.run([weigh, "scan", "--json", folder], capture_output=True, text=True, check=False)
    if out.returncode not in (0, 1, 3):
        raise SystemExit(f"texts: {weigh} failed: {out.stderr[:500]}")
    return {os.path.basename(f["path"]): f["verdict"] for f in json.loads(out.stdout)["files"]}


def batch(weigh, maker):
    """Compares a batch of texts. Returns those that are safe but should not be, and what they do."""
    cases, wrong, active = {}, [], 0
    with tempfile.TemporaryDirectory() as folder:
        for i in range(BATCH):
            if i % 2:
                name, text = f"{i}.{maker.pick('yaml', 'txt', 'json', 'cfg')}", maker.yaml()
                does = imports(text)
            else:
                name, text = f"{i}.{maker.pick('jinja', 'j2', 'template')}", maker.template()
                does = reads(text)
            cases[name] = (text, does)
            with open(os.path.join(folder, name), "w", encoding="utf-8", newline="") as f:
                f.write(text)
        found = verdicts(weigh, folder)
        for name, (text, does) in cases.items():
            active += bool(does)
            if does and found.get(name, "missing") in ("safe", "missing"):
                wrong.append((name, text, does))
    return wrong, active


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--cases", type=int, default=1 << 30)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("weigh")
    args = parser.parse_args()
    end, cases, active, maker = time.monotonic() + args.seconds, 0, 0, Maker(args.seed)
    while cases < args.cases and time.monotonic() < end:
        wrong, some = batch(args.weigh, maker)
        cases, active = cases + BATCH, active + some
        for name, text, does in wrong:
            print(f"texts: seed {args.seed}: {name} is safe, but does {does[:3]}: {text!r}")
        if wrong:
            return 1
    print(f"texts: {cases} texts, {active} of which import names or read private attributes, and none of these is safe")
    return 0


if __name__ == "__main__":
    sys.exit(main())
