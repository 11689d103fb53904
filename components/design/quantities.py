"""Amounts as Kubernetes writes them back once a program in Go has read them: the largest suffix that loses nothing.

A webhook that decodes an object and writes it again changes each amount to that: 1024Gi becomes 1Ti, 2000 becomes 2k,
0Gi becomes 0 (https://pkg.go.dev/k8s.io/apimachinery/pkg/api/resource#Quantity, "canonical form"). Of kinds that are
built in the Kubernetes plugin takes both for the same; of others whatever is written otherwise is a difference at every
preview (pulumi-kubernetes v4.25.0, provider/pkg/clients/unstructured.go, Normalize).
"""

import re
from collections.abc import Mapping
from typing import Any, Final

_BINARY: Final = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_DECIMAL: Final = ("", "k", "M", "G", "T", "P", "E")
_OF_CONTAINERS: Final = ("requests", "limits")
"""Fields of a container's resources; each of their values is an amount."""
REWRITTEN: Final = frozenset({"JobSet", "InferenceService"})
"""Kinds with pods in them that are not built in, and whose webhooks write each object back (kubernetes-sigs/jobset
v0.12.0, pkg/webhooks/jobset_webhook.go; kserve v0.20.0, pkg/apis/serving/v1beta1/inference_service_defaults.go). With a
TrainingRuntime nobody does: its webhook only refuses (kubeflow/trainer v2.3.0, pkg/webhooks).
"""


def gib(number: int) -> str:
    """So many GiB."""
    return canonical(f"{number}Gi")


def count(number: int) -> str:
    """So many of what is counted: devices, processors, weights."""
    return canonical(str(number))


def canonical(amount: str) -> str:
    """An amount as it is written back; what is no whole number with or without a suffix stays as it is."""
    found = re.fullmatch(r"(\d+)([a-zA-Z]*)", amount)
    if found is None:
        return amount
    number, suffix = int(found[1]), found[2]
    for step, suffixes in ((1000, _DECIMAL), (1024, _BINARY)):
        if suffix in suffixes:
            return _shortest(number, step, suffixes[suffixes.index(suffix) :])
    return amount


def written_back(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The object, amounts of its pods as its webhooks leave them, where it has such.

    Whatever has a digest of it takes that before: a job that runs is not made again because its 1024Gi are 1Ti now.
    """
    return {key: _pods(key, each) for key, each in manifest.items()} if manifest["kind"] in REWRITTEN else {**manifest}


def _pods(key: str, found: Any) -> Any:
    if key in _OF_CONTAINERS and isinstance(found, Mapping):
        return {name: canonical(str(each)) for name, each in found.items()}
    if isinstance(found, Mapping):
        return {name: _pods(name, each) for name, each in found.items()}
    if isinstance(found, list | tuple):
        return [_pods("", each) for each in found]
    return canonical(found) if key == "sizeLimit" else found


def _shortest(number: int, step: int, suffixes: tuple[str, ...]) -> str:
    """The number with the last of the suffixes with which it is a whole one; as it stands it has the first of them."""
    if number == 0:
        return "0"
    index = 0
    while number % step == 0 and index < len(suffixes) - 1:
        number, index = number // step, index + 1
    return f"{number}{suffixes[index]}"
