"""Names that services are reached by, behind the inference gateway."""

from collections import defaultdict

from podwright.components.model.workloads import Workloads


def gateway_hosts(work: Workloads) -> dict[str, list[str]]:
    """Names by team, each team's sorted; teams without a service behind the gateway are not there."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for service in work.inference.values():
        if service.gateway is not None:
            found[service.team].append(service.gateway.host)
    return {team: sorted(names) for team, names in sorted(found.items())}
