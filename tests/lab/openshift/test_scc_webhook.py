"""SCC admission as the API server asks for it: an AdmissionReview over TLS, on a connection that stays."""

from __future__ import annotations

import base64
import http.client
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from podwright.lab.openshift.api import ApiError
from podwright.lab.openshift.cache import Kind
from podwright.lab.openshift.certificates import issue, make_root
from podwright.lab.openshift.kinds import NAMESPACES
from podwright.lab.openshift.ports import free_port
from podwright.lab.openshift.scc.server import SCCS, Handler, Plugin, Server
from podwright.lab.openshift.scc.shipped import access, constraints
from tests.lab.openshift.test_scc_admission import NAMESPACE, Object, pod

USER = {"username": "system:serviceaccount:kube-system:job-controller", "groups": ["system:authenticated"]}


class Known:
    """A cluster that stands still."""

    def __init__(self, *more: Object) -> None:
        self._objects = [*access(), *more]

    def listen(self, kind: Kind, bell: Callable[[], None]) -> None:
        """Nothing changes."""

    def settle(self, kind: Kind, over: threading.Event) -> None:
        """Everything is known."""

    def list(self, kind: Kind) -> list[Object]:
        if kind == SCCS:
            return list(constraints())
        return [each for each in self._objects if f"{each['kind'].lower()}s" == kind.plural]

    def get(self, kind: Kind, name: str) -> Object | None:
        return NAMESPACE if (kind, name) == (NAMESPACES, "team") else None


class Silent:
    """An API server that says nothing beyond what is known."""

    def request(self, method: str, path: str) -> Object:
        raise ApiError(0, "Unreachable", f"{method} {path}")


Ask = Callable[[str, Any], tuple[int, Any]]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Sends a body to a path of the webhook."""
    folder = Path(tmp_path_factory.mktemp("webhook"))
    root = make_root("root")
    serving = issue(root, "scc", names=("127.0.0.1",))
    (folder / "crt").write_bytes(serving.certificate)
    (folder / "key").write_bytes(serving.key)
    with pytest.MonkeyPatch.context() as patch:
        plugin = Plugin(Silent(), Known(), threading.Event())  # type: ignore[arg-type]
        patch.setattr(Handler, "plugin", plugin, raising=False)
        port = free_port()
        server = Server(port, folder / "crt", folder / "key")
        threading.Thread(target=server.serve_forever, daemon=True).start()
        tls = ssl.create_default_context(cadata=root.certificate.decode())
        connection = http.client.HTTPSConnection("127.0.0.1", port, context=tls, timeout=10)

        def send(path: str, body: Any) -> tuple[int, Any]:
            connection.request("POST", path, json.dumps(body))
            reply = connection.getresponse()
            text = reply.read()
            return reply.status, json.loads(text) if reply.status == 200 else text

        yield send
        connection.close()
        server.shutdown()
        server.server_close()


def reviewed(of: Object, operation: str = "CREATE", **more: Any) -> Object:
    request = {"uid": "u", "operation": operation, "namespace": "team", "object": of, "userInfo": USER, **more}
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}


def test_a_pod_is_filled_in_by_a_patch(ask: Ask) -> None:
    status, answer = ask("/mutate", reviewed(pod()))
    assert (status, answer["response"]["uid"], answer["response"]["allowed"]) == (200, "u", True)
    rows = {row["path"]: row["value"] for row in json.loads(base64.b64decode(answer["response"]["patch"]))}
    assert set(rows) == {"/metadata/annotations", "/spec/securityContext", "/spec/containers/0/securityContext"}
    assert rows["/metadata/annotations"]["openshift.io/scc"] == "restricted-v2"


def test_a_refusal_has_the_words_and_the_code_of_openshift(ask: Ask) -> None:
    answer = ask("/mutate", reviewed(pod(hostNetwork=True)))[1]["response"]
    assert (answer["allowed"], answer["status"]["code"], answer["status"]["reason"]) == (False, 403, "Forbidden")
    words = 'pods "pod-" is forbidden: unable to validate against any security context constraint: [provider "anyuid"'
    assert answer["status"]["message"].startswith(words)


def test_the_last_look_takes_no_pod_that_something_is_missing_in(ask: Ask) -> None:
    answer = ask("/validate", reviewed(pod()))[1]["response"]
    assert (answer["allowed"], "patch" in answer) == (False, False)


def test_what_the_cluster_writes_is_let_by(ask: Ask) -> None:
    before = pod(hostNetwork=True)
    after = {**before, "metadata": {**before["metadata"], "finalizers": ["x"]}}
    assert ask("/mutate", reviewed(after, "UPDATE", oldObject=before))[1]["response"] == {"uid": "u", "allowed": True}


def test_what_is_no_review_has_no_answer(ask: Ask) -> None:
    assert ask("/mutate", {})[0] == 500
    assert ask("/mutate", reviewed(pod()))[0] == 200
