"""What a cluster holds right after its installation, as far as the lab models it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from podwright.lab.openshift import chrony
from podwright.lab.openshift.api import Api, Object, path_of
from podwright.lab.openshift.controller import now
from podwright.lab.openshift.ingress import PLACES
from podwright.lab.openshift.joining import allow_requests
from podwright.lab.openshift.kinds import CONFIG_MAPS, MACHINE_CONFIGS
from podwright.lab.openshift.scc import defaults, shipped

NAMESPACES = (
    "openshift", "openshift-config", "openshift-config-managed", "openshift-infra", "openshift-ingress",
    "openshift-machine-api", "openshift-machine-config-operator", "openshift-marketplace", "openshift-monitoring",
    "openshift-multus", "openshift-operator-lifecycle-manager", "openshift-operators", "openshift-cluster-version",
    "openshift-etcd", "openshift-kube-apiserver", "openshift-dns", "openshift-user-workload-monitoring",
    "openshift-cluster-node-tuning-operator", "openshift-ingress-operator", "openshift-image-registry",
    "openshift-host-network", "openshift-ovn-kubernetes",
)  # fmt: skip
CATALOGS = {
    "redhat-operators": "Red Hat Operators",
    "certified-operators": "Certified Operators",
    "community-operators": "Community Operators",
}
CATALOG_HOME = "registry.redhat.io/redhat/"
OPERATORS = ("etcd", "kube-apiserver", "machine-config", "marketplace", "network", "operator-lifecycle-manager")
LATE = ("machine-config", "network")
"""Operators that are done when every host has joined: both run something on each."""
CONFIG = "config.openshift.io/v1"
INTERNAL_REGISTRY = "image-registry.openshift-image-registry.svc:5000"
"""What the registry's operator writes to Image/cluster, also while the registry has no storage."""


def furnish(
    api: Api, release: str, install: Mapping[str, Any], agent: Mapping[str, Any], masters: Sequence[str]
) -> None:
    """Create what is missing; what is there stays as it is, so a restarted lab keeps its changes.

    `masters` are the addresses of the control-plane hosts.
    """
    for name in NAMESPACES:
        meta = {"name": name, "labels": dict(PLACES.get(name, {}))}
        api.ensure("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": meta})
    _mirrors(api, install)
    _cluster(api, "images", "Image", {}, {"internalRegistryHostname": INTERNAL_REGISTRY})
    # The marketplace operator makes the catalogues.
    _cluster(api, "operatorhubs", "OperatorHub", {}, {})
    _operator_group(api)
    _user_critical(api)
    allow_requests(api)
    # Whole SCCs first: a policy on a kind whose schema the API server has not read yet refuses every object.
    shipped.furnish(api)
    defaults.fill_in(api)
    _configuration(api, release, install)
    _members(api, masters)
    _placed(api)
    for role in ("master", "worker"):
        _ssh(api, role, str(install.get("sshKey", "")))
        api.ensure(MACHINE_CONFIGS.path(), chrony.installed(role, agent.get("additionalNTPSources") or ()))


def default_source(name: str, release: str) -> Object:
    """One of OpenShift's own catalogues."""
    return {
        "apiVersion": "operators.coreos.com/v1alpha1", "kind": "CatalogSource",
        "metadata": {"name": name, "namespace": "openshift-marketplace"},
        "spec": {
            "sourceType": "grpc", "displayName": CATALOGS[name], "publisher": "Red Hat", "priority": -100,
            "image": catalogue(name, release),
        },
    }  # fmt: skip


def catalogue(name: str, release: str) -> str:
    """Image of a catalogue that OpenShift ships with a release: its tag is the minor release."""
    return f"{CATALOG_HOME}{name.replace('operators', 'operator')}-index:v{release.rpartition('.')[0]}"


def _operator_group(api: Api) -> None:
    """The one OperatorGroup that OpenShift ships: every namespace, for operators in openshift-operators."""
    api.ensure(path_of("operators.coreos.com/v1", "operatorgroups", "openshift-operators"), {
        "apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup",
        "metadata": {"name": "global-operators", "namespace": "openshift-operators"}, "spec": {},
    })  # fmt: skip


def _user_critical(api: Api) -> None:
    """The priority class that OpenShift adds to Kubernetes' own two; anybody's pods may have it."""
    api.ensure(path_of("scheduling.k8s.io/v1", "priorityclasses"), {
        "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "openshift-user-critical"},
        "value": 1_000_000_000, "globalDefault": False, "preemptionPolicy": "PreemptLowerPriority",
        "description": "Pods of OpenShift's own that users depend on.",
    })  # fmt: skip


def _configuration(api: Api, release: str, install: Mapping[str, Any]) -> None:
    name, domain = install["metadata"]["name"], install["baseDomain"]
    base = f"{name}.{domain}"
    bare = (install.get("platform") or {}).get("baremetal") or {}
    vips = {"apiServerInternalIPs": bare.get("apiVIPs", []), "ingressIPs": bare.get("ingressVIPs", [])}
    kind = "BareMetal" if bare else "None"
    _cluster(api, "infrastructures", "Infrastructure", {
        "cloudConfig": {"name": ""}, "platformSpec": {"type": kind, **({"baremetal": {}} if bare else {})},
    }, {
        "apiServerURL": f"https://api.{base}:6443", "apiServerInternalURI": f"https://api-int.{base}:6443",
        "controlPlaneTopology": "HighlyAvailable", "infrastructureTopology": "HighlyAvailable",
        "infrastructureName": f"{name}-lab01", "etcdDiscoveryDomain": "", "platform": kind,
        "platformStatus": {"type": kind, **({"baremetal": vips} if bare else {})},
    })  # fmt: skip
    _cluster(api, "dnses", "DNS", {"baseDomain": base}, {})
    _cluster(api, "ingresses", "Ingress", {"domain": f"apps.{base}"}, {})
    networking = install.get("networking") or {}
    _cluster(api, "networks", "Network", {
        "networkType": networking.get("networkType", "OVNKubernetes"),
        "clusterNetwork": networking.get("clusterNetwork") or [{"cidr": "10.128.0.0/14", "hostPrefix": 23}],
        "serviceNetwork": networking.get("serviceNetwork") or ["172.30.0.0/16"],
    }, {})  # fmt: skip
    operator = "operator.openshift.io/v1"
    api.ensure(path_of(operator, "networks"), {
        "apiVersion": operator, "kind": "Network", "metadata": {"name": "cluster"},
        "spec": {
            "managementState": "Managed", "logLevel": "Normal", "operatorLogLevel": "Normal",
            "defaultNetwork": {"type": networking.get("networkType", "OVNKubernetes"), "ovnKubernetesConfig": {}},
        },
    })  # fmt: skip
    _version(api, release)


def _mirrors(api: Api, install: Mapping[str, Any]) -> None:
    """What the installer makes of `imageDigestSources` and `additionalTrustBundle` (openshift/installer,
    pkg/asset/manifests/imagedigestmirrorset.go and additionaltrustbundleconfig.go)."""
    rows = [{key: row[key] for key in ("source", "mirrors")} for row in install.get("imageDigestSources") or []]
    if rows:
        api.ensure(path_of(CONFIG, "imagedigestmirrorsets"), {
            "apiVersion": CONFIG, "kind": "ImageDigestMirrorSet", "metadata": {"name": "image-digest-mirror"},
            "spec": {"imageDigestMirrors": rows},
        })  # fmt: skip
    if bundle := install.get("additionalTrustBundle"):
        api.ensure(CONFIG_MAPS.path("openshift-config"), {
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": "user-ca-bundle", "namespace": "openshift-config"}, "data": {"ca-bundle.crt": bundle},
        })  # fmt: skip


def _version(api: Api, release: str) -> None:
    _cluster(api, "clusterversions", "ClusterVersion", {
        "clusterID": "00000000-0000-4000-8000-0000000000c1", "channel": f"stable-{release[:4]}",
    }, _version_status(release, done=False), name="version")  # fmt: skip
    for operator in OPERATORS:
        _cluster(
            api, "clusteroperators", "ClusterOperator", {}, _operator_status(release, operator not in LATE), operator
        )


def _operator_status(release: str, settled: bool) -> dict[str, Any]:
    reason = "AsExpected" if settled else "Deploying"
    flags = (("Available", settled), ("Progressing", not settled), ("Degraded", False))
    return {
        "conditions": [
            {"type": t, "status": str(s), "reason": reason, "lastTransitionTime": now()} for t, s in flags
        ],
        "versions": [{"name": "operator", "version": release}] if settled else [],
    }  # fmt: skip


def complete(api: Api, release: str) -> None:
    """The last operators settle, and with them the cluster version, once every host has joined."""
    for operator in LATE:
        path = f"{path_of(CONFIG, 'clusteroperators')}/{operator}"
        api.merge(path, {"status": _operator_status(release, settled=True)}, "status")
    api.merge(
        f"{path_of(CONFIG, 'clusterversions')}/version", {"status": _version_status(release, done=True)}, "status"
    )


def _version_status(release: str, done: bool) -> dict[str, Any]:
    image = f"quay.io/openshift-release-dev/ocp-release@sha256:{'0' * 64}"
    history = {
        "state": "Completed", "version": release, "image": image, "verified": False,
        "startedTime": now(), "completionTime": now(),
    }  # fmt: skip
    progress = f"Cluster version is {release}" if done else f"Working towards {release}"
    flags = (
        ("Available", done, f"Done applying {release}" if done else ""),
        ("Failing", False, ""),
        ("Progressing", not done, progress),
    )
    return {
        "desired": {"version": release, "image": image}, "history": [history] if done else [], "observedGeneration": 1,
        "versionHash": "lab", "availableUpdates": [],
        "conditions": [
            {"type": t, "status": str(s), "message": m, "lastTransitionTime": now()} for t, s, m in flags
        ],
    }  # fmt: skip


def _placed(api: Api) -> None:
    """The objects that decide where OpenShift's own pods go. On bare metal the registry has no storage yet and is
    `Removed` (openshift/cluster-image-registry-operator, pkg/operator/bootstrap.go)."""
    operator = "operator.openshift.io/v1"
    api.ensure(path_of(operator, "ingresscontrollers", "openshift-ingress-operator"), {
        "apiVersion": operator, "kind": "IngressController",
        "metadata": {"name": "default", "namespace": "openshift-ingress-operator"}, "spec": {"replicas": 2},
    })  # fmt: skip
    registry = "imageregistry.operator.openshift.io/v1"
    api.ensure(path_of(registry, "configs"), {
        "apiVersion": registry, "kind": "Config", "metadata": {"name": "cluster"},
        "spec": {"managementState": "Removed", "replicas": 1, "storage": {}},
    })  # fmt: skip


def _members(api: Api, masters: Sequence[str]) -> None:
    """What the etcd operator writes about etcd's members: hexadecimal id → address."""
    data = {hashlib.sha256(address.encode()).hexdigest()[:16]: address for address in masters}
    api.ensure(CONFIG_MAPS.path("openshift-etcd"), {
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "etcd-endpoints", "namespace": "openshift-etcd"}, "data": data,
    })  # fmt: skip


def _ssh(api: Api, role: str, key: str) -> None:
    """The installer's MachineConfig with what may log in as `core`: all keys in one text, as it was given."""
    users = [{"name": "core", "sshAuthorizedKeys": [key]}] if key else []
    config = {"ignition": {"version": "3.5.0"}, **({"passwd": {"users": users}} if users else {})}
    api.ensure(MACHINE_CONFIGS.path(), {
        "apiVersion": MACHINE_CONFIGS.api_version, "kind": "MachineConfig",
        "metadata": {"name": f"99-{role}-ssh", "labels": {"machineconfiguration.openshift.io/role": role}},
        "spec": {"config": config},
    })  # fmt: skip


def _cluster(
    api: Api, plural: str, kind: str, spec: dict[str, Any], status: dict[str, Any], name: str = "cluster"
) -> None:
    """A cluster-scoped configuration object with its status; created once."""
    path = path_of(CONFIG, plural)
    if api.get(f"{path}/{name}") is not None:
        return
    api.create(path, {"apiVersion": CONFIG, "kind": kind, "metadata": {"name": name}, "spec": spec})
    if status:
        api.merge(f"{path}/{name}", {"status": status}, "status")
