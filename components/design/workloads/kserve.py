"""A service as an InferenceService of KServe, which makes the Deployment of it: the same pods under the same names.

Sources: kserve/kserve v0.20.0 and red-hat-data-services/kserve, branch rhoai-3.4 (0.17), pkg/controller/v1beta1/
inferenceservice: reconcilers/deployment (labels and annotations of the object are the pods' too; a strategy that is
given replaces theirs, with Kubernetes' own progress deadline), reconcilers/service (a Service of its own, `<name>-
predictor`), utils/utils.go (IsMMSPredictor: a predictor with `model` and no storage gets an agent for many models as a
second container); pkg/apis/serving/v1beta1 (what the webhooks write in: mode, the container's name). Every field here
is in both (model/catalogue/kserve.toml).
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from podwright.components.design.platform.names import PROJECT_LABEL, Manifest
from podwright.components.design.workloads import times
from podwright.components.model import Inference, deployed

CONTAINER: Final = "kserve-container"
"""Name of the one container: KServe gives it to one that has another name."""
MARK: Final = "podwright.io/served"
"""Annotation of the pods: a digest of what they are made of. KServe says Ready of a service whose pods are being
replaced, and of one whose change it has not seen yet; by the mark the new ones are known."""
OWNED: Final = "serving.kserve.io/inferenceservice"
"""Label of whatever KServe makes for a service."""
_GROUP: Final = "serving.kserve.io"


def inference_service(meta: Mapping[str, Any], inference: Inference, pod: Mapping[str, Any]) -> Manifest:
    """The service; `meta` is that of its objects, `pod` the spec of its pods, which have one container.

    Nothing scales it: autoscaler class none, or KServe would make a HorizontalPodAutoscaler by processor time.
    """
    (container,) = pod["containers"]
    predictor = {
        **pod,
        "containers": [{**container, "name": CONTAINER}],
        "deploymentStrategy": strategy(),
    }
    notes = {f"{_GROUP}/deploymentMode": "Standard", f"{_GROUP}/autoscalerClass": "none"}
    predictor["annotations"] = {MARK: _digest(predictor)}
    predictor["minReplicas"] = inference.replicas
    return {
        "apiVersion": f"{_GROUP}/v1beta1",
        "kind": "InferenceService",
        "metadata": {**meta, "labels": {**meta["labels"], PROJECT_LABEL: "true"}, "annotations": notes},
        "spec": {"predictor": predictor},
    }


def strategy() -> Manifest:
    """GPUs are scarce: a new replica takes the place of an old one instead of standing beside it."""
    return {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}}


def served(name: str, inference: Inference, service: Manifest) -> dict[str, Any]:
    """Spec of the wait until every replica of a service is of its present form, and serves."""
    return {
        "schema": 1,
        "namespace": inference.team,
        "service": name,
        "deployment": deployed(name, inference),
        "mark": {MARK: service["spec"]["predictor"]["annotations"][MARK]},
        "replicas": inference.replicas,
        "seconds": times.deadline(inference) * inference.replicas,
    }


def _digest(predictor: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(predictor, sort_keys=True).encode()).hexdigest()[:16]
