#!/usr/bin/env python3
"""Counts what does not depend on the clock, once per program: rows of a table in Markdown.

    count.py memory NAME COMMAND...          bytes and allocations, as the program itself counts them
    count.py instructions NAME COMMAND...    instructions by valgrind; COMMAND ends in the number of iterations
    count.py check NAME COMMAND...           time, bytes and allocations of judging a set, by its tensors

Each prints one row. The program says how many tensors there are.
"""

import json
import os
import re
import subprocess
import sys

# Valgrind does not know every instruction of the machine, the collector would run by the clock, and threads would mix.
STEADY = {"GODEBUG": "cpu.aes=off,asyncpreemptoff=1", "GOGC": "off", "GOMAXPROCS": "1"}


def main():
    verb, name, *command = sys.argv[1:]
    print({"memory": memory, "instructions": instructions, "check": check}[verb](name, command), flush=True)


def memory(name, command):
    """A header's memory: all of it, and what there is per tensor beside the header's own bytes."""
    said = run(command)
    tensors, header, size = said["tensors"], said["header"], said["bytes"]
    return (
        f"| {tensors:,} | {name} | {size:,} | {size / header:.2f} | {(size - 1.1 * header) / tensors:,.1f} "
        f"| {said['kept'] / tensors:,.1f} | {said['allocs']:,} |"
    )


def check(name, command):
    """A set, judged: what it takes in all, and for each tensor."""
    said = run(command)
    tensors = said["tensors"]
    return (
        f"| {tensors:,} tensors | {int(name):,} | {said['ns'] / 1e6:,.1f} | {said['ns'] / tensors:,.0f} "
        f"| {said['bytes'] / tensors:,.0f} | {said['allocs'] / tensors:,.3f} |"
    )


def instructions(name, command):
    """Instructions per tensor: the difference of two runs, so that starting and warming up cancel out."""
    *command, iterations = command
    less, more = (callgrind([*command, str(n)]) for n in (1, 1 + int(iterations)))
    tensors = run([*command, "1"])["tensors"]
    return f"| {tensors:,} | {name} | {(more - less) / int(iterations) / tensors:,.0f} |"


def callgrind(command):
    """Returns how many instructions a command executes."""
    tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command]
    done = subprocess.run(tool, env=os.environ | STEADY, capture_output=True, text=True)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not collected:
        sys.exit(f"count.py: {' '.join(tool)}: exit status {done.returncode}\n{done.stderr}")
    return int(collected[1])


def run(command):
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


if __name__ == "__main__":
    main()
