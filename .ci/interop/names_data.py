"""Writes the tables of architectures of model/names from what names_collect.py found.

    python names_data.py NEW.json [OLD.json] > model/names/data/LIBRARY.txt

OLD is what an older version of the same library has. A tensor that only one of them has is needed by some models only.
"""

import collections
import json
import re
import sys

WIDTH = 118

# Architectures that others are like.
ROOTS = ["llama", "bert", "t5", "bart", "FluxTransformer2DModel", "UNet2DConditionModel"]


def tree(names):
    """Returns names as a tree of their elements."""
    root = {}
    for name in names:
        at = root
        for word in name.split("."):
            at = at.setdefault(word, {})
    return root


def render(at):
    """Returns texts, whose alternatives in braces, together, are the names of a tree."""
    same = collections.defaultdict(list)
    for word, below in at.items():
        same[tuple(sorted(render(below))) if below else ()].append(word)
    texts = []
    for below, words in same.items():
        begin = braces(sorted(words))
        texts += [begin + "." + braces(list(below))] if below else [begin]
    return sorted(texts)


def braces(texts):
    """Returns one text for several, with what all end with behind the braces."""
    if len(texts) == 1:
        return texts[0]
    end = ""
    while all("_" in t and "{" not in t for t in texts) and len({t.rsplit("_", 1)[1] for t in texts}) == 1:
        end = "_" + texts[0].rsplit("_", 1)[1] + end
        texts = [t.rsplit("_", 1)[0] for t in texts]
    return "{" + ",".join(texts) + "}" + end


def texts(names):
    """Returns short texts that stand for all names."""
    ends, stems = collections.defaultdict(set), collections.defaultdict(list)
    for name in names:
        stem, _, end = name.rpartition(".")
        ends[stem].add(end)
    for stem, end in ends.items():
        stems[tuple(sorted(end))].append(stem)
    for end, group in sorted(stems.items()):
        end = braces(list(end))
        if "" in group:
            group.remove("")
            yield end
        yield from wide(tree(group), "", "." + end) if group else ()


def wide(at, before, after):
    """Yields texts of at most WIDTH columns for a tree, if that can be done."""
    found = render(at)
    whole = before + braces(found) + after
    if len(whole) <= WIDTH or len(found) == 1 and len(at) > 1:
        yield whole
        return
    if len(at) == 1:
        word, below = next(iter(at.items()))
        if not below:
            yield whole
            return
        yield from wide(below, before + word + ".", after)
        return
    for word in sorted(at):
        yield from wide({word: at[word]}, before, after)


def lines(kind, names):
    return [f"{kind} {text}" for text in texts(sorted(names))]


def united(new, old):
    """Returns the needs of a type by two versions."""
    if old is None:
        return dict(new["need"])
    need = {}
    for p in new["need"].keys() | old["need"].keys():
        a, b = new["need"].get(p), old["need"].get(p)
        need[p] = a if a == b or b == "some" and a else "some" if a is None or b is None else a
        if "tied" in (a, b) or "buffer" in (a, b):
            need[p] = "buffer" if "buffer" in (a, b) else "tied"
    return need


def prefix(entry):
    """Returns what the model without a head does not have before its names, or nothing."""
    need = set(entry["need"])
    for name, (base, have) in entry["classes"].items():
        before = base + "."
        body = {p.removeprefix(before) for p in need if p.startswith(before)}
        if len(body) > 3 and len(body & set(have)) > 0.8 * len(have) and not any(p.startswith(before) for p in have):
            return before
    return ""


def classes(entry, need, before):
    """Returns lines about classes: prefix, names, and what they have or lack."""
    groups = collections.defaultdict(list)
    found = dict(entry["classes"]) or {}
    found.setdefault(entry["class"], [before.removesuffix("."), [p for p in entry["need"]]])
    for name, (base, have) in found.items():
        have, best = set(have), None
        body = {p.removeprefix(before) for p in need if p.startswith(before)}
        for p in dict.fromkeys([before, "", base + ".", "model.", "transformer."]):
            n = len(have & {p + b for b in body})
            if best is None or n > best[0]:
                best = n, p
        mine = best[1]
        have = {before + p.removeprefix(mine) if p.startswith(mine) and p.removeprefix(mine) in body else p for p in have}
        lacks = {p for p in need if p not in have and need[p] in ("required", "tied")}
        if any(p in have or need[p] == "required" for p in lacks) is False and name == entry["class"]:
            lacks = set()
        adds = have - set(need)
        if need.keys() & have:
            lacks = {p for p in lacks if need[p] == "required" or not p.startswith(before) or before == ""}
            groups[mine, tuple(sorted(adds)), tuple(shortened(lacks, need))].append(name)
    return groups


def shortened(lacks, need):
    """Replaces names by what they begin with, if the class lacks all that begin so."""
    while True:
        for p in sorted(lacks):
            begin = p.split(".")[0] + ".*"
            if p != begin and "." in p and all(q in lacks for q in need if q.startswith(begin[:-1]) and
                                               need[q] in ("required", "tied")):
                lacks = {q for q in lacks if not q.startswith(begin[:-1])} | {begin}
                break
        else:
            return sorted(lacks)


def class_lines(groups):
    result = []
    for (mine, adds, lacks), names in groups.items():
        if len(adds) > 12:
            continue  # its names in the file are of another kind
        words = [f"+{t}" for t in texts(adds)] + [f"-{t}" for t in texts(lacks)]
        result.append(" ".join(["class", mine or "-", *sorted(names), *words]))
    return sorted(result)


class Arch:
    def __init__(self, kind, new, old, source):
        self.kind, self.source = kind, source + ", " + new["class"]
        self.need = united(new, old)
        self.prefix = prefix(new)
        self.ties = new["ties"]
        self.stem = stem(new)
        self.classes = class_lines(classes(new, self.need, self.prefix))
        self.roles = {}
        for role in "embedding", "head":
            names = new[role] if isinstance(new[role], list) else [new[role]]
            for name in names:
                full = [p for p in self.need if p == name or new["module"] != sorted(new["need"]) and
                        name and p.split(".")[-2:] == name.split(".")[-2:] and "{n}" not in p]
                if full:
                    self.roles[sorted(full, key=lambda p: (p != name, len(p)))[0]] = role
        last = [p for p in self.need if "{n}" not in p and self.need[p] == "required" and is_last_norm(p)]
        if last:
            self.roles[min(last, key=len)] = "norm"

    def text(self, parent=None):
        have = parent.need if parent else {}
        roles = parent.roles if parent else {}
        out = [f"arch {self.kind}" + (f" < {parent.kind}" if parent else ""), f"source {self.source}"]
        if self.prefix != (parent.prefix if parent else ""):
            out.append(f"prefix {self.prefix or '-'}")
        if self.ties != (parent.ties if parent else False):
            out.append("ties " + ("yes" if self.ties else "no"))
        if self.stem:
            out.append(f"stem {self.stem}")
        inherited = [re.sub(rf"(?<= ){parent.stem}(?=\w)", self.stem, c) for c in parent.classes] \
            if parent and parent.stem and self.stem else []
        if inherited and all(c in self.classes for c in inherited):
            out[-1] += " <"
            out += [c for c in self.classes if c not in inherited]
        else:
            out += self.classes
        gone = set(have) - set(self.need)
        out += lines("without", gone)
        for need in "required", "tied", "some", "buffer":
            out += lines(need, [p for p, n in self.need.items() if n == need and have.get(p) != n])
        for p, role in sorted(self.roles.items(), key=lambda x: (x[1], x[0])):
            if roles.get(p) != role or have.get(p) != self.need[p]:
                out.append(f"{role} {p}")
        return out


def is_last_norm(p):
    words = p.split(".")
    last = words[-2] if len(words) > 1 else ""
    return words[-1] == "weight" and bool(re.search(r"^(final_layernorm|final_layer_norm|norm|norm_f|ln_f|final_norm|layer_norm)$", last)) \
        and not re.search(r"visi|audio|encoder\.|project|embeddings", p)


def stem(entry):
    """Returns what the names of classes begin with, if all do."""
    names = [*entry["classes"], entry["class"]]
    common = names[0]
    for n in names:
        while not n.startswith(common):
            common = common[:-1]
    m = re.match(r"(.*?)(For[A-Z].*|Model|LMHeadModel)?$", common)
    return m[1] if len(m[1]) > 2 else ""


def size(text):
    return sum(len(x) + 1 for x in text)


def tree_of(archs):
    """Chooses for each architecture the one that it is most like, or none: a tree of short texts."""
    best = {a.kind: (size(a.text()), None) for a in archs}
    result = {}
    while best:
        known = [k for k in ROOTS if k in best]
        kind = known[0] if known else min(best, key=lambda k: (best[k][0] - size(by[k].text()), k) if best[k][1] else (0, k))
        chosen = by[kind]
        result[kind] = best.pop(kind)[1]
        for k in best:
            a = by[k]
            if len(set(a.need) ^ set(chosen.need)) < len(a.need):
                n = size(a.text(chosen))
                if n < best[k][0]:
                    best[k] = n, chosen
    return result


def main():
    global by
    new = json.load(open(sys.argv[1]))
    old = json.load(open(sys.argv[2])) if len(sys.argv) > 2 else {"types": {}, "version": ""}
    source = f"{new['library']} {new['version']}"
    archs = []
    for k, e in sorted(new["types"].items()):
        before = old["types"].get(k)
        before = before if before and before["class"] == e["class"] else None
        archs.append(Arch(k, e, before, source + (f" and {old['version']}" if before else "")))
    archs += [Arch(k, e, None, f"{old['library']} {old['version']}") for k, e in old["types"].items() if k not in new["types"]]
    by = {a.kind: a for a in archs}
    parents = tree_of(archs)
    print(f"# Generated by .ci/interop/names. Do not edit. docs/names.md describes the lines.")
    for kind in sorted(by):
        print()
        print("\n".join(by[kind].text(parents[kind])))


if __name__ == "__main__":
    main()
