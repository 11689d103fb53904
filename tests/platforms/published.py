"""Published schemas asked about objects: kubernetes-validate for built-in kinds, an OpenShift's dump for its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from podwright.toolchain.keys import cache_root
from podwright.toolchain.schemas import Schemas
from tests.platforms.planned import Object
from tools.generated import ROOT

KUBERNETES = {"4.20": "1.33", "4.22": "1.35"}
"""Release of Kubernetes that a release of OpenShift is of
(https://docs.redhat.com/en/documentation/openshift_container_platform/4.20/html/release_notes)."""
Verdict = dict[str, str]
SETTLED = {
    ("NodeFeatureDiscovery", "'workerTolerations' was unexpected"): (
        # The dump's definition is of an operator before 4.19; later ones have the field (decision 0007).
        "https://github.com/openshift/cluster-nfd-operator/blob/release-4.19/api/v1/nodefeaturediscovery_types.go"
    ),
    **dict.fromkeys(
        # The dump's definition is of an older operator; v26.7.0 has both fields.
        (("NVIDIADriver", "'upgradePolicy' was unexpected"), ("NVIDIADriver", "'default', 'upgradePolicy' were")),
        "https://github.com/NVIDIA/gpu-operator/blob/v26.7.0/api/nvidia/v1alpha1/nvidiadriver_types.go",
    ),
    ("NodeHealthCheck", "'maxUnhealthy' was unexpected"): (
        # The dump's definition is of an operator before June 2025, which has minHealthy alone; ours is of 0.12.
        "https://github.com/medik8s/node-healthcheck-operator/pull/372"
    ),
    ("TriggerAuthentication", "'boundServiceAccountToken' was unexpected"): (
        # The dump's definition is of an older operator; KEDA 2.19.0 has the field.
        "https://github.com/kedacore/keda/blob/v2.19.0/apis/keda/v1alpha1/triggerauthentication_types.go"
    ),
    ("ScaledObject", "'behavior' was unexpected"): (
        # Of the same dump; KEDA 2.19.0 has the field.
        "https://github.com/kedacore/keda/blob/v2.19.0/apis/keda/v1alpha1/scaledobject_types.go"
    ),
    ("Config", "'replicas' is a required property"): (
        # Our fields of an object that OpenShift makes, with replicas.
        "https://github.com/openshift/cluster-image-registry-operator/blob/release-4.20/pkg/operator/bootstrap.go"
    ),
}
"""Refusals in which two published definitions disagree, by kind and words, and the source that settles each."""


class Published:
    """A process that answers, one object after another; what it answered once is not asked again."""

    def __init__(self, questions: IO[str], answers: IO[str]) -> None:
        self._questions, self._answers = questions, answers
        self._known: dict[str, Verdict] = {}

    def verdict(self, found: Object, openshift: str) -> Verdict:
        """What each validator that knows the kind finds wrong with it, empty where nothing is."""
        text = json.dumps([KUBERNETES[openshift.rpartition(".")[0]], found], sort_keys=True)
        if text not in self._known:
            self._questions.write(text + "\n")
            self._questions.flush()
            answer = self._answers.readline()
            assert answer, f"no answer about {found['kind']} {found['metadata']['name']}"
            self._known[text] = json.loads(answer)
        return self._known[text]

    def refusals(self, found: Iterable[Object], openshift: str) -> list[str]:
        """Everything that any of them refuses, in its own words."""
        return [
            f"{each['kind']} {each['metadata']['name']}, {who}: {why}"
            for each in found
            for who, why in self.verdict(each, openshift).items()
            if why and not settled(each["kind"], why)
        ]


def settled(kind: str, why: str) -> bool:
    """Whether another source has shown the refusal to be wrong."""
    return any(kind == known and words in why for known, words in SETTLED)


@contextmanager
def publishing() -> Iterator[Published]:
    """The process, for as long as it is asked; its environment is made ready where it is not yet."""
    subprocess.run([sys.executable, "-m", "podwright.toolchain", "setup", "schemas"], cwd=ROOT, check=True)
    schemas = Schemas(cache_root(os.environ), os.environ)
    words = [str(schemas.python), str(Path(__file__).with_name("judge.py")), str(schemas.dump)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdin and running.stdout
        yield Published(running.stdin, running.stdout)
        running.stdin.close()
