"""Compares the cache that `weigh get --to-cache` writes with that of huggingface_hub.

    hubcache.py --weigh PROGRAM --work FOLDER [--seconds N] [--seed N]

Serves a repository as the Hub does, lets both programs download it, each on its own and both at once, and asks
huggingface_hub about the result.
"""

import argparse
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"
LARGE = 10_000
failed = []


def check(ok, what):
    """Reports a fact that does not hold."""
    if not ok:
        failed.append(what)
        print("FAILED:", what)


def git_id(text):
    return hashlib.sha1(b"blob %d\0" % len(text) + text).hexdigest()


def safetensors(names, size):
    header = {n: {"dtype": "U8", "shape": [size], "data_offsets": [i * size, (i + 1) * size]} for i, n in enumerate(names)}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + random.Random(repr(names)).randbytes(size * len(names))


def repository():
    """Returns the files of a model in three shards, by path."""
    shards = {f"model-0000{i}-of-00003.safetensors": safetensors([f"t{i}"], 300_000) for i in (1, 2, 3)}
    index = {"metadata": {"total_size": 900_000},
             "weight_map": {f"t{i}": f"model-0000{i}-of-00003.safetensors" for i in (1, 2, 3)}}
    return shards | {
        "model.safetensors.index.json": json.dumps(index).encode(),
        "config.json": b'{"model_type": "llama"}', "tokenizer.json": b"{}" + b" " * 50_000,
        "sub/folder/notes.txt": b"notes\n", "empty.txt": b"", ".gitattributes": b"*.safetensors filter=lfs\n",
    }


class Hub(BaseHTTPRequestHandler):
    """The endpoints of the Hub that both programs use. Large files are at another path, as at another server."""

    protocol_version = "HTTP/1.1"
    files = {}

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.do_GET()

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_GET(self):
        path = unquote(urlsplit(self.path).path)
        if path.startswith("/api/models/org/name/tree/"):
            tree = []
            for name, text in self.files.items():
                entry = {"type": "file", "path": name, "size": len(text), "oid": git_id(text)}
                if len(text) >= LARGE:
                    entry["lfs"] = {"oid": hashlib.sha256(text).hexdigest(), "size": len(text), "pointerSize": 130}
                tree.append(entry)
            return self.answer(200, json.dumps(tree).encode())
        if path.startswith("/api/models/org/name"):
            return self.answer(200, json.dumps({"id": "org/name", "sha": COMMIT, "private": False, "siblings": []}).encode())
        if path.startswith("/lfs/"):
            return self.range(self.files[path[len("/lfs/"):]], [("ETag", '"x"')])
        found = re.fullmatch("/org/name/resolve/(main|" + COMMIT + ")/(.*)", path)
        headers = [("X-Repo-Commit", COMMIT)]
        if not found or found[2] not in self.files:
            return self.answer(404, b"", headers + [("X-Error-Code", "EntryNotFound"), ("X-Error-Message", "Entry not found")])
        text = self.files[found[2]]
        if len(text) < LARGE:
            return self.range(text, headers + [("ETag", f'"{git_id(text)}"')])
        headers += [("X-Linked-Etag", f'"{hashlib.sha256(text).hexdigest()}"'), ("X-Linked-Size", str(len(text)))]
        host = f"http://localhost:{self.server.server_port}"
        self.answer(302, b"", headers + [("Location", host + "/lfs/" + found[2])])

    def range(self, text, headers):
        found = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if not found or not text:
            return self.answer(200, text, headers + [("Accept-Ranges", "bytes")])
        begin, end = int(found[1]), min(int(found[2] or len(text)), len(text) - 1)
        if begin >= len(text):
            return self.answer(416, b"", headers + [("Content-Range", f"bytes */{len(text)}")])
        self.answer(206, text[begin:end + 1], headers + [("Content-Range", f"bytes {begin}-{end}/{len(text)}")])


DOWNLOAD = "import huggingface_hub as h; print(h.snapshot_download('org/name', local_files_only={}))"


def contents(cache):
    """Returns what a cache has, by path: texts, the targets of links, and "" for locks."""
    found = {}
    for path in sorted(cache.rglob("*")):
        name = path.relative_to(cache).as_posix()
        if path.is_symlink():
            found[name] = os.readlink(path)
        elif path.is_file():
            found[name] = "" if ".locks" in path.parts else path.read_bytes()
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weigh", required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--seed")
    args = parser.parse_args()
    random.seed(args.seed)
    deadline = time.monotonic() + args.seconds
    Hub.files = repository()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    shutil.rmtree(args.work, ignore_errors=True)

    def start(cache, *command):
        env = os.environ | {"HF_ENDPOINT": f"http://127.0.0.1:{server.server_port}", "HF_HUB_CACHE": str(cache),
                            "HF_HOME": str(args.work / "home"), "HF_HUB_DISABLE_XET": "1", "WEIGH_CACHE": "off",
                            "HF_HUB_DISABLE_PROGRESS_BARS": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
        for name in ("HF_TOKEN", "HF_HUB_OFFLINE"):
            env.pop(name, None)
        return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def end(process, what):
        out, err = process.communicate(timeout=120)
        check(process.returncode == 0, f"{what}: exit code {process.returncode}: {err[-500:]}")
        return out

    def weigh(cache, *more):
        return start(cache, args.weigh, *(more or ("get", "--to-cache", "hf://org/name")))

    def theirs(cache, local=False):
        return start(cache, sys.executable, "-c", DOWNLOAD.format(local))

    # Each alone.
    ours, other = args.work / "ours", args.work / "theirs"
    end(weigh(ours), "weigh")
    end(theirs(other), "huggingface_hub")
    a, b = contents(ours), contents(other)
    trees = f"models--org--name/trees/{COMMIT}.json"
    absent = {n for n in a if "/.no_exist/" in n}
    check(absent and not any(n in Hub.files for n in (p.rsplit("/", 1)[1] for p in absent)), f".no_exist has {absent}")
    check(json.loads(a.get(trees, b"{}")) == json.loads(b.get(trees, b"{}")), "the listings differ")
    for name in sorted(a.keys() | b.keys() - absent):
        if name not in absent and name != trees and name != "CACHEDIR.TAG":
            check(a.get(name) == b.get(name), f"{name}: {str(a.get(name))[:80]} and {str(b.get(name))[:80]}")
    folder = end(theirs(ours, local=True), "snapshot_download(local_files_only=True)").strip()
    check(Path(folder) == (ours / "models--org--name/snapshots" / COMMIT).resolve(), f"it found {folder}")
    for name, text in Hub.files.items():
        check((Path(folder) / name).read_bytes() == text, f"{name} has other bytes")

    import huggingface_hub as hub

    report = hub.scan_cache_dir(ours)
    check(not report.warnings and len(report.repos) == 1, f"scan_cache_dir: {report.warnings}")
    check(report.size_on_disk == sum({text: len(text) for text in Hub.files.values()}.values()), "scan_cache_dir has another size")
    check(hub.try_to_load_from_cache("org/name", "vocab.json", ours) is hub._CACHED_NO_EXIST, "vocab.json may exist")
    check(isinstance(hub.try_to_load_from_cache("org/name", "config.json", ours), str), "config.json is not found")

    # Each reads what the other wrote, without a network.
    end(weigh(other, "check", "--offline", "hf://org/name"), "weigh check --offline")
    shutil.rmtree(other / "models--org--name/snapshots" / COMMIT / "sub")
    process = weigh(other, "info", "--offline", "hf://org/name")
    check("partial" in process.communicate()[1], "weigh did not say that the cache is partial")

    # weigh waits for the lock of the other.
    from filelock import FileLock

    locked = args.work / "locked"
    blob = hashlib.sha256(Hub.files["model-00002-of-00003.safetensors"]).hexdigest()
    lock = locked / ".locks/models--org--name" / f"{blob}.lock"
    lock.parent.mkdir(parents=True)
    with FileLock(lock):
        process = weigh(locked)
        line = process.stderr.readline()
        check("another process is downloading" in line and process.poll() is None, f"weigh did not wait: {line}")
    end(process, "weigh after waiting")

    # Both at once.
    rounds = 0
    while rounds < 20 and time.monotonic() < deadline and not failed:
        both = args.work / f"both{rounds}"
        first, second = random.sample([weigh, theirs, weigh], 2)
        running = [first(both), second(both)]
        for process in running:
            end(process, "both at once")
        c = contents(both)
        check(json.loads(c.get(trees, b"{}")) == json.loads(b[trees]), f"{both}: another listing")
        for name in b.keys() - {trees, "CACHEDIR.TAG"}:
            check(c.get(name) == b[name], f"{both}: {name} differs")
        for name in Hub.files:
            check((both / "models--org--name/snapshots" / COMMIT / name).read_bytes() == Hub.files[name], f"{both}: {name}")
        left = [n for n in c if "part-" in n or "incomplete" in n or n.endswith(".tmp")]
        check(not left, f"{both}: {left} are left")
        rounds += 1
    print(f"hubcache: {len(b)} entries of two caches, {rounds} downloads by both at once, {len(failed)} failed")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
