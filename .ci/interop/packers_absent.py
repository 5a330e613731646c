"""Replaces packages that packers import, but do not need for packing."""

import importlib.abc
import importlib.machinery
import sys
import types

# Packages that packers import, but do not need for packing. Those that are absent are replaced.
UNNEEDED = """datasets diffusers evaluate nltk omegaconf onnx onnxruntime onnxruntime_extensions onnxscript onnxslim
pandas peft plotly pulp rich scipy sentence_transformers zstandard""".split()


class Absent(types.ModuleType):
    __path__, __version__ = [], "99.0"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {"__init__": lambda *a, **k: None, "__getattr__": lambda *a: Absent(name)})


class Replacement(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds packages that no other finder has."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in UNNEEDED:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return Absent(spec.name)

    def exec_module(self, module):
        pass


def install():
    """Replaces the packages that are absent."""
    sys.meta_path.append(Replacement())
