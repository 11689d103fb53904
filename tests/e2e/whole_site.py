"""One site with everything that teams are given: queues, tenants, gangs of three kinds, keys, a canary, a scale."""

import yaml

from tests.e2e.many_nodes import KEY, PER_GROUP, stack
from tests.model.changes import Said, both, put
from tests.model.data_science_cases import DESKS
from tests.model.gateway_cases import IMAGE

CHAT_HOST, NOTES_HOST = "chat-chat.apps.lab.example.com", "notes.apps.lab.example.com"
CANARY = {"image": "registry.example.com/serving/vllm@sha256:" + "9" * 64, "replicas": 1, "percent": 10,
          "watch": {"minutes": 2, "requests": 20}}  # fmt: skip
CLIENTS = {"portal": {"tokens": {"limit": 2_000_000, "per": "day"}}, "batch": {"requests": {"limit": 3, "per": "day"}}}
HUB = {"HF_TOKEN": {"secret": "hub", "key": "token"}}


def text(nodes: int) -> str:
    """The stack file with this many GPU nodes, two of them for inference: tenant blue has the first leaf group, red the
    others."""
    document = yaml.safe_load(stack(nodes, 2))
    cluster: Said = document["config"][KEY]
    blue, red = 8 * PER_GROUP, 8 * (nodes - 2 - PER_GROUP)
    groups = -(-(nodes - 2) // PER_GROUP)
    job = {**cluster["workloads"]["training"]["pretrain"], "gpus": 8}
    serving = {**cluster["workloads"]["inference"]["chat"], "replicas": 2}
    both(
        DESKS,
        put("openshift/version", "4.22.3"),
        put("operators/release", "2026.10"),
        put("fabric/tenancy", {"kind": "vrf", "tenants": {
            "blue": {"index": 1, "groups": [1]}, "red": {"index": 2, "groups": [*range(2, groups + 1)]}}}),
        put("openshift/queues", {"pools": ["training"], "borrow": True, "enforce": True, "fair_sharing": True}),
        put("openshift/lost_nodes", {"pools": ["training"]}),
        put("openshift/service_mesh", {"teams": ["chat"]}),
        put("openshift/team_isolation", {}),
        put("openshift/user_workload_monitoring", True),
        put("openshift/admission_rules", {"enforce": "deny"}),
        put("openshift/alerts", {"owner": "platform"}),
        put("openshift/inference_gateway", {"picker_image": IMAGE, "keys": {}}),
        put("openshift/data_science",
            {"components": ["trainer", "workbenches"], "teams": ["lab"], "pools": ["inference"]}),
        put("openshift/teams", {
            "research": {"gpus": blue, "group": "researchers", "tenant": "blue", "cost_centre": "4711"},
            "vision": {"gpus": red, "group": "seers", "tenant": "red", "cost_centre": "4712"},
            "chat": {"slices": {"1g.18gb": 28}, "group": "chatters", "cost_centre": "4713"},
            "lab": {"slices": {"1g.18gb": 2}, "group": "scientists", "cost_centre": "4714"}}),
        put("workloads/training", {
            "pretrain": {**job, "nodes": 4, "secrets": HUB},
            "second": {**job, "nodes": 6, "kind": "job", "min_nodes": 3, "restarts": 20,
                       "rendezvous_store": {"pool": "inference"}},
            "detect": {**job, "team": "vision", "nodes": 2, "kind": "trainjob"}}),
        put("workloads/inference", {
            "chat": {**serving, "gateway": {"host": CHAT_HOST, "clients": CLIENTS}},
            "notes": {**serving, "replicas": 3, "metrics": True, "canary": CANARY, "spread": "racks", "secrets": HUB,
                      "route": {"balance": "roundrobin", "host": NOTES_HOST}},
            "talk": {**serving, "metrics": True, "scale": {"max": 4}}}),
    )(cluster)  # fmt: skip
    dumped: str = yaml.safe_dump(document, sort_keys=False, width=200)
    return dumped
