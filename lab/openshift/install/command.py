"""A stand-in for `openshift-install`: the same command line, the same two input files, the same files out.

openshift-install agent create image --dir DIR
openshift-install agent wait-for bootstrap-complete|install-complete --dir DIR
openshift-install version
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import string
import sys
import time
from pathlib import Path
from typing import Any

import yaml

from podwright.lab.openshift import kubeconfig
from podwright.lab.openshift.api import Api, ApiError
from podwright.lab.openshift.certificates import issue, make_root, signing_keys
from podwright.lab.openshift.install import image, mirrors
from podwright.lab.openshift.install.config import agent_problems, install_problems
from podwright.lab.openshift.kubeconfig import Access

RELEASE = "4.22.3"
"""What a world without `cluster.openshift` installs."""
RELEASE_VARIABLE = "LAB_OPENSHIFT"
"""The wrapper that `lab up` writes names the world's release here: an installer installs the one that it is of."""
REGISTRY_VARIABLE = "LAB_REGISTRY"
"""And the form of the variant `registry`: an installer reads the release image to make its own."""
REACH_VARIABLE = "LAB_REACH"
"""The wrapper that `lab up` writes names the lab's reach file here: how a VIP of the lab is dialled."""


def release() -> str:
    """OpenShift release of this installer."""
    return os.environ.get(RELEASE_VARIABLE) or RELEASE


class InstallError(RuntimeError):
    """What the installer says before it ends with code 1."""


def say(level: str, message: str) -> None:
    """A log line as logrus writes it without a terminal, on standard error."""
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    sys.stderr.write(f'time="{when}" level={level} msg={json.dumps(message)}\n')


def _load(path: Path, asset: str) -> dict[str, Any]:
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InstallError(f"failed to load asset {asset!r}: missing {path.name} file") from None
    except (OSError, yaml.YAMLError) as problem:
        raise InstallError(f"failed to load asset {asset!r}: failed to unmarshal {path.name}: {problem}") from problem
    if not isinstance(document, dict):
        raise InstallError(f"failed to load asset {asset!r}: {path.name} is not a mapping")
    return document


def create_image(directory: Path) -> None:
    """`agent create image`: consumes the two files, writes the image and `auth/`. Raises InstallError."""
    install = _load(directory / "install-config.yaml", "Install Config")
    agent = _load(directory / "agent-config.yaml", "Agent Config")
    for asset, problems in (
        ("Install Config", install_problems(install)),
        ("Agent Config", agent_problems(agent, install)),
    ):
        if problems:
            listed = problems[0] if len(problems) == 1 else "[" + ", ".join(problems) + "]"
            raise InstallError(f"failed to fetch Agent Installer ISO: failed to load asset {asset!r}: {listed}")
    if os.environ.get(REGISTRY_VARIABLE) == "disconnected" and (lacking := mirrors.unserved(install)):
        raise InstallError(
            f"failed to fetch Agent Installer ISO: failed to generate asset: unable to read image {lacking}: "
            "dial tcp: i/o timeout"
        )
    say("info", "Consuming Install Config from target directory")
    say("info", "Consuming Agent Config from target directory")
    say("info", f"The rendezvous host IP (node0 IP) is {agent['rendezvousIP']}")
    _write_assets(directory, install, agent)
    for consumed in ("install-config.yaml", "agent-config.yaml"):
        (directory / consumed).unlink()
    say("info", f"Generated ISO at {directory / 'agent.x86_64.iso'}.")


def _write_assets(directory: Path, install: dict[str, Any], agent: dict[str, Any]) -> None:
    name, domain = install["metadata"]["name"], install["baseDomain"]
    root, tokens = make_root(f"root-ca {name}.{domain}"), signing_keys()
    admin = issue(root, "system:admin", groups=("system:masters",))
    access = Access(f"https://api.{name}.{domain}:6443", root.certificate, admin)
    password = "-".join(
        "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(5)) for _ in range(4)
    )
    auth = directory / "auth"
    auth.mkdir(mode=0o750, exist_ok=True)
    _private(auth / "kubeconfig", kubeconfig.render(name, "admin", access))
    _private(auth / "kubeadmin-password", password)
    (directory / "rendezvousIP").write_text(str(agent["rendezvousIP"]), encoding="utf-8")
    image.write(directory / "agent.x86_64.iso", {
        "release": release(),
        "install": {key: value for key, value in install.items() if key != "pullSecret"},
        "agent": agent,
        "root": [root.certificate.decode(), root.key.decode()],
        "tokens": [tokens.certificate.decode(), tokens.key.decode()],
    })  # fmt: skip


def _private(path: Path, text: str) -> None:
    path.touch(mode=0o600)
    path.chmod(0o600)
    path.write_text(text, encoding="utf-8")


def _api(directory: Path) -> Api:
    try:
        access = kubeconfig.parse((directory / "auth" / "kubeconfig").read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise InstallError(f"failed to load asset 'Kubeconfig Admin Client': {problem}") from problem
    reach = os.environ.get(REACH_VARIABLE)
    target = access.server.removeprefix("https://")
    if reach:
        forward = json.loads(Path(reach).read_text(encoding="utf-8")).get("forward", {})
        target = forward.get(target, target)
    return Api(Access(f"https://{target}", access.ca, access.client))


def _complete(api: Api, stage: str) -> bool:
    if stage == "bootstrap-complete":
        return api.ready()
    try:
        version = api.get("/apis/config.openshift.io/v1/clusterversions/version") or {}
    except ApiError:
        return False
    conditions = version.get("status", {}).get("conditions", [])
    return any(c["type"] == "Available" and c["status"] == "True" for c in conditions)


def wait_for(directory: Path, stage: str, seconds: float) -> None:
    """`agent wait-for STAGE`. Raises InstallError when time is up."""
    api = _api(directory)
    deadline = time.monotonic() + seconds
    while not _complete(api, stage):
        if time.monotonic() > deadline:
            raise InstallError(f"{stage.split('-', maxsplit=1)[0]} process timed out: context deadline exceeded")
        time.sleep(0.5)
    if stage == "bootstrap-complete":
        say("info", "cluster bootstrap is complete")
        return
    say("info", "Cluster is installed")
    say("info", "Install complete!")
    say(
        "info",
        "To access the cluster as the system:admin user when using 'oc', "
        f"run 'export KUBECONFIG={directory / 'auth' / 'kubeconfig'}'",
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="openshift-install")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("version")
    agent = commands.add_parser("agent").add_subparsers(dest="agent", required=True)
    create = agent.add_parser("create")
    create.add_argument("what", choices=["image"])
    wait = agent.add_parser("wait-for")
    wait.add_argument("what", choices=["bootstrap-complete", "install-complete"])
    wait.add_argument("--timeout", type=float, default=3600.0, help=argparse.SUPPRESS)
    for command in (create, wait):
        command.add_argument("--dir", type=Path, default=Path())
        command.add_argument("--log-level", default="info")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Exit code: 0, or 1 after one line of level=fatal."""
    options = _parser().parse_args(arguments)
    try:
        if options.command == "version":
            sys.stdout.write(
                f"openshift-install {release()}\n"
                "release image quay.io/openshift-release-dev/ocp-release\nrelease architecture amd64\n"
            )
        elif options.agent == "create":
            create_image(options.dir)
        else:
            wait_for(options.dir, options.what, options.timeout)
    except InstallError as problem:
        say("fatal", str(problem))
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
