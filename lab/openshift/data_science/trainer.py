"""Kubeflow Trainer as the real program, once OpenShift AI's component of it has its pod: kinds, webhooks, a runtime.

After red-hat-data-services/rhods-operator, branch rhoai-3.4, prefetched-manifests/trainer, with the webhooks and the
kinds of the release that runs here: kubeflow/trainer v2.3.0, manifests/base.
"""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import Any

import yaml

from podwright.lab.openshift import certificates
from podwright.lab.openshift.api import Api, ApiError, Object, path_of
from podwright.lab.openshift.controller import Surroundings
from podwright.lab.openshift.controlplane import ControlPlane
from podwright.lab.openshift.data_science.components import APPLICATIONS
from podwright.lab.openshift.operands import Readiness
from podwright.lab.openshift.ports import free_port

PROGRAM = SERVICE = "kubeflow-trainer-controller-manager"
BINARY = "trainer"
ACCOUNT = f"system:serviceaccount:{APPLICATIONS}:{PROGRAM}"
GROUP, VERSION = "trainer.kubeflow.org", "v1alpha1"
KINDS = tuple(f"{plural}.{GROUP}" for plural in ("clustertrainingruntimes", "trainingruntimes", "trainjobs"))
HOST = f"{SERVICE}.{APPLICATIONS}.svc"
REGISTRATION = "admissionregistration.k8s.io/v1"
_VALIDATED = ("clustertrainingruntime", "trainingruntime", "trainjob")
_RUNTIME = {
    "apiVersion": f"{GROUP}/{VERSION}", "kind": "ClusterTrainingRuntime",
    "metadata": {"name": "torch-distributed", "labels": {"trainer.kubeflow.org/framework": "torch"}},
    "spec": {
        "mlPolicy": {"numNodes": 1, "torch": {}},
        "template": {"spec": {"replicatedJobs": [{"name": "node", "template": {
            "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
            "spec": {"template": {"spec": {"containers": [
                {"name": "node", "image": f"registry.redhat.io/rhoai/odh-training-cuda-rhel9@sha256:{'0' * 64}"},
            ]}}},
        }}]}},
    },
}  # fmt: skip
"""The runtime that users begin with (manifests/rhoai/runtimes/torch_distributed.yaml)."""


def configuration(ports: dict[str, int]) -> dict[str, Any]:
    """Trainer's Configuration; `ports` of `health` and `webhook`. What differs from the one that it comes with is how
    the process is reached, where its certificate is from, and no election among one."""
    return {
        "apiVersion": "config.trainer.kubeflow.org/v1alpha1",
        "kind": "Configuration",
        "health": {"healthProbeBindAddress": f"127.0.0.1:{ports['health']}"},
        "metrics": {"bindAddress": "0"},
        "webhook": {"host": "127.0.0.1", "port": ports["webhook"]},
        "leaderElection": {"leaderElect": False},
        "certManagement": {"enable": False},
        "clientConnection": {"qps": 100, "burst": 200},
    }


class Trainer:
    """The process of one cluster, and what comes with it."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._readiness: Readiness | None = None
        self._stands = False

    def end(self, api: Api) -> None:
        """The component is off, or its pod is gone: kinds and what users made stay."""
        plane = self._around.plane
        if plane is not None and PROGRAM in plane.processes.pids():
            for plural in ("mutatingwebhookconfigurations", "validatingwebhookconfigurations"):
                api.delete(path_of(REGISTRATION, plural, name=f"{_word(plural)}.{GROUP}"))
            plane.processes.end(PROGRAM)
        self._stands = False

    def lacks(self, api: Api, owners: list[Object]) -> str:
        """What is not there yet, in words; empty once its webhooks answer and its runtime is made."""
        plane = self._around.plane
        if plane is None:
            return "there is no control plane"
        program = plane.program(BINARY)
        if not os.access(program, os.X_OK):
            return f"the lab has no {program.name}: run `podwright setup queues`"
        if PROGRAM not in plane.processes.pids():
            self._start(api, plane, program, owners)
        if self._readiness is None or not self._readiness.holds():
            return "its webhooks do not answer yet"
        if not self._stands:
            try:
                api.ensure(path_of(f"{GROUP}/{VERSION}", "clustertrainingruntimes"), _RUNTIME)
            except ApiError as problem:
                return str(problem)
            self._stands = True
        return ""

    def _start(self, api: Api, plane: ControlPlane, program: Path, owners: list[Object]) -> None:
        self._around.crds.apply(api, KINDS)
        ports = {"health": free_port(), "webhook": free_port()}
        folder = plane.folder(PROGRAM)
        # Its web server looks for the certificate below the folder of temporary files (controller-runtime, webhook).
        place = folder / "k8s-webhook-server" / "serving-certs"
        place.mkdir(parents=True, exist_ok=True)
        root = certificates.make_root("kubeflow-trainer-ca")
        served = certificates.issue(root, HOST, names=(HOST,))
        for name, content in (("tls.crt", served.certificate), ("tls.key", served.key)):
            (place / name).touch(mode=0o600)
            (place / name).write_bytes(content)
        _register(api, ports["webhook"], root.certificate, owners)
        path = folder / "configuration.yaml"
        path.write_text(yaml.safe_dump(configuration(ports)), encoding="utf-8")
        words: list[str | Path] = [program, "--config", path, "--kubeconfig", plane.account(ACCOUNT)]
        plane.processes.start(PROGRAM, words, temporary=folder)
        self._readiness, self._stands = Readiness.of(ports["health"]), False


def _register(api: Api, port: int, root: bytes, owners: list[Object]) -> None:
    """Make the API server ask the process behind `port`."""
    service = {**_meta("v1", "Service", SERVICE, APPLICATIONS),
               "spec": {"type": "ExternalName", "externalName": "localhost"}}  # fmt: skip
    api.ensure(path_of("v1", "services", APPLICATIONS), service)
    client = {"caBundle": base64.b64encode(root).decode(),
              "service": {"name": SERVICE, "namespace": APPLICATIONS, "port": port}}  # fmt: skip
    rows = {
        "mutatingwebhookconfigurations": ("MutatingWebhookConfiguration", "mutate", ("trainjob",)),
        "validatingwebhookconfigurations": ("ValidatingWebhookConfiguration", "validate", _VALIDATED),
    }
    for plural, (kind, verb, names) in rows.items():
        body = _meta(REGISTRATION, kind, f"{_word(plural)}.{GROUP}")
        body["metadata"]["ownerReferences"] = owners
        body["webhooks"] = [_webhook(client, verb, _word(plural), name) for name in names]
        api.delete(path_of(REGISTRATION, plural, name=body["metadata"]["name"]))
        api.create(path_of(REGISTRATION, plural), body)


def _word(plural: str) -> str:
    return "defaulter" if plural.startswith("mutating") else "validator"


def _webhook(client: Object, verb: str, word: str, name: str) -> Object:
    path = f"/{verb}-{GROUP.replace('.', '-')}-{VERSION}-{name}"
    rule = {"apiGroups": [GROUP], "apiVersions": [VERSION], "operations": ["CREATE", "UPDATE"],
            "resources": [f"{name}s"]}  # fmt: skip
    return {
        "name": f"{word}.{name}.{GROUP}", "clientConfig": {**client, "service": {**client["service"], "path": path}},
        "rules": [rule], "failurePolicy": "Fail", "sideEffects": "None", "admissionReviewVersions": ["v1"],
    }  # fmt: skip


def _meta(api_version: str, kind: str, name: str, namespace: str = "") -> Object:
    place = {"namespace": namespace} if namespace else {}
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, **place}}
