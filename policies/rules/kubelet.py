"""Rules about what a pool's nodes boot with: one object writes each file."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from .kubernetes import kind, of_kind
from .resource import Resource
from .rule import Finding, NotApplicable, StackRule, items, nothing, strings

_GUIDE: Final = "https://docs.redhat.com/en/documentation/openshift_container_platform/4.20/html/machine_configuration/machine-configs-custom"
_ROLE: Final = "machineconfiguration.openshift.io/role"
_WRITERS: Final = ("KubeletConfig", "PerformanceProfile")
_RUNTIME: Final = "ContainerRuntimeConfig"


def _kubelet(resources: Sequence[Resource]) -> Iterator[Finding]:
    """A KubeletConfig is a pool's whole kubelet.conf, and a PerformanceProfile makes one of its own."""
    yield from _alone(resources, _WRITERS)


def _runtime(resources: Sequence[Resource]) -> Iterator[Finding]:
    """Each ContainerRuntimeConfig is the whole storage.conf."""
    yield from _alone(resources, (_RUNTIME,))


def _alone(resources: Sequence[Resource], kinds: Sequence[str]) -> Iterator[Finding]:
    """Of objects of these kinds, those that are not the first one of their pool."""
    writers = [each for each in resources if kind(each) in kinds]
    if not writers:
        raise NotApplicable(f"no {' or '.join(kinds)}")
    for pool in (each for each in resources if kind(each) == "MachineConfigPool"):
        labels = strings((pool.props.get("metadata") or {}).get("labels"))
        found = [each for each in writers if _selects(each, labels)]
        for each in found[1:]:
            message = f"{kind(each)} {each.name} is for pool {pool.name}, as {kind(found[0])} {found[0].name} is"
            yield Finding(message, each.urn)


def _selects(resource: Resource, labels: Mapping[str, str]) -> bool:
    selector: Any = (resource.props.get("spec") or {}).get("machineConfigPoolSelector") or {}
    wanted = strings(selector if kind(resource) == "PerformanceProfile" else selector.get("matchLabels"))
    return bool(wanted) and wanted.items() <= labels.items()


def _files(resources: Sequence[Resource]) -> Iterator[Finding]:
    """Of two MachineConfigs of one role with a file, the later name has its way without a word."""
    configs = [each for each in resources if kind(each) == "MachineConfig"]
    if not configs:
        raise NotApplicable("no MachineConfig")
    written: Counter[tuple[str, str]] = Counter()
    for each in sorted(configs, key=lambda one: one.name):
        role = strings((each.props.get("metadata") or {}).get("labels")).get(_ROLE, "")
        storage = ((each.props.get("spec") or {}).get("config") or {}).get("storage") or {}
        for path in sorted({str(row.get("path")) for row in items(storage.get("files"))}):
            written[role, path] += 1
            if written[role, path] > 1:
                yield Finding(f"MachineConfig {each.name} writes {path} of {role}, as one before it does", each.urn)


KUBELET: tuple[StackRule, ...] = (
    StackRule(
        id="platform-one-kubelet-config",
        title="One object writes a pool's kubelet.conf",
        why="Each KubeletConfig is the whole file: of two for one pool the later one hides the other, its taints, "
        "processors and reserved memory with it.",
        fix="Write it into one; beside a PerformanceProfile use its own fields or kubeletconfig.experimental.",
        reference=_GUIDE,
        severity="high",
        excused_by=nothing,
        types=of_kind("MachineConfigPool", *_WRITERS),
        compare=_kubelet,
    ),
    StackRule(
        id="platform-one-runtime-config",
        title="One ContainerRuntimeConfig is for a pool",
        why="Each one writes the whole file of a setting: of two for one pool the later one hides the other's size of "
        "layers or log level.",
        fix="Write it into one; processes of a pod and sizes of logs belong into the KubeletConfig.",
        reference=_GUIDE,
        severity="medium",
        excused_by=nothing,
        types=of_kind("MachineConfigPool", _RUNTIME),
        compare=_runtime,
    ),
    StackRule(
        id="platform-one-writer-of-a-file",
        title="One MachineConfig of a role writes a file",
        why="The Machine Config Operator merges them in the order of their names: the last one has its way, and the "
        "other stays there as if it were in force.",
        fix="Write the file in one of them. /etc/chrony.conf is that of site.ntp.",
        reference=_GUIDE,
        severity="medium",
        excused_by=nothing,
        types=of_kind("MachineConfig"),
        compare=_files,
    ),
)
