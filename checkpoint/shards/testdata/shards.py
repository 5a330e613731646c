"""Makes the table that the Writer's shards are tested against.

    python3 -m venv venv && venv/bin/pip install huggingface_hub==2.4.0
    venv/bin/python shards.py > shards.json

Its cases are what huggingface_hub makes of tensors of given sizes, in bytes, and
a limit: which tensors, by their number in the list, each shard has. The names are
those of the first and the last shard of sets that are large, and the index is
that of the first case, as transformers writes it, with its own serialization.
"""

import json
import random

from huggingface_hub import split_state_dict_into_shards_factory


def split(sizes, limit):
    return split_state_dict_into_shards_factory(
        {f"t{i}": size for i, size in enumerate(sizes)},
        get_storage_size=lambda size: size,
        filename_pattern="model{suffix}.safetensors",
        max_shard_size=limit,
    )


def case(sizes, limit):
    shards = split(sizes, limit).filename_to_tensors.values()
    numbers = [[int(name[1:]) for name in shard] for shard in shards]
    return {"limit": limit, "sizes": sizes, "shards": numbers}


def cases():
    yield case([6, 10, 30, 2, 2], 10)
    yield case([6, 6, 2, 6, 2, 2], 10)  # the example of the documentation
    yield case([0, 10, 0, 11, 0, 0, 10], 10)
    yield case([5 * 10**9, 1, 5 * 10**9 - 1, 1, 5 * 10**9 + 1], 5 * 10**9)
    rng = random.Random(0)
    for _ in range(40):
        limit = rng.choice([1, 7, 10, 64])
        most = rng.choice([2, limit, 2 * limit])
        yield case([rng.randint(0, most) for _ in range(rng.randint(1, 16))], limit)


def names(n):
    files = list(split([1] * n, 1).filename_to_tensors)
    return {"shards": n, "first": files[0], "last": files[-1]}


def index():
    result = split([6, 10, 30, 2, 2], 10)
    index = {"metadata": result.metadata, "weight_map": result.tensor_to_filename}
    return json.dumps(index, indent=2, sort_keys=True) + "\n"


print('{"cases": [')
print(",\n".join(json.dumps(c) for c in cases()))
print('],\n"names": [')
print(",\n".join(json.dumps(names(n)) for n in (1, 2, 99_999, 100_000)))
print('],\n"index": ' + json.dumps(index()) + "}")
