"""Alerts of the table as they are of one cluster: an AlertingRule of OpenShift's own Prometheus.

The cluster-monitoring-operator makes a PrometheusRule of it and names that in its status, which `up` waits for; one
whose PromQL cannot be read is refused by prometheus-operator's webhook there, and the status stays empty
(openshift/cluster-monitoring-operator, pkg/alert/rule_controller.go). Metrics of the GPU operator and of Kueue reach
this Prometheus since their namespaces have label openshift.io/cluster-monitoring
(`components.design.operators.subscription`).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from podwright.components.design.platform import training_pools
from podwright.components.design.platform.names import Manifest
from podwright.components.design.platform.offered import offered
from podwright.components.model import Alerts, OpenShift, Pool, Server
from podwright.components.model.catalogue.alerts import Alert, alerts

API: Final = "monitoring.openshift.io/v1"
NAMESPACE: Final = "openshift-monitoring"
NAME: Final = "podwright"
GPU_OPERATOR: Final = "nvidia-gpu-operator"
"""Namespace of what exports the metrics of GPUs."""
TAKEN: Final = "jsonpath={.status.prometheusRule.name}"
TAKEN_SECONDS: Final = 120
_SYSTEM: Final = ("openshift-.+", "kube-.+")


def plan(
    openshift: OpenShift, pools: Mapping[str, Pool], servers: Mapping[str, Server], operators: Sequence[str] | None
) -> tuple[Manifest, ...]:
    """The cluster's AlertingRule; empty without the key, and where none of its alerts could ever fire. `operators` are
    namespaces of operators; None: those of every release set."""
    section = openshift.alerts
    if section is None:
        return ()
    found = list(_planned(section, openshift, pools, servers, operators))
    groups: dict[str, list[Manifest]] = {}
    for alert, words in found:
        groups.setdefault(alert.group, []).append(rule(alert, words, section))
    if not groups:
        return ()
    made = {
        "apiVersion": API,
        "kind": "AlertingRule",
        "metadata": {
            "name": NAME,
            "namespace": NAMESPACE,
            "annotations": {"pulumi.com/waitFor": TAKEN, "pulumi.com/timeoutSeconds": str(TAKEN_SECONDS)},
        },
        "spec": {"groups": [{"name": f"podwright-{name}", "rules": rules} for name, rules in groups.items()]},
    }
    return (made,)


def rule(alert: Alert, words: Mapping[str, str], section: Alerts) -> Manifest:
    """One alert with its words filled in."""
    named = f"{{{{ $labels.{alert.team} }}}}"
    labels = {
        "severity": section.severity.get(alert.name, alert.severity),
        **({"owner": "team", "team": named, "namespace": named} if alert.team else {"owner": section.owner}),
        **{key: words[key] for key in ("pool", "resource") if f"@{key}@" in alert.expr + alert.summary},
    }
    notes = {"summary": _filled(alert.summary, words), "description": _filled(alert.action, words)}
    return {
        "alert": alert.name,
        "expr": _filled(alert.expr, words),
        **({"for": alert.pending} if alert.pending else {}),
        "labels": labels,
        "annotations": notes | ({"runbook_url": f"{section.runbooks}{alert.name}"} if section.runbooks else {}),
    }


def _filled(text: str, words: Mapping[str, str]) -> str:
    return re.sub(r"@(\w+)@", lambda found: words[found.group(1)], text)


def _planned(
    section: Alerts,
    openshift: OpenShift,
    pools: Mapping[str, Pool],
    servers: Mapping[str, Server],
    operators: Sequence[str] | None,
) -> Iterator[tuple[Alert, dict[str, str]]]:
    """Alerts that can fire on this cluster, each with the words of its rules."""
    accelerated = [name for name in pools if any(each.gpus for each in _members(servers, name))]
    if operators is not None and GPU_OPERATOR not in operators:
        accelerated = []
    rails = any(pool.rails for pool in pools.values())
    known = training_pools.lawful(pools, servers, openshift.teams, operators, rdma=rails).system
    shared = {
        "teams": _any(openshift.teams),
        "gpu_pools": _any(accelerated),
        "system": "|".join([*_SYSTEM, *known]),
    }
    purposes = {pool.purpose for name, pool in pools.items() if _members(servers, name)}
    products = {server.gpus for server in servers.values() if server.gpus}
    hot = {product: limit for product, limit in section.hot_celsius.items() if product in products}
    there = {
        *(("gpus",) if accelerated else ()),
        *(("heat",) if hot else ()),
        *(purposes & {"training", "inference"}),
        *(("teams",) if openshift.teams else ()),
        *(("queues",) if openshift.queues else ()),
    }
    for alert in alerts().values():
        if not alert.needs <= there or alert.name in section.off:
            continue
        if "@celsius@" in alert.expr:
            for product, limit in hot.items():
                yield alert, {"model": _model(product), "celsius": str(limit)}
        elif "@pool@" in alert.expr:
            for words in _offers(accelerated, pools, servers):
                yield alert, words
        else:
            yield alert, shared


def _offers(
    accelerated: Sequence[str], pools: Mapping[str, Pool], servers: Mapping[str, Server]
) -> Iterator[dict[str, str]]:
    """What each pool offers to pods, resource by resource, as kubelets count it."""
    for name in accelerated:
        for called, count in offered(pools[name], _members(servers, name)).items():
            label = re.sub(r"[^A-Za-z0-9_]", "_", called)
            yield {"pool": name, "resource": called, "label": label, "count": str(count)}


def _members(servers: Mapping[str, Server], pool: str) -> list[Server]:
    return [server for server in servers.values() if server.pool == pool]


def _any(names: Mapping[str, object] | Sequence[str]) -> str:
    return "|".join(sorted(names))


def _model(product: str) -> str:
    """A product as NVML prints it: GPU feature discovery writes dashes for its spaces."""
    return product.replace("-", "[ -]")
