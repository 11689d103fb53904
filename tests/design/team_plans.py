"""What a whole file plans for its teams, composed as `AiCluster` composes it: for tests of the whole."""

from podwright.components.design.platform import TeamPlan, offered, team
from podwright.components.model import Cluster
from podwright.components.model.queued import granted, nominal
from podwright.components.model.workbenches import has_pipelines, projects
from tests.design.once import in_clear


def trains(cluster: Cluster, team: str) -> bool:
    """Whether a team runs training."""
    return any(job.team == team for job in cluster.workloads.training.values())


def team_plans(cluster: Cluster) -> list[TeamPlan]:
    """Every team of the file, in its order."""
    devices = offered.devices(cluster.pools, cluster.servers)
    return [
        team(
            name,
            granted(cluster, name),
            trains=trains(cluster, name),
            serves=any(service.team == name for service in cluster.workloads.inference.values()),
            in_queue=name in nominal(cluster),
            devices=devices,
            project=name in projects(cluster),
            pipelines=has_pipelines(cluster),
            reached_by=[other for other, each in cluster.teams.items() if name in each.reaches],
            clear=in_clear(cluster, name),
        )
        for name in cluster.teams
    ]
