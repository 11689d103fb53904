"""Snapshots of the lab's real etcd, and a store made of one: what `etcdctl snapshot save` and etcdutl do.

The lab has no etcdctl; etcd's own gateway serves the same call (https://etcd.io/docs/v3.6/dev-guide/api_grpc_gateway/).
"""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import subprocess
from pathlib import Path

from podwright.lab.openshift.processes import ProcessError

PAGE_BYTES = 512
"""A store is whole pages of this many bytes; what a snapshot has beyond them is its digest."""
SECONDS = 30
MEMBER = "lab"


def save(port: int, target: Path) -> None:
    """Write a snapshot of the store that answers at a loopback port. Raises OSError: no answer, or a damaged one."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    try:
        connection.request("POST", "/v3/maintenance/snapshot", body="{}")
        with target.open("wb") as out:
            for line in connection.getresponse():
                out.write(base64.b64decode(json.loads(line)["result"].get("blob", "")))
    except (http.client.HTTPException, KeyError, ValueError) as problem:
        raise OSError(f"etcd's snapshot ended early: {problem!r}") from problem
    finally:
        connection.close()
    content = target.read_bytes()
    size = hashlib.sha256().digest_size
    if len(content) % PAGE_BYTES != size or hashlib.sha256(content[:-size]).digest() != content[-size:]:
        raise OSError(f"{target.name} is not what etcd sent")


def restore(etcdutl: Path, snapshot: Path, directory: Path, peer_url: str) -> None:
    """Make a new store of one member of a snapshot. Raises ProcessError with etcdutl's own words."""
    done = subprocess.run(
        [
            str(etcdutl), "snapshot", "restore", str(snapshot), "--data-dir", str(directory), "--name", MEMBER,
            "--initial-cluster", f"{MEMBER}={peer_url}", "--initial-advertise-peer-urls", peer_url,
        ],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise ProcessError(f"etcdutl ended with code {done.returncode}: {done.stderr.strip()[-800:]}")
