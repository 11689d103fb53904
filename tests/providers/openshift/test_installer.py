from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.components.providers.openshift.install import InstallKind, image
from podwright.components.providers.openshift.install.check import judge
from podwright.components.providers.openshift.install.files import agent_config, install_config, nodes_config
from podwright.components.providers.openshift.memory import Memory, root
from podwright.components.providers.protocol.kind import CheckContext, Context, ProviderError
from podwright.components.providers.reach import Reach
from podwright.lab.openshift.install.config import agent_problems, install_problems

PULL_SECRET = '{"auths":{"registry.example.com":{"auth":"Y2FuYXJ5OmNhbmFyeQ=="}}}'


def host(index: int, role: str = "worker") -> dict[str, Any]:
    return {
        "name": f"host-{index}",
        "role": role,
        "pool": "p",
        "serial": f"WZP{index}",
        "bmc": f"192.0.2.{100 + index}",
        "credential": "bmc",
        "boot_mac": f"02:00:00:00:00:{index:02x}",
        "address": f"192.0.2.{20 + index}",
        "disk": "/dev/nvme0n1",
    }


def spec(masters: int = 3, workers: int = 2, **change: Any) -> dict[str, Any]:
    hosts = [host(i, "master" if i <= masters else "worker") for i in range(1, masters + workers + 1)]
    return {
        "schema": 1,
        "cluster": "lab",
        "domain": "example.com",
        "version": "4.22.3",
        "api_vip": "192.0.2.200",
        "ingress_vip": "192.0.2.201",
        "machine_network": "192.0.2.0/24",
        "gateway": "192.0.2.1",
        "dns": ["192.0.2.1"],
        "ntp": ["192.0.2.1"],
        "pull_secret": "pull-secret",
        "ssh_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBUbKp2cdvTt6oHvdLgFEDwwwHL5o0uFVWZb8P6rSwHd admin",
        "publish": {"directory": "/srv/images", "url": "http://192.0.2.2:8080/"},
        "hosts": hosts,
        **change,
    }


@pytest.mark.parametrize(("masters", "workers"), [(1, 0), (1, 2), (3, 0), (3, 16), (5, 2)])
def test_the_installers_two_files_are_what_the_installer_takes(masters: int, workers: int) -> None:
    install, agent = install_config(spec(masters, workers), PULL_SECRET), agent_config(spec(masters, workers))
    assert install_problems(install) == []
    assert agent_problems(agent, install) == []
    assert agent["rendezvousIP"] == "192.0.2.21"


def test_hosts_that_join_later_are_said_in_the_same_words() -> None:
    joining = spec()["hosts"][-1:]
    assert nodes_config(spec(), joining)["hosts"] == agent_config(spec())["hosts"][-1:]


def test_the_images_digest_moves_with_what_is_in_it_and_with_nothing_else() -> None:
    assert image.digest(spec()) == image.digest(
        spec(pull_secret="other", publish={"directory": "/x", "url": "http://y"})
    )
    assert image.digest(spec()) != image.digest(spec(workers=3))
    assert image.digest(spec()) != image.digest(spec(gateway="192.0.2.254"))


@pytest.mark.parametrize(
    ("change", "path", "message"),
    [
        ({"api_vip": "198.51.100.1"}, "spec.api_vip", "not in the machine network"),
        ({"ingress_vip": "192.0.2.200"}, "spec.ingress_vip", "is also that of api_vip"),
        ({"gateway": "gw"}, "spec.gateway", "no IP address"),
        ({"machine_network": "192.0.2.1/24"}, "spec.machine_network", "has host bits set"),
        ({"versoin": "4"}, "spec.versoin", "did you mean 'version'"),
        ({"architecture": "mips"}, "spec.architecture", "must be one of"),
        ({"publish": {"directory": "/x"}}, "spec.publish.url", "url is missing"),
        ({"hosts": [host(1, "master"), host(2, "master")]}, "spec.hosts", "make no quorum"),
    ],
)
def test_wrong_specs_are_refused_at_their_leaf(change: dict[str, Any], path: str, message: str) -> None:
    found = judge({"spec": spec(**change)})
    assert [".".join(map(str, failure.path)) for failure in found] == [path]
    assert message in found[0].message


def test_a_host_must_be_reachable_in_exactly_one_way_and_like_no_other() -> None:
    hosts = spec()["hosts"]
    hosts[0] |= {"intersight": True}
    assert "either bmc or intersight" in judge({"spec": spec(hosts=hosts)})[0].message
    hosts = spec()["hosts"]
    hosts[1] |= {"boot_mac": hosts[0]["boot_mac"].upper()}
    assert [failure.path for failure in judge({"spec": spec(hosts=hosts)})] == [
        ("spec", "hosts", 0, "boot_mac"),
        ("spec", "hosts", 1, "boot_mac"),
    ]


def bonded(change: dict[str, Any] | None = None) -> dict[str, Any]:
    """A host's network of two bonded interfaces."""
    state = {
        "interfaces": [
            {"name": "boot0", "type": "ethernet", "state": "up"},
            {"name": "boot1", "type": "ethernet", "state": "up"},
            {
                "name": "bond0",
                "type": "bond",
                "state": "up",
                "link-aggregation": {"mode": "802.3ad", "port": ["boot0", "boot1"]},
                "ipv4": {"enabled": True, "dhcp": False, "address": [{"ip": "192.0.2.25", "prefix-length": 24}]},
            },
        ],
        "routes": {"config": [{"destination": "0.0.0.0/0", "next-hop-interface": "bond0"}]},
    }
    interfaces = {"boot0": "02:00:00:00:00:05", "boot1": "02:00:00:00:01:05"}
    return {"interfaces": interfaces, "state": state, **(change or {})}


def with_network(network: Any) -> dict[str, Any]:
    hosts = spec()["hosts"]
    hosts[-1] |= {"network": network}
    return spec(hosts=hosts)


def test_a_hosts_own_network_reaches_the_image_and_the_node_image_as_it_is() -> None:
    made = with_network(bonded())
    assert judge({"spec": made}) == []
    agent = agent_config(made)
    assert agent_problems(agent, install_config(made, PULL_SECRET)) == []
    assert agent["hosts"][-1]["networkConfig"] == bonded()["state"]
    assert agent["hosts"][-1]["interfaces"] == [
        {"name": "boot0", "macAddress": "02:00:00:00:00:05"},
        {"name": "boot1", "macAddress": "02:00:00:00:01:05"},
    ]
    assert nodes_config(made, made["hosts"][-1:])["hosts"] == agent["hosts"][-1:]
    assert image.digest(made) != image.digest(spec())


@pytest.mark.parametrize(
    ("change", "path", "message"),
    [
        (
            {"interfaces": {"boot0": "02:00:00:00:02:05", "boot1": "02:00:00:00:01:05"}},
            "interfaces",
            "none of them is the interface that boots",
        ),
        ({"interfaces": {"boot0": "02:00:00:00:00:05"}}, "state.interfaces.1", "boot1 has no MAC address"),
        (
            {"interfaces": {"boot0": "02:00:00:00:00:05", "boot1": "02:00:00:00:00:05"}},
            "interfaces",
            "two interfaces have one MAC address",
        ),
        (
            {"interfaces": {"boot0": "02:00:00:00:00:05", "boot1": "02:00:00:00:00:01"}},
            "interfaces",
            "used by more than one host",
        ),
        (
            {"state": bonded()["state"] | {"routes": {"config": [{"next-hop-interface": "bond1"}]}}},
            "state.routes.config.0",
            "the route leads over bond1",
        ),
        (
            {"state": {"interfaces": [{"name": "bond0", "type": "bond", "link-aggregation": {"port": []}}]}},
            "state.interfaces.0",
            "has no port",
        ),
        ({"state": []}, "", "are objects"),
    ],
)
def test_a_network_that_no_host_could_be_given_is_refused_at_its_leaf(
    change: dict[str, Any], path: str, message: str
) -> None:
    found = judge({"spec": with_network(bonded(change))})
    place = ".".join(part for part in ("spec.hosts.4.network", path) if part)
    assert [".".join(map(str, failure.path)) for failure in found] == [place]
    assert message in found[0].message


def test_another_network_of_a_host_touches_no_cluster_that_stands() -> None:
    kind, before, after = InstallKind(), {"spec": spec()}, {"spec": with_network(bonded())}
    for old, new in ((before, after), (after, before)):
        assert kind.check(new, CheckContext(old_inputs=old)) == []
        assert kind.diff(old, new, {}).changes == {}
        assert list(kind.notices(old, new)) == []
    moved = {"spec": {**before["spec"], "ssh_key": "ssh-ed25519 AAAA other"}}
    assert kind.diff(before, moved, {}).changes, "a change that is one is seen"


def test_a_network_without_its_two_keys_is_refused() -> None:
    assert [failure.message for failure in judge({"spec": with_network({"state": {}})})] == [
        "has two keys: interfaces, MAC addresses by logical name, and state"
    ]


def tool(folder: Path, text: str) -> str:
    path = folder / "openshift-install"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def context(tmp_path: Path, **tools: str) -> Context:
    (tmp_path / "secrets").mkdir(exist_ok=True)
    (tmp_path / "secrets" / "pull-secret").write_text(PULL_SECRET)
    environ = {"PODWRIGHT_STATE": str(tmp_path / "state"), "PATH": "/usr/bin:/bin", "PODWRIGHT_SECRET_X": "canary"}
    return Context(reach=Reach(tools=tools, environ=environ, secrets=tmp_path / "secrets"))


async def test_no_installer_says_where_it_is_looked_for(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="openshift-install is neither in the reach file's `tools` nor on PATH"):
        await image.make_image(spec(), Memory({}, "a/b", "lab"), context(tmp_path))


async def test_an_installer_of_another_release_installs_nothing(tmp_path: Path) -> None:
    ctx = context(tmp_path, **{"openshift-install": tool(tmp_path, "echo openshift-install 4.21.9")})
    memory = Memory(ctx.reach.environ, "a/b", "lab")
    with pytest.raises(ProviderError, match=r"installs 4\.21\.9, the spec says 4\.22\.3"):
        await image.make_image(spec(), memory, ctx)
    assert memory.kubeconfig is None


FAILING = """
case "$*" in version) echo openshift-install 4.22.3; exit 0;; esac
env > {environ}
ls -ld "$5" > {mode}; ls -l "$5"/install-config.yaml >> {mode}
echo 'time="now" level=fatal msg="failed to fetch Agent Installer ISO: no space left on \\"device\\""' >&2
exit 1
"""


async def test_a_failing_installer_is_quoted_and_leaves_no_secret_behind(tmp_path: Path) -> None:
    seen, mode = tmp_path / "environ", tmp_path / "mode"
    ctx = context(tmp_path, **{"openshift-install": tool(tmp_path, FAILING.format(environ=seen, mode=mode))})
    memory = Memory(ctx.reach.environ, "a/b", "lab")
    with pytest.raises(ProviderError, match=r'could not make the installation image: .*no space left on "device"'):
        await image.make_image(spec(), memory, ctx)
    assert "canary" not in seen.read_text()
    assert [line.split()[0] for line in mode.read_text().splitlines()] == ["drwx------", "-rw-------"]
    left = [path for path in memory.folder.rglob("*") if path.is_file()]
    assert left == []


async def test_what_a_killed_run_left_is_swept(tmp_path: Path) -> None:
    memory = Memory({"PODWRIGHT_STATE": str(tmp_path)}, "a/b", "lab")
    left = memory.workplace()
    (left / "install-config.yaml").write_text(yaml.safe_dump({"pullSecret": PULL_SECRET}))
    fresh = memory.workplace()
    assert not left.exists()
    assert oct(fresh.stat().st_mode & 0o777) == "0o700"


def test_the_memory_lies_where_the_site_says(tmp_path: Path) -> None:
    assert root({"PODWRIGHT_STATE": "/a"}) == Path("/a")
    assert root({"XDG_STATE_HOME": "/b"}) == Path("/b/podwright")
    assert root({"HOME": "/home/x"}) == Path("/home/x/.local/state/podwright")
    one, other = (
        Memory({"PODWRIGHT_STATE": str(tmp_path)}, "p/lab", "c"),
        Memory({"PODWRIGHT_STATE": str(tmp_path)}, "p/prod", "c"),
    )
    one.remember({"digest": "x"}, "kubeconfig text")
    assert (one.kubeconfig, other.kubeconfig) == ("kubeconfig text", None)
    one.forget()
    assert one.facts == {}
    assert not one.folder.exists()
