#!/usr/bin/env python3
"""A Hub with one repository of small shards, org/repo, and latency on every connection and request.

    hub.py PORT SHARDS SIZE MILLISECONDS

PORT has the API and the redirects, and PORT + 1 the bytes.
"""

import asyncio
import hashlib
import json
import random
import re
import struct
import sys

port, shards, size, latency = *map(int, sys.argv[1:4]), int(sys.argv[4]) / 1000
commit = "c" * 40


def make():
    files, where = {}, {}
    for i in range(shards):
        header = json.dumps({f"t{i}": {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}}).encode()
        header += b" " * (-len(header) % 8)
        name = f"model-{i + 1:05}-of-{shards:05}.safetensors"
        files[name] = struct.pack("<Q", len(header)) + header + random.Random(i).randbytes(size)
        where[f"t{i}"] = name
    index = {"metadata": {"total_size": shards * size}, "weight_map": where}
    files["model.safetensors.index.json"] = json.dumps(index).encode()
    return files


files = make()
digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
by_digest = {digest: files[name] for name, digest in digests.items()}


def entry(name):
    return {"type": "file", "path": name, "oid": digests[name][:40], "size": len(files[name]),
            "lfs": {"oid": digests[name], "size": len(files[name]), "pointerSize": 135}}


def answer(path, wanted):
    """Returns the status, headers and body for a path."""
    if path.startswith("/api/models/org/repo/tree/"):
        return 200, {}, json.dumps([entry(name) for name in sorted(files)]).encode()
    if path.startswith("/api/models/org/repo"):
        siblings = [{"rfilename": name} for name in files]
        return 200, {}, json.dumps({"id": "org/repo", "sha": commit, "siblings": siblings}).encode()
    if path.startswith("/org/repo/resolve/"):
        name = path.split("?")[0].split("/")[-1]
        if name not in files:
            return 404, {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": commit}, b""
        return 302, {"X-Repo-Commit": commit, "X-Linked-Size": len(files[name]), "X-Linked-Etag": f'"{digests[name]}"',
                     "ETag": f'"{digests[name]}"', "Location": f"http://localhost:{port + 1}/cdn/{digests[name]}"}, b""
    content = by_digest[path.split("/")[-1]]
    tag = {"ETag": '"' + path.split("/")[-1] + '"', "Accept-Ranges": "bytes"}
    if m := re.fullmatch(r"bytes=(\d+)-(\d*)", wanted):
        begin, end = int(m[1]), min(int(m[2] or len(content)) + 1, len(content))
        return 206, {**tag, "Content-Range": f"bytes {begin}-{end - 1}/{len(content)}"}, content[begin:end]
    return 200, tag, content


async def serve(reader, writer):
    await asyncio.sleep(latency)  # of the handshake
    try:
        while head := (await reader.readuntil(b"\r\n\r\n")).decode("latin-1"):
            method, path, _ = head.split(" ", 2)
            wanted = re.search(r"(?mi)^range: *(\S*)", head)
            status, headers, body = answer(path, wanted[1] if wanted else "")
            headers["Content-Length"] = len(body)
            await asyncio.sleep(latency)
            text = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
            writer.write(f"HTTP/1.1 {status} X\r\n{text}\r\n".encode() + (b"" if method == "HEAD" else body))
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main():
    await asyncio.start_server(serve, "localhost", port + 1)
    async with await asyncio.start_server(serve, "127.0.0.1", port) as server:
        await server.serve_forever()


asyncio.run(main())
