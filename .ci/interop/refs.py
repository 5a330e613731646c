"""Compares what store.Parse reads from URIs and links of the Hub with huggingface_hub's parse_hf_uri.

    refs.py --ours PROGRAM [--seed N] [--count N]

Generates URIs and links from parts that are usual and parts that are not, and asks both, without an endpoint and with
several in HF_ENDPOINT. What huggingface_hub reads, we must read as the same kind, repository, revision and path; what
it refuses, we must not take for a repository. The exceptions are in `ours_on_purpose`.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys

from huggingface_hub import parse_hf_uri
from huggingface_hub.errors import HfUriError

ENDPOINTS = ["", "https://hf-mirror.com", "http://localhost:8080/hf/", "https://hub.example/a/b"]

KINDS = [""] * 4 + ["models/", "datasets/", "spaces/", "kernels/", "buckets/", "model/", "dataset/", "bucket/", "Models/"]
REPOS = ["org/repo"] * 6 + [
    "Org-1/re_po.v2", "org", "org/", "/repo", "org/re--po", "org/re..po", "org/repo.git", "-org/repo", "org/.repo",
    "org/repo-", "org/re po", "org/" + "a" * 96, "org/" + "a" * 97, "models/repo", "org/datasets",
]
REVISIONS = [""] * 4 + [
    "@main", "@v1.0", "@", "@feature%2Fx", "@feature%2fx", "@refs/pr/1", "@refs%2Fpr%2F1", "@refs/convert/parquet",
    "@refs/convert/parquet-v2", "@a@b", "@0123456789abcdef0123456789abcdef01234567",
]
PATHS = [""] * 3 + [
    "/", "//", "/model.safetensors", "/a/b.safetensors", "/a/", "/a@v1/b", "/a b", "/a%20b", "/a//b", "/refs/pr/1",
    "/tree/main", "/a?b", "/a#b", "/ü",
]
ROUTES = ["blob", "tree", "resolve", "raw", "blame", "commit", "commits", "discussions", "settings", "edit"]
LINK_REVISIONS = ["main", "v1.0", "feature%2Fx", "refs/pr/1", "refs%2Fpr%2F1", "refs/convert/parquet", ""]
LINK_PATHS = ["", "/", "/model.safetensors", "/a/b.safetensors", "/a/", "/a%20b", "/a//b", "/a@v1", "/%C3%BC", "/a%23b"]
HOSTS = ["huggingface.co"] * 3 + [
    "hf.co", "HuggingFace.co", "hf-mirror.com", "hub.example/a/b", "hub.example", "hub.example/a", "example.com",
]
SUFFIXES = [""] * 4 + ["?download=true", "#L3", "?a=b#c"]


def uri(rng):
    """Returns a random hf:// URI."""
    return "hf://" + rng.choice(KINDS) + rng.choice(REPOS) + rng.choice(REVISIONS) + rng.choice(PATHS)


def link(rng, endpoint):
    """Returns a random link, also to the endpoint."""
    host = rng.choice(["https://", "https://", "http://", ""]) + rng.choice(HOSTS)
    if endpoint and rng.random() < 0.4:
        host = endpoint.rstrip("/")
    text = host + "/" + rng.choice(KINDS) + rng.choice(REPOS)
    if rng.random() < 0.7:
        text += "/" + rng.choice(ROUTES)
        if rng.random() < 0.9:
            text += "/" + rng.choice(LINK_REVISIONS) + rng.choice(LINK_PATHS)
    elif rng.random() < 0.3:
        text += rng.choice(REVISIONS)
    return text + rng.choice(SUFFIXES)


def theirs(text, endpoint):
    """Returns what huggingface_hub reads, or None."""
    try:
        got = parse_hf_uri(text, endpoint=endpoint or None)
    except (HfUriError, ValueError):
        return None
    kind = "" if got.type == "model" else got.type + "s/"
    return {"root": kind + got.id, "revision": got.revision or "", "path": got.path_in_repo.rstrip("/")}


def ours_on_purpose(text, endpoint, expected):
    """Says why we read a text otherwise, or returns None."""
    repo = text.split("://")[-1]
    server, _, below = endpoint.split("://")[-1].rstrip("/").partition("/")
    if expected:
        if below and repo.startswith(server + "/") and not repo.startswith(f"{server}/{below}/"):
            return "outside the path of the endpoint, its server has other pages"
        if "%2F" in expected["path"]:
            return "names of files have no slashes, so this one separates"
        if "@" in expected["revision"]:
            return "an @ in a revision is a mistake"
        if expected["root"].startswith("buckets/") and re.search(r"[^\w./-]|/[.]*$", expected["root"], re.ASCII):
            return "a bucket's name is as plain as a repository's"
        if any(part in (".", "..") for part in expected["path"].split("/")):
            return "a path must not leave the repository"
    elif "//" in repo:
        return "an empty element in a link is ignored everywhere"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ours", required=True)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--count", type=int, default=1500)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    differ = compared = read = 0
    for endpoint in ENDPOINTS:
        texts = sorted({uri(rng) if rng.random() < 0.5 else link(rng, endpoint) for _ in range(options.count)})
        environment = {k: v for k, v in os.environ.items() if k != "HF_ENDPOINT"}
        if endpoint:
            environment["HF_ENDPOINT"] = endpoint
        out = subprocess.run(
            [options.ours, "refs"], input="\n".join(texts), env=environment, capture_output=True, text=True, check=True
        )
        for text, line in zip(texts, out.stdout.splitlines(), strict=True):
            got = json.loads(line)
            mine = {k: got[k] for k in ("root", "revision", "path")} if got["scheme"] == "hf" else None
            expected = theirs(text, endpoint)
            compared += 1
            read += expected is not None
            if mine != expected and not ours_on_purpose(text, endpoint, expected):
                differ += 1
                print(f"refs: HF_ENDPOINT={endpoint!r} {text!r}: huggingface_hub {expected}, weigh {mine or got}")
    print(f"refs: {compared} texts compared, {read} read by huggingface_hub, {differ} differ (seed {options.seed})")
    sys.exit(1 if differ or read < compared // 10 else 0)


main()
