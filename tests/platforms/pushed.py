"""Platforms of which one workload is made to ask for another amount than was drawn: for what there is, or for more."""

from __future__ import annotations

import copy
import random
from typing import Any, Final

from podwright.components.model.catalogue import GPUS
from podwright.components.model.catalogue.mig import layouts
from tests.platforms.drawn import drawn

Section = dict[str, Any]
_JOB: Final = ("nodes", "gpus", "cpus", "memory_gib", "hugepages_gib", "quota")
_SERVICE: Final = ("replicas", "gpus", "cpus", "memory_gib", "hugepages_gib", "slice", "quota", "canary")


def pushed(seed: str) -> tuple[Section, str]:
    """The stack file of this seed, and what was made of it; empty where it has no workload."""
    lot = random.Random(f"{seed}/pushed")
    file = copy.deepcopy(drawn(seed))
    work = [(kind, name) for kind in ("training", "inference") for name in file["workloads"][kind]]
    if not work:
        return file, ""
    kind, name = lot.choice(work)
    job = file["workloads"][kind][name]
    what = lot.choice(_JOB if kind == "training" else _SERVICE)
    _push(lot, file, job, what)
    _requota(file, job, tight=what == "quota")
    return file, f"{name}: {what}"


def _push(lot: random.Random, file: Section, job: Section, what: str) -> None:
    if what == "slice":
        product = next(each["gpus"] for each in file["servers"].values() if each["pool"] == job["pool"])
        known = sorted({name for layout in layouts(GPUS[product]) for name in [layout.removeprefix("all-")]})
        job[what] = lot.choice([*known, "1g.99gb"])
    elif what == "hugepages_gib":
        job[what] = job.get(what, 0) * lot.choice((1, 2)) + lot.choice((0, 1, 8))
    elif what == "canary":
        _canary(lot, job)
    elif what != "quota":
        grown = job[what] * lot.choice((1, 1.2, 1.5, 2, 3)) + lot.choice((0, 1, 2))
        job[what] = min(int(grown), {"gpus": 16, "cpus": 128, "memory_gib": 2048}.get(what, 512))
        if what == "memory_gib" and "shm_gib" in job:
            job["shm_gib"] = max(1, min(64, job[what] // 2))


def _canary(lot: random.Random, service: Section) -> None:
    """A second version of a few replicas, of as many as the first has, or of more than there may be room for."""
    own = service["replicas"]
    host = {"host": f"{service['team']}.example.com"}
    service["route"] = {**host, **service.get("route", {}), "balance": "roundrobin"}
    replicas = lot.choice((1, own, own, 2 * own + lot.choice((0, 1, 8))))
    service["canary"] = {"image": f"{service['image'][:-1]}1", "replicas": min(512, replicas), "percent": 50}


def _requota(file: Section, job: Section, *, tight: bool) -> None:
    """Every team's quota holds what its workloads ask for; of `tight` the team of this one has one too few."""
    teams: dict[str, Section] = {name: {"gpus": 0, "slices": {}, "shares": {}} for name in file["openshift"]["teams"]}
    for each in file["workloads"]["training"].values():
        teams[each["team"]]["gpus"] += each["nodes"] * each["gpus"]
    for each in file["workloads"]["inference"].values():
        replicas = each["replicas"] + each.get("canary", {}).get("replicas", 0)
        quota, asked = teams[each["team"]], replicas * each["gpus"]
        kind = "shares" if "sharing" in file["pools"][each["pool"]] else "slices"
        if "slice" in each or kind == "shares":
            profile = each.get("slice", "gpu")
            quota[kind][profile] = quota[kind].get(profile, 0) + asked
        else:
            quota["gpus"] += asked
    if tight:
        short = teams[job["team"]]
        kinds = [short["slices"], short["shares"]]
        if short["gpus"]:
            short["gpus"] -= 1
        elif some := next((each for each in kinds if each), None):
            key = next(iter(some))
            some[key] -= 1
    file["openshift"]["teams"] |= {name: {**file["openshift"]["teams"][name], **quota} for name, quota in teams.items()}
