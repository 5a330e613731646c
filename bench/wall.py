#!/usr/bin/env python3
"""Measures the time of a program from start to end.

    wall.py [--remove PATH]... [--reads PATH] [--cpu] COMMAND...    print {"ns": wall time}

First the paths are removed and pending writes are flushed, so the program starts with an idle disk and creates its files.
Its output is discarded. "bytes" is the size of the file that it reads. With --cpu the time is that of the processor.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import time


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--remove", action="append", default=[])
    parser.add_argument("--reads")
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    for path in args.remove:
        remove(path)
    os.sync()
    start = time.perf_counter_ns()
    subprocess.run(args.command, check=True, stdout=subprocess.DEVNULL)
    said = {"ns": time.perf_counter_ns() - start}
    if args.cpu:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        said["ns"] = int((used.ru_utime + used.ru_stime) * 1e9)
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
