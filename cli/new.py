"""`podwright new DIRECTORY`: a project of a site's own, written from a few answers, that `podwright check` passes."""

import shutil
import sys
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Network
from math import ceil
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from podwright.components import model
from podwright.components.design.fabric.sizing.models import Ask, Option, propose, unwritable
from podwright.components.model.catalogue import BASELINES, RELEASE_SETS, SERVERS, SWITCHES

_PROBLEMS, _USAGE = 1, 2
_RAILS = 8
_FEW_SPINES, _FEW_LEAVES = 10, 31
"""More spines than that find no room before the leaves' addresses, more leaves none in the usual pool of rails."""
_PER_RACK = 2
"""GPU servers that stand in one rack."""
_RELEASE = max(name for name, each in RELEASE_SETS.items() if not each.waivers)
"""The newest release set of which every member declares the set's OpenShift release."""
_FIND_PULUMI = '       podwright setup && eval "$(podwright env)"   # Pulumi is on PATH then\n'
_PROGRAM = '''"""The whole graph of this stack's file."""

import pulumi

from podwright.components.program import program

pulumi.run(program)
'''


@dataclass(frozen=True)
class Site:
    """The answers a project is written from."""

    name: str
    servers: int
    server: str
    """Model of the GPU servers."""
    gpus: str
    control: str
    """Model of the three control-plane servers."""
    domain: str
    management: IPv4Network
    """Network of switches' mgmt0 and of management controllers."""
    machine: IPv4Network
    """Network of the nodes."""
    ssh_key: str
    key_id: str
    fabric: Option
    prefixes: dict[str, str]
    """What the names of leaves, spines, control-plane and GPU servers begin with."""

    def address(self, network: IPv4Network, offset: int, count: int) -> str:
        """`<address>+n` for so many names from 1 on. Raises ValueError where the network has not so many."""
        base = network.network_address + offset
        if base + count not in network or base + count == network.broadcast_address:
            raise ValueError(f"{network} has no room for {offset + count} addresses: give a wider network")
        return f"{base}+n"


def command(  # noqa: PLR0913 - one argument an option
    directory: Annotated[Path, typer.Argument(help="A folder that is empty or not there yet.")],
    *,
    servers: Annotated[int | None, typer.Option(min=1, max=2000, help="GPU servers.")] = None,
    name: Annotated[str | None, typer.Option(help="Name of the cluster and its stack; else the folder's.")] = None,
    domain: Annotated[str | None, typer.Option(help="Base domain, such as example.com.")] = None,
    management: Annotated[str | None, typer.Option(help="Network of mgmt0 and BMCs, such as 192.0.2.0/24.")] = None,
    machine: Annotated[str | None, typer.Option(help="Network of the nodes, such as 198.51.100.0/24.")] = None,
    ssh_key: Annotated[str | None, typer.Option(help="Public SSH key of the core user, or a file with it.")] = None,
    key_id: Annotated[str | None, typer.Option(help="Intersight API key id: account/user/key.")] = None,
    server: Annotated[str, typer.Option(help="Model of the GPU servers.")] = "UCSC-885A-M8",
    gpus: Annotated[str, typer.Option(help="GPU product.")] = "NVIDIA-H200",
    control: Annotated[str, typer.Option(help="Model of the control-plane servers.")] = "UCSC-C225-M8N",
    leaf: Annotated[str | None, typer.Option(help="Leaf model; else the fewest switches, as `size` has it.")] = None,
    spine: Annotated[str | None, typer.Option(help="Spine model.")] = None,
    names: Annotated[
        str, typer.Option(help="What names of leaves, spines, control-plane and GPU servers begin with.")
    ] = "leaf-,spine-,cp-,gpu-",
) -> None:
    """Write a project for a new site: Pulumi.yaml, a program, a stack file. What is not given is asked."""
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        _fail(f"{directory} is not empty: give a folder that is not there yet", _USAGE)
    wanted = _ask(
        servers=servers, domain=domain, management=management, machine=machine, ssh_key=ssh_key, key_id=key_id
    )
    try:
        site = Site(
            name=name or directory.resolve().name.lower().replace("_", "-"),
            servers=int(wanted["servers"]),
            server=server,
            gpus=gpus,
            control=control,
            domain=wanted["domain"],
            management=_network(wanted["management"]),
            machine=_network(wanted["machine"]),
            ssh_key=_key(wanted["ssh_key"]),
            key_id=wanted["key_id"],
            fabric=_fabric(int(wanted["servers"]), server, leaf, spine),
            prefixes=_prefixes(names),
        )
        text = stack_file(site)
        model.load(yaml.safe_load(text)["config"][model.KEY])
    except model.SpecErrors as errors:
        _fail(errors.render(), _PROBLEMS)
    except ValueError as sentence:
        _fail(str(sentence), _USAGE)
    else:
        _write(directory, site, text)


_QUESTIONS = {
    "servers": "GPU servers",
    "domain": "Base domain, such as example.com",
    "management": "Network of mgmt0 and BMCs, such as 192.0.2.0/24",
    "machine": "Network of the nodes, such as 198.51.100.0/24",
    "ssh_key": "Public SSH key of the core user, or a file with it",
    "key_id": "Intersight API key id (account/user/key)",
}


def _ask(**given: Any) -> dict[str, Any]:
    """What was given, and on a terminal the answers to the rest."""
    missing = [key for key, value in given.items() if value is None]
    if missing and not sys.stdin.isatty():
        flags = ", ".join(f"--{key.replace('_', '-')}" for key in missing)
        _fail(f"there is no terminal to ask on: give {flags}", _USAGE)
    return {key: typer.prompt(_QUESTIONS[key]) if value is None else value for key, value in given.items()}


def _fail(text: str, code: int) -> None:
    typer.echo(text, err=True)
    raise typer.Exit(code)


def _network(text: str) -> IPv4Network:
    try:
        return IPv4Network(text)
    except (AddressValueError, ValueError):
        raise ValueError(f"{text} is not an IPv4 network such as 192.0.2.0/24") from None


def _key(text: str) -> str:
    """The key itself, or the first line of the file that holds it."""
    path = Path(text).expanduser()
    if " " not in text and path.is_file():
        return path.read_text("utf-8").splitlines()[0].strip()
    if not text.startswith(("ssh-", "ecdsa-", "sk-")):
        raise ValueError(f"{text} is neither a public SSH key nor a file with one: give ~/.ssh/id_ed25519.pub")
    return text


def _prefixes(text: str) -> dict[str, str]:
    given = [each.strip() for each in text.split(",")]
    if len(given) != 4 or len({*given}) != 4 or not all(given):
        raise ValueError("--names takes four different beginnings, such as leaf-,spine-,cp-,gpu-")
    return dict(zip(("leaf", "spine", "control", "server"), given, strict=True))


def _fabric(servers: int, server: str, leaf: str | None, spine: str | None) -> Option:
    """The fabric that `size` puts first of those a stack file can hold. Raises ValueError where there is none."""
    box = SERVERS.get(server)
    if box is None or not box.rails:
        able = ", ".join(each.name for each in SERVERS.values() if each.rails)
        raise ValueError(f"{server} is no server with rail NICs; with them: {able}")
    for given in (leaf, spine):
        if given is not None and given not in SWITCHES:
            raise ValueError(f"{given} is not in the switch catalogue: {', '.join(SWITCHES)}")
    answer = propose(Ask(servers, len(box.rails), box.rails[0].gbps, leaf=leaf, spine=spine))
    options = [each for each in answer.options if unwritable(each) is None]
    if not options:
        why = answer.refusals[0].why if answer.refusals else "no model carries them"
        raise ValueError(f"{servers} servers: {why}; `podwright size --servers {servers}` shows what does")
    return options[0]


def stack_file(site: Site) -> str:
    """The stack file: what entries have alike once, what follows from their numbers not at all."""
    size, parts = site.fabric.size, _entries(site)
    first = site.machine.network_address
    pools = "" if size.leaves <= _FEW_LEAVES else "\n      addressing: {hosts: 10.64.0.0/15}"
    return f"""\
# One AI cluster. `podwright check` tells what is wrong with this file, `podwright preview` what it leads to.
# Serial numbers and MAC addresses are made up: write each server's own, as in
#   {parts["example"]}: {{serial: WZP00000001, boot_mac: "02:00:00:00:02:01"}}
config:
  {model.KEY}:
    name: {site.name}
    site:
      ntp: [{site.management.network_address + 1}]
      dns: [{site.management.network_address + 1}]
      domain: {site.domain}
      racks:
        "*": {{power_domain: [feed-a, feed-b, feed-c]}}
        r[1-3]: {{}}
        g[1-{ceil(site.servers / _PER_RACK)}]: {{}}

    fabric:
      release: "10.4(5)"
      credential: switch-admin # secrets are named here and never written
      baseline: "{max(BASELINES)}"
      links_per_pair: {size.links_per_pair}{pools}
      spines:
        {parts["spines"]}
      leaves:
        {parts["leaves"]}

    intersight: {{key_id: {site.key_id}, key: intersight-key}}
    bmc: {{password: bmc-admin}}

    servers:
      {parts["control"]}
      {parts["servers"]}

    pools:
      training: {{rails: true}}

    openshift:
      version: {RELEASE_SETS[_RELEASE].openshift}.3
      domain: {site.domain}
      api_vip: {first + 5}
      ingress_vip: {first + 6}
      machine_network: {site.machine}
      pull_secret: pull-secret
      ssh_key: {site.ssh_key}
      publish: {{url: "http://{site.management.network_address + 2}:8080"}}
      team_isolation: {{}}

    operators: {{release: "{_RELEASE}", gpu_direct: dma-buf}}
"""


def _entries(site: Site) -> dict[str, str]:
    """The lines of switches and servers: a range each, with values for the number in each name."""
    size, prefixes, management = site.fabric.size, site.prefixes, site.management
    per_group = _RAILS // size.rails_per_leaf
    groups = size.leaves // per_group
    each = ceil(site.servers / groups)
    rails = [list(range(first, first + size.rails_per_leaf)) for first in range(0, _RAILS, size.rails_per_leaf)]
    turn = "rack: [r1, r2, r3]"
    # mgmt0 of spines from 11, of leaves from 21 (63 at most), BMCs from 91 and 101; more spines than fit come last
    above = 10 if size.spines < _FEW_SPINES else 100 + site.servers
    made = {
        "spines": [f"model: {site.fabric.spine}, management: {site.address(management, above, size.spines)}, {turn}"],
        "leaves": [
            f"model: {site.fabric.leaf}, management: {site.address(management, 20, size.leaves)}, {turn}",
            f"group: +n/{per_group}, rails: {rails}",
        ],
        "control": [
            f"model: {site.control}, pool: control-plane, rack: r+n, address: {site.address(site.machine, 10, 3)}",
            f'bmc: {site.address(management, 90, 3)}, serial: WZP10000000+n, boot_mac: "02:00:00:00:01:00+n"',
        ],
        "servers": [
            f"model: {site.server}, gpus: {site.gpus}, pool: training, rack: g+n/{_PER_RACK}",
            f"group: +n/{each}, index: {list(range(1, each + 1))}" if groups > 1 else "group: 1",
            f"address: {site.address(site.machine, 20, site.servers)}",
            f"bmc: {site.address(management, 100, site.servers)}",
            'serial: WZP00000000+n, boot_mac: "02:00:00:00:02:00+n"',
        ],
    }
    counts = {"spines": size.spines, "leaves": size.leaves, "control": 3, "servers": site.servers}
    begin = {"spines": "spine", "leaves": "leaf", "control": "control", "servers": "server"}
    names = {kind: _range(prefixes[begin[kind]], count) for kind, count in counts.items()}
    lines = {kind: f"{names[kind]}: {{{', '.join(parts)}}}" for kind, parts in made.items()}
    width = max(2, len(str(site.servers)))
    return {**lines, "example": f"{prefixes['server']}{1:0{width}}"}


def _range(prefix: str, count: int) -> str:
    width = max(2, len(str(count)))
    return f"{prefix}[{1:0{width}}-{count:0{width}}]"


def _write(directory: Path, site: Site, text: str) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    file = model.stack_file(directory, site.name)
    project = {
        "name": site.name,
        "description": "One AI cluster, from switch to workload",
        "runtime": "python",
        "config": {"pulumi:disable-default-providers": {"value": ["*"]}},
    }
    (directory / "Pulumi.yaml").write_text(yaml.safe_dump(project, sort_keys=False), "utf-8")
    (directory / "__main__.py").write_text(_PROGRAM, "utf-8")
    file.write_text(text, "utf-8")
    fabric = site.fabric
    typer.echo(
        f"{file}: {site.servers} x {site.server}, {fabric.size.leaves} x {fabric.leaf}, "
        f"{fabric.size.spines} x {fabric.spine}\n"
        f"next:  cd {directory}\n"
        f"       podwright check {file.name}\n"
        f"{_FIND_PULUMI if shutil.which('pulumi') is None else ''}"
        f"       pulumi stack init {site.name}\n"
        "       pulumi config set --secret --path secrets.switch-admin   # and bmc-admin, intersight-key, pull-secret"
    )
