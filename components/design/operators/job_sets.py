"""JobSet: training jobs whose members are all made again when one is gone.

Source: openshift/jobset-operator at f9d991e, pkg/apis/openshiftoperator/v1, pkg/operator/target_config_reconciler.go:
the object is named cluster; what it makes (the kind JobSet, webhooks, the controller) is there once it is Available.
"""

from podwright.components.design.platform.names import Manifest


def configuration() -> Manifest:
    """What the operator runs JobSet for. Every choice that its API has is written."""
    return {
        "apiVersion": "operator.openshift.io/v1",
        "kind": "JobSetOperator",
        "metadata": {"name": "cluster", "annotations": {"pulumi.com/waitFor": "condition=Available"}},
        "spec": {"managementState": "Managed", "logLevel": "Normal", "operatorLogLevel": "Normal"},
    }
