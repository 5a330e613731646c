#!/usr/bin/env python3
"""Measures the time of a program from start to end.

    wall.py [--remove PATH]... [--reads PATH] COMMAND...    print {"ns": wall time}

First the paths are removed and pending writes are flushed, so the program starts with an idle disk and creates its files.
Its output is discarded. "bytes" is the size of the file that it reads.
"""

import argparse
import json
import os
import shutil
import subprocess
import time


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--remove", action="append", default=[])
    parser.add_argument("--reads")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    for path in args.remove:
        remove(path)
    os.sync()
    start = time.perf_counter_ns()
    subprocess.run(args.command, check=True, stdout=subprocess.DEVNULL)
    said = {"ns": time.perf_counter_ns() - start}
    if args.reads:
        said["bytes"] = os.path.getsize(args.reads)
    print(json.dumps(said))


def remove(path):
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.remove(path)


if __name__ == "__main__":
    main()
