#!/usr/bin/env python3
"""Runs programs alternately, compares their times, and prints rows of a Markdown table.

    pair.py ROW ROUNDS PER -- OURS COMMAND... [-- PEER COMMAND...]...

Every command prints a line of JSON with "ns". PER is the field of that line to divide by ("tensors"), or "file" for
microseconds, "run" for milliseconds, or "rate" for "bytes" per nanosecond, which are GB/s. In each round every command
runs once, in alternating order, so that disturbances affect all of them. Ratios (peer / ours) are computed within a
round. The rows have medians, and the minimum and maximum ratio.
"""

import itertools
import json
import statistics
import subprocess
import sys


def main():
    row, rounds, per = sys.argv[1:4]
    contenders = [(group[0], group[1:]) for group in split(sys.argv[5:])]
    times = {name: [] for name, _ in contenders}
    for turn in range(int(rounds)):
        for name, command in contenders[:: 1 if turn % 2 == 0 else -1]:
            times[name].append(measure(command, per))
    (ours, mine), *peers = times.items()
    for peer, theirs in peers:
        ratios = [their / our for their, our in zip(theirs, mine, strict=True)]
        print(
            f"| {row} | {ours} {shown(mine, per)} | {peer} {shown(theirs, per)} "
            f"| {statistics.median(ratios):.2f}x ({min(ratios):.2f}-{max(ratios):.2f}) |",
            flush=True,
        )


# Units that PER can name, in nanoseconds. Other values of PER are fields.
UNITS = {"file": ("us", 1e3), "run": ("ms", 1e6)}


def shown(times, per):
    """The median of the times: nanoseconds, or nanoseconds per byte for a rate."""
    if per == "rate":
        return f"{1 / statistics.median(times):.2f} GB/s"
    unit, scale = UNITS.get(per, ("ns", 1))
    return f"{statistics.median(times) / scale:,.1f} {unit}"


def split(words):
    """Yields the groups of words between "--"."""
    for is_mark, group in itertools.groupby(words, key=lambda word: word == "--"):
        if not is_mark:
            yield list(group)


def measure(command, per):
    said = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    if per in UNITS:
        return said["ns"]
    return said["ns"] / said["bytes" if per == "rate" else per]


if __name__ == "__main__":
    main()
