"""Stack files by lot: servers, GPUs, pools, MIG layouts, rails, the lossless class, teams and what they run.

What is drawn may contradict itself: `check` decides what is a platform, and `tests/platforms` looks at what is left.
"""

import random
from collections.abc import Callable
from typing import Any

from podwright.components.model.catalogue import GPUS, RELEASE_SETS, SERVERS
from podwright.components.model.catalogue.mig import layout, layouts
from tests.platforms.beside import backup, mirror, storage
from tests.platforms.cabled import backend, frontend
from tests.platforms.hosted import cluster_wide, hosts, operators, route, shared

Section = dict[str, Any]
SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKq7J0mJ3o0l2nq9x4xJm1Xx1t8m8w1wq5mQ2Jb1y2l3 core@drawn"
RAILED = "UCSC-885A-M8"
"""The model of the catalogue whose rails are known."""
FEEDS = ("feed-a", "feed-b", "feed-c")
WORK_IMAGE = "registry.example.com/work/image@sha256:5b0bcabd1ed22e9fb1310cf6c2dec7cdef19f0ad69efa1f392e94a4333501270"
NAMES = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath")


def drawn(seed: str) -> Section:
    """What stands below `podwright:cluster` in the file of this seed."""
    lot = random.Random(seed)
    cluster: Section = {"name": lot.choice(("pod", "ai-1", "x")), "site": _site(lot)}
    groups = lot.choice((1, 1, 2, 3))
    cluster["fabric"] = backend(lot, groups)
    cluster |= {"intersight": {"key_id": "a/b/c", "key": "intersight-key"}, "bmc": {"password": "bmc-admin"}}
    cluster["servers"], cluster["pools"] = _pools(lot, groups, cluster)
    if lot.random() < 0.3:
        frontend(lot, cluster)
    _openshift(lot, cluster)
    _work(lot, cluster)
    storage(lot, cluster)
    if any(pool.get("rails") for pool in cluster["pools"].values()):
        cabled = [each["group"] for each in cluster["servers"].values() if "group" in each]
        senders = max(map(cabled.count, cabled)) - 1
        measured = {"fan_in": lot.randint(2, senders)} if senders > 1 else {"enabled": False}
        cluster["acceptance"] = {"image": WORK_IMAGE, **measured}
    return cluster


def _site(lot: random.Random) -> Section:
    racks = {f"r{number}": {"power_domain": FEEDS[number % 3]} for number in range(1, lot.randint(3, 6) + 1)}
    return {"ntp": ["192.0.2.1"], "dns": ["192.0.2.1"], "domain": "example.com", "racks": racks}


class _Machines:
    """Servers of a file, each with addresses of its own; rail servers are counted in their leaf group."""

    def __init__(self, lot: random.Random, cluster: Section) -> None:
        self._lot, self._racks = lot, list(cluster["site"]["racks"])
        self.made: dict[str, Section] = {}
        self._in_group: dict[int, int] = {}

    def add(self, pool: str, model: str, group: int | None = None, **more: Any) -> None:
        """One server."""
        number = len(self.made) + 1
        index = 40 + number
        if group is not None:
            index = self._in_group[group] = self._in_group.get(group, 0) + 1
            more["group"] = group
        self.made[f"{pool[:8]}-{number:02d}"] = {
            "model": model, "index": index, "pool": pool, "serial": f"WZP{number:08d}",
            "rack": self._racks[number % len(self._racks)], "address": f"192.0.2.{130 + number}",
            "boot_mac": f"02:00:00:00:00:{number:02x}", "bmc": f"192.0.2.{60 + number}", **more,
        }  # fmt: skip

    def sized(self) -> Section:
        """Processors and memory other than the catalogue's, now and then."""
        given: Section = {}
        if self._lot.random() < 0.2:
            given["cores"] = self._lot.choice((16, 32, 96, 112, 192))
        if self._lot.random() < 0.2:
            given["memory_gib"] = self._lot.choice((256, 512, 1024, 3072))
        return given


def _pools(lot: random.Random, groups: int, cluster: Section) -> tuple[dict[str, Section], dict[str, Section]]:
    machines = _Machines(lot, cluster)
    model = lot.choice(("UCSC-C225-M8N", "UCSC-C220-M8S", "UCSC-C245-M8SX"))
    for _ in range(3):
        machines.add("control-plane", model)
    pools: dict[str, Section] = {}
    names = iter(lot.sample(NAMES, len(NAMES)))
    makers: list[Callable[..., Section]] = [_training] * lot.choice((0, 1, 1, 2)) + [_inference] * lot.choice(
        (0, 1, 1, 2)
    )
    makers += [_plain] * lot.choice((0, 0, 1)) or ([] if makers else [_plain])
    for make in makers:
        name = next(names)
        pools[name] = make(lot, name, machines, groups)
        if lot.random() < 0.3:
            pools[name]["max_unavailable"] = lot.randint(
                1, sum(each["pool"] == name for each in machines.made.values())
            )
        if lot.random() < 0.2:
            pools[name]["transparent_hugepages"] = lot.choice(("always", "madvise", "never"))
        if lot.random() < 0.2:
            _roles(lot, name, cluster)
        pools[name] |= shared(lot, pools[name])
    return machines.made, pools


def _roles(lot: random.Random, pool: str, cluster: Section) -> None:
    smt = {"enabled": lot.random() < 0.3, "reason": "collectives wait for the slowest thread of a core"}
    cluster.setdefault("compute", {"roles": {}})["roles"][f"role-{pool}"] = {"pools": [pool], "smt": smt}


def _training(lot: random.Random, name: str, machines: _Machines, groups: int) -> Section:
    """Servers on the rails, of one leaf group or several, of one GPU product or two."""
    products = lot.sample(sorted(SERVERS[RAILED].gpus), lot.choice((1, 1, 1, 2)))
    sized, rails = machines.sized(), lot.random() < 0.8
    for _ in range(lot.randint(1, 4)):
        # Off the rails they may be cabled all the same.
        group = lot.randint(1, groups) if rails or lot.random() < 0.5 else None
        own = {"nics": {lot.randrange(8): "0000:b1:00.0"}} if group and lot.random() < 0.1 else {}
        machines.add(name, RAILED, group, gpus=lot.choice(products), **sized, **own)
    return {"purpose": "training", **({"rails": True} if rails else {}), **_huge(lot)}


def _inference(lot: random.Random, name: str, machines: _Machines, _: int) -> Section:
    """Servers of any model that takes GPUs; layouts are those that every one of them knows."""
    able = [each for each in SERVERS.values() if each.gpus and each.platform == "Standalone"]
    model = lot.choice(able)
    products = lot.sample(sorted(model.gpus), lot.choice((1, 1, 1, min(2, len(model.gpus)))))
    sized = machines.sized()
    for _ in range(lot.randint(1, 3)):
        product = lot.choice(products)
        machines.add(name, model.name, gpus=product, gpu_count=lot.choice(model.gpus[product].counts), **sized)
    common = set.intersection(*(set(layouts(GPUS[each])) for each in products))
    mig = {"mig": lot.choice(sorted(common))} if common and lot.random() < 0.7 else {}
    return {"purpose": "inference", **mig, **_huge(lot)}


def _plain(lot: random.Random, name: str, machines: _Machines, _: int) -> Section:
    for _ in range(lot.choice((1, 2, 2, 2))):
        machines.add(name, lot.choice(("UCSC-C225-M8N", "UCSC-C240-M7SX")))
    return {"purpose": lot.choice(("cpu", "infrastructure"))}


def _huge(lot: random.Random) -> Section:
    return {"hugepages_gib": lot.choice((1, 8, 16, 64))} if lot.random() < 0.3 else {}


def _openshift(lot: random.Random, cluster: Section) -> None:
    release = lot.choice(sorted(RELEASE_SETS))
    cluster["operators"] = {"release": release, "gpu_node_tolerations": lot.random() < 0.9}
    cluster["openshift"] = {
        "version": f"{RELEASE_SETS[release].openshift}.{lot.randint(0, 20)}", "domain": "example.com",
        "api_vip": "192.0.2.240", "ingress_vip": "192.0.2.241", "machine_network": "192.0.2.0/24",
        "gateway": "192.0.2.250", "ssh_key": SSH_KEY, "publish": {"url": "http://192.0.2.2:8080"},
        **backup(lot), **mirror(lot), **cluster_wide(lot, cluster["pools"]),
    }  # fmt: skip
    mirrored = "mirror" in cluster["openshift"]
    cluster["operators"] |= operators(lot, mirrored=mirrored)
    for pool in cluster["pools"].values():
        pool.update(hosts(lot, pool, mirrored=mirrored))


def _work(lot: random.Random, cluster: Section) -> None:
    """Jobs and services on the pools, and teams whose quotas hold them."""
    training: dict[str, Section] = {}
    inference: dict[str, Section] = {}
    teams: dict[str, Section] = {}
    for pool, section in cluster["pools"].items():
        servers = [each for each in cluster["servers"].values() if each["pool"] == pool]
        for number in range(lot.choice((0, 1, 1, 1, 1, 2))):
            team = f"team-{lot.choice('abc')}"
            quota = teams.setdefault(team, {"gpus": 0, "slices": {}, "shares": {}})
            if section["purpose"] == "training":
                job = _job(lot, section, servers)
                training[f"job-{pool}-{number}"] = {"team": team, "pool": pool, "image": WORK_IMAGE, **job}
                quota["gpus"] += job["nodes"] * job["gpus"]
            elif section["purpose"] == "inference":
                service = _service(lot, section, servers)
                inference[f"service-{pool}-{number}"] = {"team": team, "pool": pool, "image": WORK_IMAGE, **service}
                kind = "shares" if "sharing" in section else "slices"
                if "slice" in service or kind == "shares":
                    counted, profile = quota[kind], service.get("slice", "gpu")
                    counted[profile] = counted.get(profile, 0) + service["replicas"] * service["gpus"]
                else:
                    quota["gpus"] += service["replicas"] * service["gpus"]
    cluster["openshift"]["teams"] = teams
    cluster["workloads"] = {"training": training, "inference": inference}
    for pool, section in cluster["pools"].items():
        if not any(each["pool"] == pool and "hugepages_gib" in each for each in (training | inference).values()):
            section.pop("hugepages_gib", None)


def _amounts(lot: random.Random, server: Section, shares: int) -> Section:
    """Cores and memory of one pod where `shares` of them may be on a server: mostly less than their part of it."""
    model = SERVERS[server["model"]]
    cores = server.get("cores") or model.sockets * model.cores
    memory = server.get("memory_gib") or model.memory_gib
    part = lot.choice((0.2, 0.5, 0.8, 0.95, 0.99))
    return {
        "cpus": min(128, max(1, int(cores * part / shares))),
        "memory_gib": min(2048, max(4, int(memory * part / shares))),
    }


def _job(lot: random.Random, pool: Section, servers: list[Section]) -> Section:
    amounts = _amounts(lot, servers[0], lot.choice((1, 1, 2)))
    made = {
        "nodes": lot.randint(1, len(servers)), "gpus": lot.choice((8, 8, 4, 2, 1)), **amounts,
        "shm_gib": max(1, min(64, amounts["memory_gib"] // 2)),
    }  # fmt: skip
    return made | _asked(lot, pool)


def _service(lot: random.Random, pool: Section, servers: list[Section]) -> Section:
    """Replicas of GPUs or of one profile of the pool's layout, up to a few more than there is room for."""
    made: Section = {"model": "m-1", "gpus": lot.choice((1, 1, 1, 2, 3)), "port": lot.choice((8000, 8080))}
    counts = [each["gpu_count"] for each in servers]
    have = sum(counts)
    if "mig" in pool:
        slices = layout(GPUS[servers[0]["gpus"]], pool["mig"]) or {}
        made["slice"], each = lot.choice(sorted(slices.items()))
        have *= each
    if "sharing" in pool:
        made["gpus"] = lot.choice((1, 1, 1, 1, 1, 2))
        have *= pool["sharing"]["replicas"]
    room = max(1, have // made["gpus"])
    made["replicas"] = max(1, min(room, lot.choice((1, 1, 2, room // 2, room // 2, room))))
    shares = max(1, -(-made["replicas"] // len(servers)))
    return made | _amounts(lot, servers[0], shares) | _asked(lot, pool) | route(lot)


def _asked(lot: random.Random, pool: Section) -> Section:
    reserved = pool.get("hugepages_gib")
    return {"hugepages_gib": max(1, reserved // lot.choice((1, 2, 4)))} if reserved and lot.random() < 0.8 else {}
