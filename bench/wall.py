#!/usr/bin/env python3
"""Times another program, from its start to its end.

    wall.py [--remove PATH]... [--reads PATH] COMMAND...    print {"ns": wall time}

Before, the paths are removed, and what is not yet on the disk is written there: so the program begins with the disk at
rest, and makes its files anew. What it prints is thrown away. Of a file that it reads, "bytes" says how large it is.
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
