"""Writes configurations as Python writes and reads them: YAML with PyYAML, and a Keras model's JSON in each encoding.

Beside the YAML files stands tags.txt: the tags that PyYAML's own composer finds in each. Run with PyYAML 6.0.3.
"""

import collections
import fractions
import io
import json
import os
import zipfile

import yaml

os.chdir(os.path.dirname(os.path.abspath(__file__)))

DUMPED = {
    "plain": {"lr": 0.1, "names": ["a", "b"], "note": "not !!python/name:os.system"},
    "tuple": {"imgsz": (640, 640)},
    "name": {"loss": os.path.join},
    "module": {"backend": os},
    "apply": {"kinds": collections.OrderedDict(a=1)},
    "object": {"half": fractions.Fraction(1, 2)},
}

# What nobody's dumper writes, and every loader reads.
WRITTEN = {
    "verbatim": "a: !<tag:yaml.org,2002:python/object/apply:os.system> [ls]\n",
    "handle": "%TAG !p! tag:yaml.org,2002:python/\n---\na: !p!object/new:subprocess.Popen [ls]\n",
    "local": "%TAG ! tag:yaml.org,2002:pyth\n---\n- !on/name:os.system ''\n",
    "escaped": "a: !!%70ython/object/apply:os.system [ls]\n",
    "flow": "{a: [1,!!python/object/apply:os.system [ls]]}\n",
    "key": "? !!python/name:os.system ''\n: 1\n",
    "anchor": "a: &x !!python/module:os ''\n",
    "second": "%TAG !! tag:example.org,2000:\n---\na: !!str b\n---\na: !!python/module:os ''\n",
    "separator": "a: 1\u2028b: !!python/module:os ''\n",
}


def tags(text):
    found = set()
    for node in yaml.compose_all(text):
        todo = [node]
        while todo:
            n = todo.pop()
            found.add(n.tag)
            if isinstance(n, yaml.MappingNode):
                todo += [x for pair in n.value for x in pair]
            elif isinstance(n, yaml.SequenceNode):
                todo += n.value
    prefix = "tag:yaml.org,2002:python/"
    return sorted(t[len(prefix):] for t in found if t.startswith(prefix))


texts = {name: yaml.dump(value) for name, value in DUMPED.items()} | WRITTEN
with open("tags.txt", "w") as listing:
    for name, text in texts.items():
        with open(f"{name}.yaml", "w", newline="") as f:
            f.write(text)
        listing.write(" ".join([f"{name}.yaml", *tags(text)]) + "\n")
    with open("utf16.yaml", "wb") as f:
        f.write(texts["apply"].encode("utf-16"))
    listing.write(" ".join(["utf16.yaml", *tags(texts["apply"].encode("utf-16"))]) + "\n")

CONFIG = {"module": "keras", "class_name": "Sequential", "config": {"name": "\U0001d11e", "layers": [{"module": "keras.layers", "class_name": "Lambda"}]}}
for encoding in ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]:
    data = json.dumps(CONFIG, ensure_ascii=False).encode(encoding)
    assert json.loads(data) == CONFIG
    box = io.BytesIO()
    with zipfile.ZipFile(box, "w") as z:
        for name, content in [("config.json", data), ("metadata.json", b"{}")]:
            z.writestr(zipfile.ZipInfo(name), content)
    with open(f"{encoding}.keras", "wb") as f:
        f.write(box.getvalue())
