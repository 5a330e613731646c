#!/usr/bin/env python3
"""Measures what does not depend on the clock, once per program, and prints rows of a Markdown table.

    count.py memory NAME COMMAND...          bytes and allocations, as counted by the program
    count.py instructions NAME COMMAND...    instructions, by valgrind; COMMAND ends in the number of iterations
    count.py check NAME COMMAND...           time, bytes and allocations of validating a set, per tensor

Each prints one row. The program reports the number of tensors.
"""

import json
import os
import re
import subprocess
import sys

# Valgrind does not support all instructions, and garbage collection and threads would make the count vary.
STEADY = {"GODEBUG": "cpu.aes=off,asyncpreemptoff=1", "GOGC": "off", "GOMAXPROCS": "1"}


def main():
    verb, name, *command = sys.argv[1:]
    print({"memory": memory, "instructions": instructions, "check": check}[verb](name, command), flush=True)


def memory(name, command):
    """The memory for a header: the total, and per tensor in addition to the header's own bytes."""
    said = run(command)
    tensors, header, size = said["tensors"], said["header"], said["bytes"]
    return (
        f"| {tensors:,} | {name} | {size:,} | {size / header:.2f} | {(size - 1.1 * header) / tensors:,.1f} "
        f"| {said['kept'] / tensors:,.1f} | {said['allocs']:,} |"
    )


def check(name, command):
    """The cost of validating a set, in total and per tensor."""
    said = run(command)
    tensors = said["tensors"]
    return (
        f"| {tensors:,} tensors | {int(name):,} | {said['ns'] / 1e6:,.1f} | {said['ns'] / tensors:,.0f} "
        f"| {said['bytes'] / tensors:,.0f} | {said['allocs'] / tensors:,.3f} |"
    )


def instructions(name, command):
    """Instructions per tensor: the difference of two runs, which cancels start and warm-up."""
    *command, iterations = command
    less, more = (callgrind([*command, str(n)]) for n in (1, 1 + int(iterations)))
    tensors = run([*command, "1"])["tensors"]
    return f"| {tensors:,} | {name} | {(more - less) / int(iterations) / tensors:,.0f} |"


def callgrind(command):
    """Returns the number of instructions that a command executes."""
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
