"""Second versions of services that nobody could reach, that would get another share than is written, or find no GPU."""

from collections.abc import Callable

from tests.model.changes import LAB, Said, both, drop, put

CHAT = "workloads/inference/chat"
AT = "workloads.inference.chat.canary"
IMAGE = "registry.example.com/serving/vllm@sha256:" + "9" * 64
OTHER = LAB["workloads"]["inference"]["chat"]


def _canary(balance: str = "roundrobin", /, **more: object) -> Callable[[Said], None]:
    """A second version of one replica with a tenth of the requests, beside three of the first."""
    wanted = {"image": IMAGE, "replicas": 1, "percent": 10, **more}
    return both(
        put(f"{CHAT}/replicas", 3),
        put(f"{CHAT}/route", {"balance": balance, "host": "a.example.com"}),
        put(f"{CHAT}/canary", {key: each for key, each in wanted.items() if each is not None}),
    )


def _scaled(most: int) -> Callable[[Said], None]:
    """The first version with so many replicas at most; the second has its own number of them."""
    return both(put(f"{CHAT}/metrics", True), put(f"{CHAT}/scale", {"max": most}))


CANARIES = [
    (LAB, both(_canary(), drop(f"{CHAT}/route")), AT, "requests are shared by a Route, and this service has none"),
    (LAB, _canary(image=None), AT, "it is the first version again"),
    (LAB, _canary(image=OTHER["image"]), AT, "it is the first version again"),
    (LAB, _canary(model="chat-9b"), f"{AT}.model", "clients call the model chat-8b, and another name once"),
    (LAB, _canary(model="/models/chat-9b"), f"{AT}.model", "is a path, and the service mounts no volume"),
    (LAB, _canary("leastconn"), f"{AT}.percent", "10 of 100 requests are not kept: leastconn counts open connections"),
    (LAB, _canary("random"), f"{AT}.percent", "10 of 100 requests are not kept: random takes the less busy of two"),
    (LAB, _canary("source"), f"{AT}.percent", "10 of 100 requests are not kept: source goes by clients' addresses"),
    (LAB, _canary("cookie", percent=100), f"{AT}.percent", "by its cookie a client stays at the version"),
    (LAB, _canary(percent=1, replicas=20), f"{AT}.percent", "3 and 20 replicas get 2.5 of 100 requests, for 1"),
    (LAB, both(_canary(percent=98), _scaled(10)), f"{AT}.percent", "8 and 1 replicas get 97.0 of 100 requests, for 98"),
    (
        LAB,
        _canary(watch={"minutes": 5, "unready_seconds": 300}),
        f"{AT}.watch.unready_seconds",
        "is not ready for 300 seconds shows in no watch of 300",
    ),
    (LAB, _canary(replicas=60), f"{AT}.replicas", "its services ask for 63"),
    (
        LAB,
        both(_canary(), _scaled(14)),
        "openshift.teams.chat.slices.1g.18gb",
        "chat runs 15 x 1g.18gb, its quota is 14",
    ),
    (
        LAB,
        both(_canary(), put("openshift/teams/chat/slices", {"1g.18gb": 3})),
        "openshift.teams.chat.slices.1g.18gb",
        "chat runs 4 x 1g.18gb, its quota is 3",
    ),
    (
        LAB,
        both(_canary(), put("workloads/inference/chat-canary", {**OTHER, "replicas": 1})),
        AT,
        "its objects are called chat-canary, as those of service chat-canary of the same team",
    ),
]
