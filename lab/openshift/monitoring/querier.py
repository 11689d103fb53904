"""Thanos Querier behind its Route: who asks must be known to the API server, and may read namespaces.

After openshift/cluster-monitoring-operator, assets/thanos-querier (Route of path /api to port web, 9091, where
kube-rbac-proxy reviews the bearer token and whether it may `get namespaces`) and ClusterRole cluster-monitoring-view.
Its pod is placed by the real scheduler. It stands once a cluster has a Route of somebody else: what nobody asks for
costs no test a moment.
"""

from __future__ import annotations

import json
import time
import urllib.parse
from typing import Any

from podwright.lab.openshift.api import path_of
from podwright.lab.openshift.cache import Kind
from podwright.lab.openshift.controller import Controller
from podwright.lab.openshift.keda.gauges import QueryError
from podwright.lab.openshift.kinds import DEPLOYMENTS, PODS
from podwright.lab.openshift.monitoring.counters import answer, series, vector
from podwright.lab.openshift.own_workloads import KEY
from podwright.lab.openshift.serving.box import Answer, Request, Served

NAMESPACE, NAME, PORT = "openshift-monitoring", "thanos-querier", 9091
VIEW = "cluster-monitoring-view"
LABELS = {"app.kubernetes.io/name": NAME}
IMAGE = "quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:" + "7" * 64
_ROUTES = Kind("route.openshift.io/v1", "routes")
_SERVICES = Kind("v1", "services")
_INGRESSES = Kind("config.openshift.io/v1", "ingresses")
_GROUP = "rbac.authorization.k8s.io"


class Monitoring(Controller):
    """Keeps Thanos Querier's objects, and answers where its pods run."""

    watches = (_ROUTES, PODS)

    def __init__(self, around: Any) -> None:
        super().__init__(around)
        self._made = False

    def reconcile(self) -> None:
        """One pass; none where nobody has a Route."""
        if not self.cache.list(_ROUTES):
            return
        if not self._made:
            self._make()
            self._made = True
        running = set()
        for pod in self.cache.list(PODS, NAMESPACE):
            labels = pod["metadata"].get("labels") or {}
            if LABELS.items() <= labels.items() and pod.get("status", {}).get("phase") == "Running":
                running.add((NAMESPACE, str(pod["metadata"]["name"])))
        for place in running:
            self.around.served.setdefault(place, Served({PORT: self._answer}))
        for place in [each for each in self.around.served if each[0] == NAMESPACE and each not in running]:
            self.around.served.pop(place, None)

    def _make(self) -> None:
        rules = [{"apiGroups": [""], "resources": ["namespaces"], "verbs": ["get"]}]
        role = {"apiVersion": f"{_GROUP}/v1", "kind": "ClusterRole", "metadata": {"name": VIEW}, "rules": rules}
        self.api.ensure(path_of(f"{_GROUP}/v1", "clusterroles"), role)
        meta = {"name": NAME, "namespace": NAMESPACE, "labels": LABELS}
        if not self.world.cluster.get(KEY):
            box = {"name": "thanos-query", "image": IMAGE, "resources": {"requests": {"cpu": "5m"}}}
            pod = {"containers": [box], "nodeSelector": {"kubernetes.io/os": "linux"}}
            template = {"metadata": {"labels": LABELS}, "spec": pod}
            self.api.ensure(DEPLOYMENTS.path(NAMESPACE), {
                "apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta,
                "spec": {"replicas": 1, "selector": {"matchLabels": LABELS}, "template": template},
            })  # fmt: skip
        ports = [{"name": "web", "port": PORT, "targetPort": PORT, "protocol": "TCP"}]
        self.api.ensure(_SERVICES.path(NAMESPACE), {
            "apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": {"selector": LABELS, "ports": ports},
        })  # fmt: skip
        domain = ((self.api.get(_INGRESSES.path(None, "cluster")) or {}).get("spec") or {}).get("domain", "")
        self.api.ensure(_ROUTES.path(NAMESPACE), {
            "apiVersion": "route.openshift.io/v1", "kind": "Route", "metadata": meta,
            "spec": {
                "host": f"{NAME}-{NAMESPACE}.{domain}", "path": "/api", "port": {"targetPort": "web"},
                "tls": {"termination": "reencrypt", "insecureEdgeTerminationPolicy": "Redirect"},
                "to": {"kind": "Service", "name": NAME, "weight": 100},
            },
        })  # fmt: skip

    def _answer(self, request: Request) -> Answer:
        refused = self._refused(request.headers.get("authorization", ""))
        if refused:
            return Answer(refused[0], refused[1].encode(), "text/plain")
        path, _, text = request.path.partition("?")
        if path != "/api/v1/query":
            return Answer(404, b"404 page not found", "text/plain")
        given = urllib.parse.parse_qs(text + "&" + request.body.decode())
        try:
            found = answer((given.get("query") or [""])[0], [*series(self.around.answered)], time.time())
        except QueryError as problem:
            answered = {"status": "error", "errorType": "bad_data", "error": str(problem)}
            return Answer(400, json.dumps(answered).encode())
        return Answer(200, json.dumps(vector(found)).encode())

    def _refused(self, authorization: str) -> tuple[int, str] | None:
        """Status and text where kube-rbac-proxy lets nobody by."""
        token = authorization.removeprefix("Bearer ")
        review = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": token}}
        path = "/apis/authentication.k8s.io/v1/tokenreviews"
        status = self.api.request("POST", path, review)["status"] if token else {}
        if not status.get("authenticated"):
            return 401, "Unauthorized"
        user = status["user"]
        access = {
            "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
            "spec": {
                "user": user["username"], "groups": user.get("groups") or [],
                "resourceAttributes": {"resource": "namespaces", "verb": "get"},
            },
        }  # fmt: skip
        allowed = self.api.request("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", access)
        if allowed["status"].get("allowed"):
            return None
        return 403, f"Forbidden (user={user['username']}, verb=get, resource=namespaces, subresource=)"
