"""Sets by seed: pools of servers in racks and leaf groups, teams with quotas and limits, jobs, and events."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from tests.model.changes import LAB, Said
from tests.queue_sets.reference import Quota

GPUS: Final = 8
SERVERS: Final = (32, 36)
TEAMS: Final = ("audio", "robotics", "speech", "vision")
POOLS: Final = ("training", "tuning")
_MODEL: Final = "UCSC-885A-M8"


@dataclass
class Drawn:
    """One set: the stack file that it is, and the same once more for those who have not read the file."""

    seed: str
    random: Random = field(init=False)
    file: Said = field(init=False)
    quotas: dict[tuple[str, str], Quota] = field(init=False, default_factory=dict)
    borrows: bool = field(init=False)

    def __post_init__(self) -> None:
        self.random = Random(self.seed)
        self.borrows = self.random.random() < 0.8
        self.file = copy.deepcopy(LAB)
        self.file["fabric"]["host_ports"] = self.random.choice(("access", "routed"))
        pools = POOLS[: self.random.choice((1, 2, 2))]
        railed = {pool: self.random.random() < 0.5 for pool in pools}
        self.file["pools"] = {
            "inference": self.file["pools"]["inference"],
            **{pool: {"purpose": "training", "rails": on} for pool, on in railed.items()},
        }
        self.counts = self._servers(railed)
        self._teams(pools)
        self.file["workloads"] = {"training": self._jobs(pools, railed), "inference": {}}
        self.file.pop("acceptance", None)

    def _servers(self, railed: Mapping[str, bool]) -> dict[str, int]:
        total = self.random.randint(*SERVERS)
        first = total if len(railed) == 1 else self.random.randint(total // 3, total - total // 4)
        counts = dict(zip(railed, (first, total - first), strict=False))
        self._place(counts, self.random.randint(2, 4), self.random.randint(1, 2))
        return counts

    def _place(self, counts: Mapping[str, int], racks: int, groups: int) -> None:
        """Servers of each pool over racks and leaf groups in turn."""
        kept = {name: each for name, each in self.file["servers"].items() if not name.startswith("gpu-")}
        names = [(pool, number) for pool, count in counts.items() for number in range(count)]
        for index, (pool, number) in enumerate(names):
            kept[f"gpu-{index:02}"] = {
                "model": _MODEL, "index": 50 + index, "pool": pool, "serial": f"WZQ{index:08}",
                "rack": f"r{number % racks + 1}", "address": f"198.51.100.{index + 10}",
                "boot_mac": f"02:00:00:00:07:{index:02x}", "bmc": f"203.0.113.{index + 10}",
                "gpus": "NVIDIA-H200", "group": number % groups + 1,
            }  # fmt: skip
        self.file["servers"] = kept

    def _teams(self, pools: tuple[str, ...]) -> None:
        names = TEAMS[: self.random.randint(2, 4)]
        rows: dict[str, dict[str, Any]] = {name: {"nominal": {}} for name in names}
        for pool in pools:
            parts = self._parts(self.counts[pool], len(names))
            for name, part in zip(names, parts, strict=True):
                rows[name]["nominal"][pool] = part * GPUS - self.random.choice((0, 0, 0, 3)) * (part > 0)
        fair = self.borrows and self.random.random() < 0.5
        if self.borrows:
            self._limits(rows)
        for name in names if fair else ():
            rows[name]["weight"] = self.random.choice((1, 1, 2, 4))
        self.file["openshift"]["queues"] = {
            "pools": list(pools), "borrow": self.borrows, "fair_sharing": fair, "evict_unready": True, "enforce": True,
            "teams": rows,
        }  # fmt: skip
        self.file["openshift"]["teams"] = {name: {"gpus": sum(rows[name]["nominal"].values())} for name in names}
        for name, row in rows.items():
            for pool, nominal in row["nominal"].items():
                limits = {key: row.get(key, {}).get(pool) for key in ("borrow", "lend")}
                self.quotas[name, pool] = Quota(nominal, **limits)

    def _parts(self, servers: int, teams: int) -> list[int]:
        """Servers by team, not always all of them."""
        cuts = sorted(self.random.randint(0, servers) for _ in range(teams - 1))
        return [after - before for before, after in zip([0, *cuts], [*cuts, servers], strict=True)]

    def _limits(self, rows: dict[str, dict[str, Any]]) -> None:
        """Limits of some teams: no more lent than there is, and no more borrowed than lent."""
        for row in rows.values():
            for pool, nominal in row["nominal"].items():
                if nominal and self.random.random() < 0.4:
                    row.setdefault("lend", {})[pool] = self.random.randint(0, nominal // GPUS) * GPUS
        for name, row in rows.items():
            for pool in row["nominal"]:
                others = [each for other, each in rows.items() if other != name]
                lent = sum(each.get("lend", {}).get(pool, each["nominal"][pool]) for each in others)
                if lent and self.random.random() < 0.4:
                    row.setdefault("borrow", {})[pool] = self.random.randint(0, lent)

    def _most(self, team: str, pool: str) -> int:
        """GPUs that the team may have."""
        own = self.quotas[team, pool]
        others = [each for (other, where), each in self.quotas.items() if where == pool and other != team]
        lent = sum(each.nominal - each.kept for each in others) if self.borrows else 0
        return own.nominal + (lent if own.borrow is None else min(lent, own.borrow))

    def _jobs(self, pools: tuple[str, ...], railed: Mapping[str, bool]) -> dict[str, Any]:
        """Sixty jobs, each no larger than its team may have and its pool has in one leaf group."""
        made: dict[str, Any] = {}
        image = LAB["workloads"]["training"]["pretrain"]["image"]
        for number in range(400):
            team, pool = self.random.choice([*self.quotas])
            gpus = GPUS if self.random.random() < 0.8 else self.random.randint(5, 8)
            groups = {each["group"] for each in self.file["servers"].values() if each["pool"] == pool}
            alike = self.counts[pool] // len(groups) if railed[pool] else self.counts[pool]
            nodes = min(self.random.choice((1, 2, 2, 3, 4, 4, 6, 8, 12)), alike, self._most(team, pool) // gpus)
            if nodes == 1 and not railed[pool] and self.random.random() < 0.3:
                gpus = self.random.randint(1, 4)
            if nodes and len(made) < 60:
                priority = "batch" if self.random.random() < 0.2 else "training"
                made[f"job-{number:03}"] = {
                    "team": team, "pool": pool, "nodes": nodes, "gpus": gpus, "priority": priority, "image": image,
                    "cpus": 8, "memory_gib": 96, "shm_gib": 8,
                }  # fmt: skip
        return made

    def events(self, count: int) -> Iterator[tuple[str, float]]:
        """What befalls the set in turn, each with a number from 0 to 1 that chooses among what there is. A server is
        lost in each set."""
        kinds = ("submit",) * 5 + ("rush",) * 2 + ("end",) * 3 + ("cancel", "lose", "return")
        drawn = [(self.random.choice(kinds), self.random.random()) for _ in range(count)]
        if all(kind != "lose" for kind, _ in drawn):
            drawn[-1] = ("lose", drawn[-1][1])
        yield "rush", self.random.random()
        yield from drawn

    def __str__(self) -> str:
        section = self.file["openshift"]["queues"]
        return f"seed {self.seed}: {json.dumps(self.counts)}, {json.dumps(section)}"
