"""Which objects of a cluster a rule is asked about: what another one made is found once, at its maker, where that says
what the rule is about.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from podwright.policies.rules.kubernetes import kind, runs_pods
from podwright.policies.rules.resource import Resource
from podwright.policies.rules.rule import Rule, StackRule
from podwright.policies.rules.templates import makes_pods, templates
from podwright.policies.rules.waiting import names_a_queue

_RENDERS: Final = ("ContainerRuntimeConfig", "KubeletConfig", "MachineConfigPool")
"""Of what the Machine Config Operator makes MachineConfigs: a pool's has all of the others in it, and kubelet's writes
the file that is the installer's (openshift/machine-config-operator, pkg/controller)."""
_BY_QUEUE: Final = ("workloads-batch-is-queued", "workloads-wait-in-queues")
"""Rules about jobs that wait: Kueue admits the object that names a queue, with all that it makes
(https://kueue.sigs.k8s.io/docs/tasks/run/). Of kinds that the pack knows they speak at the maker, or not at all."""


class Makers:
    """Objects of one cluster, each with those that made it."""

    def __init__(self, resources: Sequence[Resource]) -> None:
        self._known = {_meta(each).get("uid"): each for each in resources if _meta(each).get("uid")}
        self._resources = [each for each in resources if not self._leftover(each)]
        self._types = {each.type for each in self._resources}
        self._above: dict[Resource, tuple[Resource, ...]] = {}
        self._states: dict[Resource, bool] = {}

    def about(self, rule: Rule | StackRule) -> list[Resource]:
        """Those of the rule's kinds whose makers, near or far, do not say for themselves what the rule is about."""
        types = {each for each in self._types if rule.types(each)}
        looked = {each for each in self._types if each in types or (rule.id in _BY_QUEUE and runs_pods(each))}
        return [each for each in self._resources if each.type in types and not self._stated(rule, each, looked)]

    def once(self, found: Sequence[tuple[Resource, str]]) -> Iterator[tuple[Resource, str]]:
        """Findings of one rule, each with its object, without those whose maker has one too."""
        at = {each for each, _ in found}
        yield from ((each, message) for each, message in found if at.isdisjoint(self.above(each)))

    def above(self, resource: Resource) -> tuple[Resource, ...]:
        """Makers of an object, the nearest first, as far as they were read and may say what it is.

        A pod is a template of nothing that it owns, nor is what made that pod alone: the workers of a LeaderWorkerSet
        are their leader's.
        """
        if resource not in self._above:
            chain: list[Resource] = []
            here = self._maker(resource)
            while here is not None and here is not resource and here not in chain:
                chain.append(here)
                here = self._maker(here)
            leader = next((at for at, each in enumerate(chain) if kind(each) == "Pod"), len(chain))
            beyond = (each for each in chain[leader:] if not runs_pods(each.type))
            self._above[resource] = (*chain[:leader], *beyond)
        return self._above[resource]

    def _maker(self, resource: Resource) -> Resource | None:
        owners = _meta(resource).get("ownerReferences") or ()
        return next((self._known.get(each["uid"]) for each in owners if each.get("controller")), None)

    def _leftover(self, resource: Resource) -> bool:
        """Whether an object repeats others, or is of a past version of its maker."""
        maker = self._maker(resource)
        if maker is None:
            return False
        past = kind(resource) == "ReplicaSet" and (resource.props.get("spec") or {}).get("replicas") == 0
        return past or (kind(resource) == "MachineConfig" and kind(maker) in _RENDERS)

    def _stated(self, rule: Rule | StackRule, resource: Resource, looked: set[str]) -> bool:
        makers = self.above(resource)
        if rule.id in _BY_QUEUE and any(map(names_a_queue, makers)):
            return True
        return any(each.type in looked and self._states_of(each, resource) for each in makers)

    def _states_of(self, maker: Resource, resource: Resource) -> bool:
        """A pod is as the template in its maker; what else a maker of pods has is its controller's own idea."""
        if not makes_pods(resource.type):
            return not makes_pods(maker.type)
        if maker not in self._states:
            self._states[maker] = any(True for _ in templates(maker))
        return self._states[maker]


def _meta(resource: Resource) -> Mapping[str, Any]:
    found: Mapping[str, Any] = resource.props["metadata"]
    return found
