"""Reads options and environment as torch's launcher does, and prints what it would rendezvous with, as JSON.

After pytorch/pytorch, torch/distributed/run.py (options, `--standalone`) and torch/distributed/argparse_util.py: each
option's default is the variable PET_<OPTION>, a flag's is whether that is a number other than 0. Any other option ends
it with 2. Imports nothing but the standard library: it runs in a container of the lab too.
"""

import argparse
import json
import os
import sys
from pathlib import Path

OPTIONS = {
    "nnodes": "1:1", "nproc_per_node": "1", "rdzv_backend": "static", "rdzv_endpoint": "", "rdzv_id": "none",
    "rdzv_conf": "", "max_restarts": "0", "monitor_interval": "0.1", "node_rank": "0", "master_addr": "127.0.0.1",
    "master_port": "29500",
}  # fmt: skip
FLAGS = ("standalone", "module", "no_python", "run_path")


def options(arguments: list[str]) -> argparse.Namespace:
    """What the launcher goes by."""
    parser = argparse.ArgumentParser(prog="torchrun")
    for name, default in OPTIONS.items():
        spelt = {f"--{name.replace('_', '-')}", f"--{name}"}
        parser.add_argument(*sorted(spelt), dest=name, default=os.environ.get(f"PET_{name.upper()}", default))
    for name in FLAGS:
        known = bool(int(os.environ.get(f"PET_{name.upper()}", "0")))
        parser.add_argument(f"--{name.replace('_', '-')}", dest=name, action="store_true", default=known)
    parser.add_argument("training_script")
    parser.add_argument("training_script_args", nargs=argparse.REMAINDER)
    found = parser.parse_args(arguments)
    if found.standalone:
        found.rdzv_backend, found.rdzv_endpoint, found.rdzv_id = "c10d", "localhost:0", "its own"
    if found.rdzv_backend == "static" and not found.rdzv_endpoint:
        found.rdzv_endpoint = f"{found.master_addr}:{found.master_port}"
    return found


def meeting(found: argparse.Namespace) -> dict[str, object]:
    """Members with the same meeting are one training; under the backend static each has a number too."""
    least, _, most = found.nnodes.partition(":")
    return {
        "members": [int(least), int(most or least)], "processes": int(found.nproc_per_node),
        "backend": found.rdzv_backend, "endpoint": found.rdzv_endpoint, "id": found.rdzv_id,
        "restarts": int(found.max_restarts), "member": int(found.node_rank) if found.rdzv_backend == "static" else None,
        "program": [found.training_script, *found.training_script_args],
    }  # fmt: skip


def main() -> None:
    """Print it, and leave it where kubelet looks for a termination message, if that is named."""
    text = json.dumps(meeting(options(sys.argv[1:])))
    print(text)
    if message := os.environ.get("MESSAGE"):
        Path(message).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
