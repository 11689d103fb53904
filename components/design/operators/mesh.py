"""Red Hat OpenShift Service Mesh 3 in ambient mode: control plane, what takes pods in, the proxies of nodes.

Sources: openshift-service-mesh/sail-operator, release-3.3.5 (api/v1: kinds, conditions, names; docs/common/
istio-ambient-mode.adoc: values of each of the three; resources/v1.28.8/charts: istio-cni tolerates every NoSchedule
taint and ztunnel every NoExecute one beside, so that both are on the nodes of every pool; profile-platform-openshift:
by itself it trusts a ztunnel of kube-system; docs/general/istiod-ha.adoc: two of istiod).
"""

from dataclasses import replace
from typing import Any, Final

from podwright.components.design.compute.model import SCHEMA
from podwright.components.design.operators.model import Operator
from podwright.components.design.operators.subscription import operator, pinned
from podwright.components.design.platform.names import CONTROL_PLANE, DISCOVERED, Manifest
from podwright.components.model import Operators
from podwright.components.model.catalogue import RELEASE_SETS
from podwright.components.model.catalogue.istio import istio
from podwright.components.model.service_mesh import CNI, ISTIOD, NAMESPACES, ZTUNNEL

API: Final = "sailoperator.io/v1"
_READY_SECONDS: Final = 600
"""Images are pulled first, on every node."""


def service_mesh(operators: Operators) -> Operator:
    """Subscription, the namespaces of the three, istiod and the CNI agents, then ztunnel."""
    package = RELEASE_SETS[operators.release].mesh
    version = istio(pinned(operators, package).csv)
    stages = [[_namespace(each) for each in NAMESPACES], [_istio(version), _cni(version)], [_ztunnel(version)]]
    made = operator(operators, package, stages, privileged=False)
    return replace(made, beside=(_by_the_host(),), gateways={"schema": SCHEMA, "mode": "local"})


def _by_the_host() -> Manifest:
    """OVN-Kubernetes routes by the host: what Red Hat's guide of the ambient mode asks for where pods have probes.

    In its other mode what kubelet sends, which the mesh gives an address of its own, never comes back.
    """
    gateway = {"gatewayConfig": {"routingViaHost": True}}
    return {
        "apiVersion": "operator.openshift.io/v1",
        "kind": "Network",
        "metadata": {"name": "cluster"},
        "spec": {"defaultNetwork": {"ovnKubernetesConfig": gateway}},
    }


def _namespace(name: str) -> Manifest:
    """Agents and proxies work on the host. Istio looks at namespaces with the label alone, its own among them: a proxy
    in one that it does not know gets no certificate (istio/istio#52057)."""
    labels = {"openshift.io/cluster-monitoring": "true"}
    if name != ISTIOD:
        labels |= {
            "pod-security.kubernetes.io/enforce": "privileged",
            "security.openshift.io/scc.podSecurityLabelSync": "false",
        }
    if name != CNI:
        labels |= DISCOVERED
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def _istio(version: str) -> Manifest:
    """istiod makes certificates and tells proxies what pods there are. Two: while none runs no new pod gets one."""
    pilot = {
        "trustedZtunnelNamespace": ZTUNNEL,
        "autoscaleEnabled": False,
        "replicaCount": 2,
        "tolerations": CONTROL_PLANE,
    }
    mesh = {"discoverySelectors": [{"matchLabels": DISCOVERED}]}
    return _object("Istio", ISTIOD, version, {"pilot": pilot, "meshConfig": mesh}, profile="ambient")


def _cni(version: str) -> Manifest:
    return _object("IstioCNI", CNI, version, None, profile="ambient")


def _ztunnel(version: str) -> Manifest:
    return _object("ZTunnel", ZTUNNEL, version, None)


def _object(kind: str, namespace: str, version: str, values: dict[str, Any] | None, **more: str) -> Manifest:
    """One of the three; all of them are called `default`, of which the kinds of nodes take no other."""
    return {
        "apiVersion": API,
        "kind": kind,
        "metadata": {
            "name": "default",
            "annotations": {
                "pulumi.com/waitFor": "condition=Ready",
                "pulumi.com/timeoutSeconds": str(_READY_SECONDS),
            },
        },
        "spec": {"version": version, "namespace": namespace, **more, **({"values": values} if values else {})},
    }
