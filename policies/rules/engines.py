"""Rules about servers of models: what may be changed in them from outside, and how they get their keys."""

import re
from collections.abc import Iterator
from typing import Any, Final

from .kubernetes import containers, kind, pod_spec, runs_pods
from .resource import Resource
from .rule import NotApplicable, Rule, items

_KEYS: Final = re.compile(
    r"(NGC(_CLI)?_API_KEY|NIM_NGC_API_KEY|HF_TOKEN|HUGGING_?FACE_HUB_TOKEN|AWS_SECRET_ACCESS_KEY|\w+_(API_KEY|PASSWORD))$"
)
"""Variables that NVIDIA's and Hugging Face's programs take a login from, and what is called like one."""
_NO_KEY: Final = re.compile(r"(?i:true|false|yes|no|on|off|[01])?|\$\([\w.-]+\)")
"""Nothing, a switch such as that of MYSQL_ALLOW_EMPTY_PASSWORD, and the value of another variable."""
_CONTROL: Final = "model-repository"
_FENCES: Final = {"http": "--http-restricted-api", "grpc": "--grpc-restricted-protocol"}
_CHANGING: Final = ("explicit", "poll")


def _words(box: Any) -> list[str]:
    return [str(word) for word in (*items(box.get("command")), *items(box.get("args")))]


def _value(words: list[str], option: str) -> Iterator[str]:
    """Values of an option, written with `=` or as the word behind it."""
    for number, word in enumerate(words):
        if word.startswith(f"{option}="):
            yield word.partition("=")[2]
        elif word == option and number + 1 < len(words):
            yield words[number + 1]


def _open(words: list[str]) -> Iterator[str]:
    """Protocols by which anybody loads models: those that are on and not restricted."""
    for protocol, option in _FENCES.items():
        on = next(_value(words, f"--allow-{protocol}"), "true").lower() not in ("false", "off", "0")
        fenced = {api for value in _value(words, option) for api in value.partition(":")[0].split(",")}
        if on and _CONTROL not in fenced:
            yield protocol


def _controlled(resource: Resource) -> Iterator[str]:
    found = False
    for box in containers(pod_spec(resource)):
        words = _words(box)
        if not any(word.rpartition("/")[2] == "tritonserver" for word in words):
            continue
        found = True
        mode = next(_value(words, "--model-control-mode"), "none")
        if mode not in _CHANGING:
            continue
        where = f"{kind(resource)} {resource.name}: Triton of container {box.get('name')}"
        if mode == "poll":
            yield f"{where} takes whatever is written into its repository (poll)"
        for protocol in _open(words) if mode == "explicit" else ():
            yield f"{where} loads models for anybody who reaches it by {protocol}"
    if not found:
        raise NotApplicable("no Triton")


def _plain(resource: Resource) -> Iterator[str]:
    for box in containers(pod_spec(resource)):
        for each in items(box.get("env")):
            if _KEYS.match(str(each.get("name"))) and not _NO_KEY.fullmatch(str(each.get("value") or "")):
                yield f"{kind(resource)} {resource.name}: container {box.get('name')} has {each['name']} in the plan"


ENGINES: tuple[Rule, ...] = (
    Rule(
        id="workloads-models-loaded-by-trusted",
        title="Whoever loads a model into Triton is trusted to",
        why="A model is code that runs with the server's rights: who may load one, or write into a repository that is "
        "polled, runs programs on the node's GPUs, with the pod's claims and accounts.",
        fix="Write --model-control-mode=none, or restrict model-repository by --http-restricted-api and "
        "--grpc-restricted-protocol, as services of engine triton have it.",
        reference="https://docs.nvidia.com/deeplearning/triton-inference-server/user-guide/docs/customization_guide/deploy.html",
        severity="high",
        types=runs_pods,
        check=_controlled,
    ),
    Rule(
        id="workloads-keys-from-secrets",
        title="Keys and passwords come from Secrets",
        why="A value in a pod's environment is in the plan, in the stack's state, in etcd without encryption, and in "
        "the eyes of everybody who may read pods.",
        fix="Write valueFrom.secretKeyRef with the Secret's name, and have the site make the Secret.",
        reference="https://kubernetes.io/docs/concepts/configuration/secret/",
        severity="critical",
        types=runs_pods,
        check=_plain,
    ),
)
