"""docs/reference/policies.md: every rule of the policy pack, where it is evaluated, and whose guide it follows."""

from podwright.components.model.admission_rules import LIVE
from podwright.components.model.catalogue.alerts import alerts
from podwright.policies.rules import RULES, WAIVERS
from podwright.policies.rules.fabric import NEXUS
from podwright.policies.rules.frameworks import SOURCES
from podwright.policies.rules.rule import RuleText
from podwright.policies.rules.waivers import ENDS

BOUND = (
    "workloads-no-inference-on-training-pool", "workloads-priority-on-its-pools", "workloads-rails-within-tenant",
)  # fmt: skip
"""Rules that the admission policies of training pools and of tenants enforce, without a key of their own."""
QUEUED = ("workloads-wait-in-queues",)
"""Rules that the admission policies of queues enforce."""


def gates(rule: RuleText) -> tuple[str, ...]:
    """Where a rule is evaluated, in the order in which a change meets them."""
    found = {
        "check": rule.id == ENDS.id,
        "lint": rule.id in {each.id for each in NEXUS},
        "preview": True,
        "admission": rule.id in (*LIVE, *BOUND, *QUEUED),
        "alert": bool(repeated(rule)),
    }
    return tuple(gate for gate, here in found.items() if here)


def repeated(rule: RuleText) -> list[str]:
    """Alerts that say of a running cluster what a rule says of a plan."""
    return [name for name, each in alerts().items() if each.rule == rule.id]


GATES = """\
Gates are where a rule is evaluated: `check` by `podwright check`, `lint` by `podwright lint` on switches that exist,
`preview` by the pack in `pulumi preview` and `pulumi up`, and `admission` by the cluster's API server, for objects that
nobody planned: with [`openshift.admission_rules`](../how-to/enforce-rules-live.md), those of training pools without it,
that of queues with [`openshift.queues.enforce`](../how-to/queue-training-jobs.md#nothing-starts-beside-the-queues);
`alert` by the cluster's Prometheus, with [`openshift.alerts`](../how-to/be-alerted.md), of what has come to be anyway.
Few rules are alerts: of images, variables, policies and most other fields of an object there is no metric, so that
[`podwright audit`](../how-to/audit-a-cluster.md), once a night in CI, asks all rules about what is on a cluster.
""".splitlines()


def page() -> str:
    """The reference of the policy pack."""
    lines = ["# Policies", "", "Made by `python -m tools.docs` from `policies/rules`; do not edit.", ""]
    lines += [
        "Tags are whose guide a rule follows, and controls of a framework where a published mapping has this very",
        "check; the other rules have none. Any rule but a critical one can be [waived](../how-to/waive-a-finding.md).",
        "",
        *GATES,
        "",
        "| rule | what must hold | severity | stops a preview | gates | tags |",
        "|---|---|---|---|---|---|",
    ]
    for rule in (*RULES, *WAIVERS):
        stops = "yes" if rule.mandatory else "no, it advises"
        lines.append(
            f"| [`{rule.id}`](#{rule.id}) | {rule.title} | {rule.severity} | {stops} | {', '.join(gates(rule))} "
            f"| {', '.join(rule.tags)} |"
        )
    for rule in (*RULES, *WAIVERS):
        lines += ["", f"## {rule.id}", "", f"**{rule.title}.** {rule.why}", "", f"Fix: {rule.fix}"]
        lines += ["", f"Severity: {rule.severity}" + (f". Tags: {', '.join(rule.tags)}" if rule.tags else "")]
        lines[-1] += f". Gates: {', '.join(gates(rule))}"
        lines[-1] += "".join(f". Alert: [`{name}`](alerts.md)" for name in repeated(rule))
        if rule.reference.startswith("http"):
            lines += ["", f"Reference: <{rule.reference}>"]
        for control in rule.frameworks:
            lines += ["", f"{control}: <{SOURCES[control]}>"]
    return "\n".join([*lines, ""])
