"""Names of Routes that somebody has already."""

from tests.model.changes import LAB, both, put

CHAT = "workloads/inference/chat"
OTHER = LAB["workloads"]["inference"]["chat"] | {"replicas": 1, "route": {"host": "chat-chat.apps.lab.example.com"}}
CASES = [
    (
        LAB,
        both(
            put(f"{CHAT}/route", {"host": "chat-chat.apps.lab.example.com"}),
            put(f"{CHAT}/replicas", 1),
            put("workloads/inference/talk", OTHER),
        ),
        "workloads.inference.talk.route.host",
        "chat-chat.apps.lab.example.com is the name of service chat already",
    ),
    (
        LAB,
        put(f"{CHAT}/route", {"host": "oauth-openshift.apps.lab.example.com"}),
        "workloads.inference.chat.route.host",
        "the name of OpenShift itself",
    ),
    (
        LAB,
        put(f"{CHAT}/route", {"host": "api.lab.example.com"}),
        "workloads.inference.chat.route.host",
        "the name of the API server",
    ),
]
