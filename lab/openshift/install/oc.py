"""A stand-in for what of `oc` kubectl cannot do here: node images, and etcdctl in a pod. The rest is kubectl.

oc adm node-image create --dir=DIR --kubeconfig=FILE      reads DIR/nodes-config.yaml, writes DIR/node.x86_64.iso
oc --kubeconfig=FILE exec -n openshift-etcd etcd-NODE -c etcdctl -- etcdctl member remove ID
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from podwright.lab.openshift import kubeconfig
from podwright.lab.openshift.api import Api, ApiError
from podwright.lab.openshift.binaries import programs
from podwright.lab.openshift.install import image
from podwright.lab.openshift.install.command import InstallError, release, say
from podwright.lab.openshift.install.config import host_problems
from podwright.lab.openshift.kinds import CONFIG_MAPS

IMAGE = "node.x86_64.iso"


def create(directory: Path, access_file: Path) -> None:
    """Write an image whose hosts join the cluster behind `access_file`. Raises InstallError."""
    try:
        document = yaml.safe_load((directory / "nodes-config.yaml").read_text(encoding="utf-8"))
        access = kubeconfig.parse(access_file.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as problem:
        raise InstallError(str(problem)) from problem
    hosts: list[Mapping[str, Any]] = (document or {}).get("hosts") or []
    problems = host_problems(hosts) if hosts else ["hosts: Required value"]
    if problems:
        raise InstallError(f"invalid nodes configuration: {problems[0]}")
    try:
        Api(access).request("GET", "/api/v1/nodes")
    except ApiError as problem:
        raise InstallError(f"unable to reach the cluster: {problem}") from problem
    workers = [{**host, "role": "worker"} for host in hosts]
    content = {"release": release(), "agent": {"hosts": workers}, "join": access.ca.decode()}
    image.write(directory / IMAGE, content)
    say("info", f"Saved {directory / IMAGE}")


def remove_member(access_file: Path, member: str) -> None:
    """What `etcdctl member remove` and the etcd operator after it leave. Raises InstallError in etcdctl's words."""
    access = kubeconfig.parse(access_file.read_text(encoding="utf-8"))
    api = Api(access)
    path = CONFIG_MAPS.path("openshift-etcd", "etcd-endpoints")
    members = (api.get(path) or {}).get("data") or {}
    if member not in members:
        raise InstallError("Error: rpc error: code = NotFound desc = etcdserver: member not found")
    api.merge(path, {"data": {member: None}})
    print(f"Member {member} removed from cluster 1")


def main(arguments: list[str]) -> int:
    """Exit code: 0, or 1 after one line of level=error. Other commands become kubectl."""
    if arguments[1:4] == ["exec", "-n", "openshift-etcd"] and arguments[-3:-1] == ["member", "remove"]:
        try:
            remove_member(Path(arguments[0].removeprefix("--kubeconfig=")), arguments[-1])
        except (ApiError, InstallError) as problem:
            print(problem, file=sys.stderr)
            return 1
        return 0
    if arguments[:3] != ["adm", "node-image", "create"]:
        words = arguments[1:] if arguments[:2] == ["adm", "certificate"] else arguments
        program = programs()["etcd"].with_name("kubectl")
        os.execv(program, ["oc", *words])  # noqa: S606 - there is no shell to avoid
    parser = argparse.ArgumentParser(prog="oc adm node-image create")
    parser.add_argument("--dir", type=Path, default=Path())
    parser.add_argument("--kubeconfig", type=Path, default=Path(os.environ.get("KUBECONFIG", "~/.kube/config")))
    options = parser.parse_args(arguments[3:])
    try:
        create(options.dir, options.kubeconfig.expanduser())
    except InstallError as problem:
        say("error", str(problem))
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
