"""What this project defines: two separate fabrics, the servers on them, two pools, a team and its job."""

from ipaddress import IPv4Address, IPv4Network
from typing import Any

from podwright.components.model import (
    Addressing,
    Bmc,
    Fabric,
    FabricArgs,
    Intersight,
    Leaf,
    OpenShift,
    Operators,
    Pool,
    Publish,
    Rack,
    Server,
    Site,
    Spine,
    Team,
    Training,
)

CLUSTER = "duo"
MODEL = "N9K-C9364D-GX2A"
SITE = Site(
    ntp=("192.0.2.1",),
    dns=("192.0.2.1",),
    domain="example.com",
    racks={name: Rack(power_domain=f"feed-{name}") for name in ("r1", "r2", "r3")},
)
BMC = Bmc(password="bmc-admin")
INTERSIGHT = Intersight(key_id="lab0account/lab0user/lab0key", key="intersight-key")


def training_server(number: int) -> Server:
    """GPU server `number`: 1 and 2 hang on the first fabric, 3 and 4 on the second."""
    return Server(
        model="UCSC-885A-M8",
        index=(number - 1) % 2 + 1,
        pool="first" if number <= 2 else "second",
        serial=f"WZP0000001{number}",
        rack=f"r{(number - 1) % 3 + 1}",
        address=IPv4Address(f"192.0.2.14{number}"),
        boot_mac=f"02:00:00:00:02:0{number}",
        bmc=IPv4Address(f"192.0.2.11{number}"),
        gpus="NVIDIA-H200",
        group=1,
    )


def control_plane(number: int) -> Server:
    """Control-plane host `number`."""
    return Server(
        model="UCSC-C225-M8N",
        index=10 + number,
        pool="control-plane",
        serial=f"WZP0000002{number}",
        rack=f"r{number}",
        address=IPv4Address(f"192.0.2.13{number}"),
        boot_mac=f"02:00:00:00:01:0{number}",
        bmc=IPv4Address(f"192.0.2.10{number}"),
    )


GPU_SERVERS = {f"gpu-0{number}": training_server(number) for number in range(1, 5)}
CONTROL_PLANE = {f"cp-0{number}": control_plane(number) for number in range(1, 4)}
SERVERS = {**CONTROL_PLANE, **GPU_SERVERS}


def members(pool: str) -> dict[str, Server]:
    """Servers of a pool."""
    return {name: server for name, server in SERVERS.items() if server.pool == pool}


def fabric(number: int, pool: str) -> FabricArgs:
    """A fabric of one leaf and one spine that carries all rails of one pool's servers."""
    common: dict[str, Any] = {"model": MODEL, "index": 1, "rack": "r1"}
    return FabricArgs(
        cluster=CLUSTER,
        site=SITE,
        fabric=Fabric(
            release="10.4(5)",
            credential="switch-admin",
            addressing=Addressing(
                loopbacks=IPv4Network(f"10.{number}.0.0/24"),
                links=IPv4Network(f"10.1{number}.0.0/16"),
                hosts=IPv4Network(f"10.6{number}.0.0/16"),
            ),
            links_per_pair=16,
            spines={
                f"spine-0{number}": Spine(
                    **common, management=IPv4Address(f"192.0.2.2{number}"), serial=f"FDO0000002{number}", asn=65000
                )
            },
            leaves={
                f"leaf-0{number}": Leaf(
                    **common,
                    management=IPv4Address(f"192.0.2.1{number}"),
                    serial=f"FDO0000001{number}",
                    asn=64600,
                    rails=tuple(range(8)),
                )
            },
        ),
        hosts=dict(members(pool)),
    )


FABRICS = {"east": fabric(1, "first"), "west": fabric(2, "second")}
POOLS = {"first": Pool(purpose="training", rails=True), "second": Pool(purpose="training", rails=True)}
OPENSHIFT = OpenShift(
    version="4.20.3",
    domain="example.com",
    api_vip=IPv4Address("192.0.2.200"),
    ingress_vip=IPv4Address("192.0.2.201"),
    machine_network=IPv4Network("192.0.2.0/24"),
    gateway=IPv4Address("192.0.2.1"),
    pull_secret="pull-secret",
    ssh_key="ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKq7J0mJ3o0l2nq9x4xJm1Xx1t8m8w1wq5mQ2Jb1y2l3 core@lab",
    publish=Publish(directory="~/.podwright/publish", url="http://192.0.2.2:8080"),
)
OPERATORS = Operators(release="2026.11")
TEAM = Team(gpus=16)
JOB = Training(
    team="research",
    pool="first",
    nodes=2,
    image="registry.example.com/research/pretrain@sha256:5b0bcabd1ed22e9fb1310cf6c2dec7cdef19f0ad69efa1f392e94a4333501270",
)
