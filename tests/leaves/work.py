"""What runs in pods: selectors, names of ports, probes, resources, memory, rendezvous, roll-outs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from tests.leaves.reading import Pods, at, entries, matched, pods, space, title
from tests.platforms.placing import quantity
from tests.platforms.planned import Object, of_kind

_LONG: Final = 30
"""terminationGracePeriodSeconds unless given (https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/)."""


def selected(found: list[Object]) -> Iterator[str]:
    """Services, budgets and spreading mean the pods of one workload, not those beside it in the namespace."""
    made = pods(found)
    for run in made:
        for what, selector in _selectors(run, found):
            other = {**run.labels, "app.kubernetes.io/name": "beside"}
            if not matched(selector, run.labels):
                yield f"{run.name}: {what} does not select its pods"
            elif matched(selector, other):
                yield f"{run.name}: {what} selects pods of other workloads too"
    for kind in ("Service", "PodDisruptionBudget"):
        for each in of_kind(found, kind):
            selector = (
                {"matchLabels": at(each, "spec", "selector")} if kind == "Service" else at(each, "spec", "selector")
            )
            if not any(matched(selector, one.labels) for one in made if one.space == space(each)):
                yield f"{title(each)} selects nothing"


def _selectors(each: Pods, found: list[Object]) -> Iterator[tuple[str, Any]]:
    name = each.owner["metadata"]["name"]
    for one in found:
        if (space(one), at(one, "metadata", "name")) == (each.space, name):
            if one["kind"] == "Service":
                yield "its service", {"matchLabels": at(one, "spec", "selector")}
            elif one["kind"] in ("PodDisruptionBudget", "Deployment"):
                yield one["kind"], at(one, "spec", "selector")
    for one in entries(each.spec, "topologySpreadConstraints"):
        yield "spreading", at(one, "labelSelector")
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    for one in entries(each.spec, "affinity", "podAntiAffinity", required):
        yield "its anti-affinity", at(one, "labelSelector")


def named(found: list[Object]) -> Iterator[str]:
    """Ports that services and probes name are ports of the containers."""
    for run in pods(found):
        ports = [port for box in run.containers() for port in entries(box, "ports")]
        names = {port.get("name") for port in ports} | {port.get("containerPort") for port in ports}
        for one in of_kind(found, "Service"):
            if matched({"matchLabels": at(one, "spec", "selector")}, run.labels) and space(one) == run.space:
                for port in entries(one, "spec", "ports"):
                    if port.get("targetPort", port.get("port")) not in names:
                        yield f"{title(one)} leads to a port that {run.name} does not have"
        for box in run.containers():
            for what in ("readinessProbe", "startupProbe", "livenessProbe"):
                if what in box and at(box, what, "httpGet", "port") not in names:
                    yield f"{run.name}: {what} asks at a port that it does not have"


def alive(found: list[Object]) -> Iterator[str]:
    """Probes ask for health, a start is given more time than a failure, and whoever goes is let go in order.

    https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/
    """
    for run in pods(found):
        for box in run.containers():
            probes = {what: box[what] for what in ("readinessProbe", "startupProbe", "livenessProbe") if what in box}
            for what, probe in probes.items():
                if at(probe, "httpGet", "path") in (None, "/"):
                    yield f"{run.name}: {what} asks for the first page, not for health"
            patience = {
                what: probe.get("periodSeconds", 10) * probe.get("failureThreshold", 3)
                for what, probe in probes.items()
            }
            if patience and patience["startupProbe"] <= patience["livenessProbe"]:
                yield f"{run.name}: a start has {patience['startupProbe']} s, no more than a failure"
            for what in ("readinessProbe", "livenessProbe") if probes else ():
                if probes[what].get("timeoutSeconds", 1) <= 1:
                    yield f"{run.name}: a server that is busy for a second is taken for a dead one"
            pause = at(box, "lifecycle", "preStop", "sleep", "seconds") or 0
            if probes and not 0 < pause < run.spec.get("terminationGracePeriodSeconds", _LONG):
                yield f"{run.name}: ends before its endpoint is gone"
            if run.spec.get("terminationGracePeriodSeconds", _LONG) <= _LONG + pause:
                yield f"{run.name}: {_LONG} s to write a checkpoint or to answer what is under way"


def whole(found: list[Object]) -> Iterator[str]:
    """Pods have cores and memory of their own, and every setting a value.

    https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/
    """
    for run in pods(found):
        if not any(name.startswith("nvidia.com/") for name in run.devices()):
            yield f"{run.name} asks for no GPU"
        for box in run.containers():
            limits = at(box, "resources", "limits") or {}
            for name in ("cpu", "memory"):
                if name not in limits:
                    yield f"{run.name}: no limit of {name}: its cores or memory are not its own"
            for variable in entries(box, "env"):
                if not variable.get("value") and "valueFrom" not in variable:
                    yield f"{run.name}: {variable.get('name')} has no value"


def mounted(found: list[Object]) -> Iterator[str]:
    """Shared memory and huge pages are mounted as such, and no more pages asked for than a node has.

    https://kubernetes.io/docs/tasks/manage-hugepages/scheduling-hugepages/
    """
    for run in pods(found):
        paths = {
            mount.get("name"): mount.get("mountPath")
            for box in run.containers()
            for mount in entries(box, "volumeMounts")
        }
        mediums = {paths.get(one.get("name")): at(one, "emptyDir", "medium") for one in entries(run.spec, "volumes")}
        for box in run.containers():
            limits = at(box, "resources", "limits") or {}
            pages = [name for name in limits if name.startswith("hugepages-")]
            if pages and mediums.get("/dev/hugepages") != "HugePages-1Gi":
                yield f"{run.name}: pages are asked for and not mounted"
            reserved = [
                page.get("count", 0) * 1024 for profile in of_kind(found, "PerformanceProfile")
                for page in entries(profile, "spec", "hugepages", "pages") if page.get("size") == "1G"
            ]  # fmt: skip
            if any(quantity(name, limits[name]) > max(reserved, default=0) for name in pages):
                yield f"{run.name}: more pages than any node has"
        if "/dev/shm" in mediums and mediums["/dev/shm"] != "Memory":
            yield f"{run.name}: shared memory is on a disk"
        for name in paths:
            if name not in {one.get("name") for one in entries(run.spec, "volumes")}:
                yield f"{run.name} mounts {name}, which is no volume of it"


def at_home(found: list[Object]) -> Iterator[str]:
    """A HOME is mounted, and no folder on a node's disk is without its size.

    https://kubernetes.io/docs/concepts/storage/volumes/#emptydir
    """
    for run in pods(found):
        for one in entries(run.spec, "volumes"):
            if "emptyDir" in one and not at(one, "emptyDir", "medium") and not at(one, "emptyDir", "sizeLimit"):
                yield f"{run.name}: {one.get('name')} may fill its node's disk"
        for box in run.containers():
            paths = [mount.get("mountPath") for mount in entries(box, "volumeMounts")]
            for each in entries(box, "env"):
                if each.get("name") == "HOME" and each.get("value") not in paths:
                    yield f"{run.name}: its HOME is not mounted"


def met(found: list[Object]) -> Iterator[str]:
    """Members of a training job find each other: as many as there are, each with its GPUs, at the first one's name.

    https://docs.pytorch.org/docs/stable/elastic/run.html
    """
    for run in pods(found):
        for box in run.containers():
            command = entries(box, "command")
            options = dict(word.partition("=")[::2] for word in command if word.startswith("--"))
            if run.owner["kind"] == "Job" and ("--nnodes" in options or "torchrun" in command):
                yield from _gang(run, command, options, found)
            elif run.owner["kind"] == "Deployment":
                yield from _served(
                    run, entries(box, "args"), [at(one, "containerPort") for one in entries(box, "ports")]
                )


def _gang(each: Pods, command: list[str], options: dict[str, str], found: list[Object]) -> Iterator[str]:
    name = each.owner["metadata"]["name"]
    gpus = each.devices().get("nvidia.com/gpu")
    bare = [word for word in command if not word.startswith("--")]
    if len(bare) != 2 or bare[0] != "torchrun":
        yield f"{each.name} runs {' '.join(bare)}: torchrun and a program are needed"
    if options.get("--nnodes") != str(each.count) or options.get("--nproc-per-node") != gpus:
        yield f"{each.name}: {options.get('--nnodes')} members with {options.get('--nproc-per-node')} processes"
    if options.get("--rdzv-backend") != "c10d" or not options.get("--rdzv-id"):
        yield f"{each.name}: members wait for no rendezvous"
    services = {at(one, "metadata", "name"): one for one in of_kind(found, "Service") if space(one) == each.space}
    service = services.get(str(each.spec.get("subdomain")))
    wanted = f"{name}-0.{each.spec.get('subdomain')}.{each.space}.svc:"
    endpoint = str(options.get("--rdzv-endpoint"))
    ports = [one.get("port") for one in entries(service, "spec", "ports")] if service else []
    if not re.fullmatch(re.escape(wanted) + r"\d+", endpoint) or int(endpoint.rpartition(":")[2]) not in ports:
        yield f"{each.name} meets at {endpoint}, and its first member is at {wanted}{ports}"
    elif at(service, "spec", "clusterIP") != "None" or at(service, "spec", "publishNotReadyAddresses") is not True:
        yield f"{each.name}: names of members are there only when they are ready, or not at all"
    if at(each.owner, "spec", "completionMode") != "Indexed" or at(each.owner, "spec", "backoffLimitPerIndex") is None:
        yield f"{each.name}: six failures of any members end the whole job"


def _served(each: Pods, words: list[str], ports: list[Any]) -> Iterator[str]:
    given = dict(zip(words[::2], words[1::2], strict=False))
    if len(words) % 2 or not all(word.startswith("--") for word in given):
        yield f"{each.name}: its options and their values do not pair up"
    elif str(given.get("--port")) not in map(str, ports):
        yield f"{each.name} listens at {given.get('--port')}, its port is {ports}"
    elif "--model" not in given or given.get("--tensor-parallel-size") not in each.devices().values():
        yield f"{each.name} uses other GPUs than it asks for"


def rolled(found: list[Object]) -> Iterator[str]:
    """An update of a service needs no GPU that is not there, takes no more replicas than a drain may, and ends.

    https://kubernetes.io/docs/concepts/workloads/controllers/deployment/
    """
    budgets = {
        (space(each), at(each, "metadata", "name")): at(each, "spec", "maxUnavailable")
        for each in of_kind(found, "PodDisruptionBudget")
    }
    for each in of_kind(found, "Deployment"):
        rolling = at(each, "spec", "strategy", "rollingUpdate") or {}
        if rolling.get("maxSurge", "25%") != 0:
            yield f"{title(each)}: an update asks for GPUs beside those of all replicas"
        if (at(each, "spec", "replicas") or 1) <= 1:
            yield f"{title(each)}: the only replica goes with its node"
        budget = budgets.get((space(each), at(each, "metadata", "name")))
        if not isinstance(budget, int) or rolling.get("maxUnavailable", "25%") != budget:
            yield f"{title(each)}: an update takes {rolling.get('maxUnavailable', '25%')} away, a drain {budget}"
        box = at(each, "spec", "template", "spec", "containers", 0) or {}
        probe = at(box, "startupProbe") or {}
        start = probe.get("periodSeconds", 10) * probe.get("failureThreshold", 3)
        if start >= (at(each, "spec", "progressDeadlineSeconds") or 600):
            yield f"{title(each)}: an update is given up while a replica may still start"
    known = {at(each, "metadata", "name"): each for each in of_kind(found, "PriorityClass")}
    for name, each in known.items():
        if not each.get("value"):
            yield f"PriorityClass {name} is no higher than having none"
    for run in pods(found):
        if run.spec.get("priorityClassName") not in known:
            yield f"{run.name} has no priority of the plan"
