#!/usr/bin/env python3
"""Runs programs by turns and compares their times: rows of a table in Markdown.

    pair.py ROW ROUNDS PER -- OURS COMMAND... [-- PEER COMMAND...]...

Every command prints a line of JSON with "ns". PER is the field of that line by which to divide ("tensors"), or "file".
In each round every command runs once, forwards and backwards by turns, so that what disturbs the machine
disturbs all of them. A ratio is taken within a round: peer / ours. Medians, then the least and the greatest ratio.
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
    unit = "ns" if per != "file" else "us"
    scale = 1 if per != "file" else 1000
    for peer, theirs in peers:
        ratios = [their / our for their, our in zip(theirs, mine, strict=True)]
        print(
            f"| {row} | {ours} {statistics.median(mine) / scale:,.1f} {unit} "
            f"| {peer} {statistics.median(theirs) / scale:,.1f} {unit} "
            f"| {statistics.median(ratios):.2f}x ({min(ratios):.2f}-{max(ratios):.2f}) |",
            flush=True,
        )


def split(words):
    """Yields the words between one "--" and the next."""
    for is_mark, group in itertools.groupby(words, key=lambda word: word == "--"):
        if not is_mark:
            yield list(group)


def measure(command, per):
    said = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return said["ns"] / (said[per] if per != "file" else 1)


if __name__ == "__main__":
    main()
