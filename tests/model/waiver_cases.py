"""Waivers: the change, its place, a word of the sentence."""

from collections.abc import Callable

from tests.model.changes import LAB, PROD, Said, put


def waiver(resource: str) -> dict[str, str]:
    reason = {"reason": "moved in spring", "owner": "network team", "until": "2050-12-31"}
    return {"rule": "fabric-pfc-watchdog", "resource": resource, **reason}


def waived(*resources: str) -> Callable[[Said], None]:
    return put("waivers", [waiver(each) for each in resources])


CASES: list[tuple[Said, Callable[[Said], None], str, str]] = [
    (
        LAB,
        waived("leaf-01"),
        "waivers[0].resource",
        "leaf-01 is no resource of this cluster: their names begin with lab-",
    ),
    (LAB, waived("lab-leaf-01", "prod-leaf-01"), "waivers[1].resource", "prod-leaf-01 is no resource of this cluster"),
    (PROD, waived("prod-*"), "waivers[0].resource", "prod-* is every resource of the cluster"),
    (PROD, waived("prod-leaf-*", "prod", "prod-leaf-*"), "waivers[2]", "waivers[0] is for the same rule and resource"),
]
