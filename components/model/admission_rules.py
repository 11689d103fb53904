"""What is defined about rules that the API server itself evaluates."""

from typing import Final, Literal

from podwright.components.model.types import Spec
from podwright.components.model.waivers import RuleName

Enforced = Literal["deny", "warn", "audit"]
LIVE: Final = (
    "workloads-image-by-digest", "workloads-rdma-locks-memory", "workloads-nccl-keeps-the-rails",
    "workloads-one-share-a-pod", "workloads-wait-for-admission", "workloads-no-system-priority",
    "workloads-start-is-waited-for", "workloads-replicas-read-claims", "workloads-memory-volumes-fit",
    "workloads-members-end-together", "workloads-batch-is-queued", "workloads-budget-lets-one-go",
    "workloads-route-one-way-to-balance", "workloads-policy-ports-are-numbers", "workloads-no-nginx-ingress",
    "workloads-scale-by-what-waits", "platform-gpu-quota-counts", "platform-no-gpu-default-in-limitrange",
)  # fmt: skip
"""Rules of the policy pack about one object alone, which the API server can evaluate."""


class AdmissionRules(Spec):
    """Rules of the policy pack that hold for whatever anybody makes in the namespaces of teams, by admission policies.

    The pack sees what a plan makes. Members of a team make objects of their own, and their controllers pods, of which
    no preview knows. Objects that exist are left alone until somebody changes what a rule reads; a pod that is made
    anew, by a drain for instance, is a new one: begin with `warn` or `audit`.
    """

    enforce: Enforced
    """What the API server does with a finding. deny: it refuses the request, with what to write instead. warn: it takes
    it, and clients such as `oc` print the warning. audit: it notes it in its audit log, as annotation
    `validation.policy.admission.k8s.io/validation_failure`. Rules that only advise in a preview, and rules with a
    waiver in this file, warn where this is deny."""
    rules: dict[RuleName, Literal["deny", "warn", "audit", "off"]] = {}
    """Another action for single rules, by name: {workloads-image-by-digest: warn}."""

    def action(self, rule: str) -> str:
        """What is done with findings of a rule."""
        return self.rules.get(rule, self.enforce)
