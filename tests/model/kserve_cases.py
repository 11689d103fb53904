"""Services that KServe cannot run as they are defined, and clusters that have no KServe."""

from collections.abc import Callable

from tests.model.changes import PROD, Said, both, put
from tests.model.data_science_cases import TOOLS
from tests.model.engine_cases import NIM
from tests.model.scaling_cases import AT, CHAT, SCALED

KSERVE = put(f"{CHAT}/kind", "kserve")
TOOLS_ALONE = {"components": ["mlflow"], "teams": ["chat"]}
HERE = both(KSERVE, put(TOOLS, {"components": ["kserve"], "teams": ["chat"]}))
TEAM = "customer-experience-apps"


def called(characters: int) -> Callable[[Said], None]:
    """A service of KServe whose name has so many, of a team whose name has 24."""
    service = {**PROD["workloads"]["inference"]["chat"], "kind": "kserve", "team": TEAM}
    return both(put(f"openshift/teams/{TEAM}", {}), put(f"workloads/inference/{'c' * characters}", service))


SERVED = [
    (PROD, KSERVE, f"{AT}.kind", "nothing installs KServe: it is a component of Red Hat OpenShift AI"),
    (PROD, both(KSERVE, put(TOOLS, TOOLS_ALONE)), f"{AT}.kind", "nothing installs KServe"),
    (PROD, both(HERE, NIM), f"{AT}.kind", "OpenShift AI runs NIMs of an account"),
    (PROD, both(HERE, SCALED), f"{AT}.scale", "which KServe writes again as it has it"),
    (
        PROD,
        both(HERE, put(f"{CHAT}/canary", {"image": "registry.example.com/other", "replicas": 1, "percent": 5})),
        f"{AT}.canary",
        "shares requests among no versions of a service that it deploys",
    ),
    (
        PROD,
        both(HERE, called(29)),
        f"workloads.inference.{'c' * 29}",
        f"KServe makes the name {'c' * 29}-predictor-{TEAM} of it, with 64 characters where 63 are possible",
    ),
]
"""A stack to begin with, a change, the place of the problem, and a part of its sentence."""
