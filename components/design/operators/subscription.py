"""An operator through OLM: namespace, group, pinned subscription, approval."""

import json
from collections.abc import Iterable
from typing import Any

from podwright.components.design.compute.model import SCHEMA
from podwright.components.design.operators.model import Operator
from podwright.components.design.platform.names import CONTROL_PLANE, Manifest
from podwright.components.model import Operators, Pin
from podwright.components.model.catalogue import Package

DEFAULT_TOLERATIONS = "scheduler.alpha.kubernetes.io/defaultTolerations"
"""What pods of a namespace tolerate beside their own: read by the admission plugin PodTolerationRestriction, which
OpenShift's API server has (openshift/cluster-kube-apiserver-operator, bindata/assets/config/defaultconfig.yaml)."""


def operator(
    operators: Operators,
    package: Package,
    stages: Iterable[Iterable[Manifest]],
    *,
    privileged: bool = True,
) -> Operator:
    """One operator of the release set, with the operator's own pin where the file has one."""
    pin = pinned(operators, package)
    manual = pin.approval == "Manual"
    approval = {
        "schema": SCHEMA,
        "namespace": package.namespace,
        "subscription": package.package,
        "csv": pin.csv,
        "dependencies": _brought(package, pin.csv),
    }
    return Operator(
        name=package.package,
        namespace=_namespace(package, privileged=privileged),
        group={
            "apiVersion": "operators.coreos.com/v1",
            "kind": "OperatorGroup",
            "metadata": {"name": package.namespace, "namespace": package.namespace},
            # Own namespace where a bundle supports it: NVIDIA's support nothing else.
            "spec": {} if package.everywhere else {"targetNamespaces": [package.namespace]},
        },
        subscription={
            "apiVersion": "operators.coreos.com/v1alpha1",
            "kind": "Subscription",
            "metadata": {"name": package.package, "namespace": package.namespace},
            "spec": {
                "channel": pin.channel,
                "installPlanApproval": pin.approval,
                "name": package.package,
                "source": package.source,
                "sourceNamespace": "openshift-marketplace",
                "startingCSV": pin.csv,
            },
        },
        approval=approval if manual else None,
        stages=tuple(made for stage in stages if (made := tuple(stage))),
    )


def _brought(package: Package, csv: str) -> list[str]:
    """CSVs that may come along: of each package that it depends on, whatever patch OLM finds for the same minor."""
    minor = ".".join(csv.split(".")[1:3])
    return [f"{each}.{minor}.*" for each in package.brings]


def pinned(operators: Operators, package: Package) -> Pin:
    """Channel and release of an operator: the file's own pin, else the set's."""
    return operators.pins.get(package.package) or Pin(channel=package.channel, csv=package.csv)


def _namespace(package: Package, *, privileged: bool) -> Manifest:
    labels = {"openshift.io/cluster-monitoring": "true"}
    if privileged:
        # Drivers and device plugins work on the host; the operators' own accounts are held by SCCs.
        labels |= {
            "pod-security.kubernetes.io/enforce": "privileged",
            "security.openshift.io/scc.podSecurityLabelSync": "false",
        }
    metadata: dict[str, Any] = {"name": package.namespace, "labels": labels}
    if not package.tolerates:
        metadata["annotations"] = {DEFAULT_TOLERATIONS: json.dumps(CONTROL_PLANE, sort_keys=True)}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
