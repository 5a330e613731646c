"""Compact descriptions of repositories, as internal/specimen reads them."""

import json
import re



def cover(tuples):
    """Returns products of lists of numbers, which together are the tuples."""
    if not tuples or not next(iter(tuples)):
        return [[]] if tuples else []
    rests = {}
    for t in sorted(tuples):
        rests.setdefault(t[0], set()).add(t[1:])
    groups = {}
    for first, rest in rests.items():
        groups.setdefault(frozenset(rest), []).append(first)
    return [[firsts, *product] for rest, firsts in groups.items() for product in cover(rest)]


def ranges(numbers):
    """Returns numbers in braces, with ranges."""
    if len(numbers) == 1:
        return str(numbers[0])
    parts, begin = [], numbers[0]
    for a, b in zip(numbers, numbers[1:] + [None]):
        if b != a + 1:
            parts.append(str(begin) if begin == a else f"{begin}-{a}")
            begin = b
    return "{" + ",".join(parts) + "}"


def lines(tensors):
    """Returns one line for tensors of one dtype and shape whose names differ in numbers and in one word."""
    groups = {}
    for name, dtype, shape in tensors:
        words = re.split("([._])", name)
        numbers = tuple(int(w) for w in words if is_number(w))
        template = tuple(None if is_number(w) else w for w in words)
        groups.setdefault((dtype, tuple(shape), template), set()).add(numbers)
    out = {}
    for (dtype, shape, template), tuples in groups.items():
        for product in cover(tuples):
            at = iter(product)
            words = tuple(ranges(next(at)) if w is None else w for w in template)
            out.setdefault((dtype, shape, len(words)), []).append(words)
    for (dtype, shape, _), all_words in out.items():
        for words in merge(all_words):
            yield f"{dtype} {'x'.join(map(str, shape)) or '-'} {''.join(words)}"


def is_number(word):
    return word.isdigit() and word == str(int(word))


def merge(names):
    """Merges names that differ in one word."""
    for at in range(len(names[0]) - 1, -1, -1):
        merged = {}
        for words in names:
            plain = not re.fullmatch(r"\d+|.*[{].*", words[at])
            key = (words[:at], words[at + 1:], None if plain else words[at])
            merged.setdefault(key, []).append(words[at])
        names = [(*before, found[0] if len(found) == 1 else "{" + ",".join(found) + "}", *after)
                 for (before, after, _), found in merged.items()]
    return names


class Tensors(list):
    """Tensors of which some are named parts: (part, prefix of the names, dtype or None)."""

    def __init__(self, tensors, parts=None):
        super().__init__(tensors)
        self.parts = parts if parts is not None else [list(tensors)]

    def __add__(self, other):
        return Tensors([*self, *other], self.parts + (other.parts if isinstance(other, Tensors) else [list(other)]))

    def __radd__(self, other):
        return Tensors(other) + self


PARTS = {}


def named(part, tensors):
    """Returns tensors that descriptions refer to by the name of a part."""
    plain = [(n, d, s) for n, d, s in tensors]
    PARTS.setdefault(part, "\n".join(lines(plain)) + "\n")
    return Tensors(plain, [(part, "", None)])


def under(prefix, tensors, dtype=None):
    """Returns tensors with names that begin with prefix, and possibly of another dtype."""
    changed = [(prefix + n, dtype if dtype and d[0] in "FB" else d, s) for n, d, s in tensors]
    parts = getattr(tensors, "parts", None)
    if parts and isinstance(parts[0], tuple) and len(parts) == 1:
        return Tensors(changed, [(parts[0][0], prefix + parts[0][1], dtype or parts[0][2])])
    return Tensors(changed)


class Specimen:
    """A repository under construction."""

    def __init__(self, name, **facts):
        self.name, self.facts, self.files = name, facts, []

    def text(self, name, text):
        self.files.append((name, text if text.endswith("\n") else text + "\n"))
        return self

    def json(self, name, value):
        return self.text(name, json.dumps(value, separators=(",", ":"), ensure_ascii=False))

    def weights(self, name, tensors, **options):
        options = "".join(f" {k}={v}" for k, v in options.items())
        out = []
        for part in getattr(tensors, "parts", [tensors]):
            out += [f"@{part[0]} {part[2] or '-'} {part[1]}".strip()] if isinstance(part, tuple) else lines(part)
        return self.text(f"{name} | weights{options}", "\n".join(out))

    def link(self, name, to):
        return self.text(f"{name} | link {to}", "")

    def render(self):
        head = "".join(f"{k}: {v}\n" for k, v in self.facts.items() if v)
        return head + "".join(f"-- {n} --\n{t if t != chr(10) else ''}" for n, t in self.files)
