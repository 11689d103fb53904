"""A team's namespace as a project of data scientists: ways that Red Hat OpenShift AI needs and does not make itself."""

from collections.abc import Iterator

from podwright.components.design.platform.names import APPLICATIONS, NAMESPACE_NAME, Manifest
from podwright.components.design.platform.teams import policy

_OPERATOR = {"app.kubernetes.io/name": "data-science-pipelines-operator"}
"""Label of the operator's pods (red-hat-data-services/data-science-pipelines-operator, rhoai-3.4,
config/manager/manager.yaml)."""


def ways(namespace_name: str, *, pipelines: bool) -> Iterator[Manifest]:
    """Its ways beside every team's; `pipelines`: servers of pipelines may be made in it.

    The operator of pipelines connects to database and object store itself, and makes a server once both answer
    (https://github.com/red-hat-data-services/data-science-pipelines-operator, rhoai-3.4,
    controllers/dspipeline_controller.go, dspaPrereqsReady). It opens the way to a MariaDB that it made, and to nothing
    else. At any port: `externalDB.port` and `externalStorage.port` are the team's choice, and pods of this operator
    may read every Secret and make every pod here in any case, so that a list of ports would keep nothing from them.
    """
    # What stands before a workbench asks the API server about each visitor. The ways in are its controller's.
    port = [{"protocol": "TCP", "port": 6443}]
    yield policy(namespace_name, "api-out", {"policyTypes": ["Egress"], "egress": [{"ports": port}]})
    if pipelines:
        peer = {
            "namespaceSelector": {"matchLabels": {NAMESPACE_NAME: APPLICATIONS}},
            "podSelector": {"matchLabels": _OPERATOR},
        }
        yield policy(namespace_name, "pipelines-in", {"policyTypes": ["Ingress"], "ingress": [{"from": [peer]}]})
