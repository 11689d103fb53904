"""Components of OpenShift AI: their controllers, and what each waits for.

After red-hat-data-services/rhods-operator, branch rhoai-3.4, prefetched-manifests (names of Deployments) and
internal/controller/components (`checkPreConditions`).
"""

from __future__ import annotations

from dataclasses import dataclass

from podwright.lab.openshift.api import Api
from podwright.lab.openshift.cache import Cache
from podwright.lab.openshift.catalog import running
from podwright.lab.openshift.kinds import JOB_SET_OPERATORS

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
APPLICATIONS = "redhat-ods-applications"


@dataclass(frozen=True)
class Component:
    """One component: its kind, whose name its condition has, and its Deployments."""

    kind: str
    deployments: tuple[str, ...]
    namespace: str = ""
    """One that it makes beside that of all."""
    answers: str = ""
    """Path of the webhook that stands while its controller answers, where the lab runs the real one."""


COMPONENTS = {
    "dashboard": Component("Dashboard", ("rhods-dashboard",)),
    "workbenches": Component(
        "Workbenches", ("notebook-controller-deployment", "odh-notebook-controller-manager"), "rhods-notebooks"
    ),
    "aipipelines": Component("DataSciencePipelines", ("data-science-pipelines-operator-controller-manager",)),
    "modelregistry": Component(
        "ModelRegistry", ("model-registry-operator-controller-manager",), "rhoai-model-registries"
    ),
    "mlflowoperator": Component("MLflowOperator", ("mlflow-operator-controller-manager",)),
    "trustyai": Component("TrustyAI", ("trustyai-service-operator-controller-manager",)),
    "kserve": Component(
        "Kserve",
        ("kserve-controller-manager", "odh-model-controller"),
        answers="/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/inferenceservice.serving.kserve.io",
    ),
    "kueue": Component("Kueue", ()),
    "ray": Component("Ray", ("kuberay-operator",)),
    "trainer": Component("Trainer", ("kubeflow-trainer-controller-manager",)),
    "trainingoperator": Component("TrainingOperator", ("kubeflow-training-operator",)),
    "feastoperator": Component("FeastOperator", ("feast-operator-controller-manager",)),
    "llamastackoperator": Component("LlamaStackOperator", ("llama-stack-k8s-operator-controller-manager",)),
    "sparkoperator": Component("SparkOperator", ("spark-operator-controller",)),
}
"""By their key in the DataScienceCluster."""


def lacks(api: Api, known: Cache, key: str, state: str) -> str:
    """What a component that is on waits for, in the operator's words; empty where all is there."""
    if key == "trustyai" and api.get(f"{DEFINITIONS}/inferenceservices.serving.kserve.io") is None:
        return "InferenceServices CRD does not exist, please enable serving component first"
    if key == "trainer" and running(known, "job-set") is None:
        return "JobSet operator not installed, please install it first"
    if key == "trainer" and known.get(JOB_SET_OPERATORS, "cluster") is None:
        return "JobSetOperator CR with name 'cluster' not found, please create it first"
    if key == "kueue" and state == "Unmanaged" and running(known, "kueue-operator") is None:
        return "Kueue operator not installed, install it or change kueue component state to Removed"
    return ""
