"""The page of alerts: which there are, and which are not and why."""

from podwright.components.model.catalogue.alerts import Alert, alerts, exported, refused

_NEEDS = {
    "gpus": "GPUs",
    "heat": "`hot_celsius`",
    "training": "a training pool",
    "inference": "an inference pool",
    "teams": "teams",
    "queues": "queues",
}
_HEAD = """# Alerts

Made by `python -m tools.docs` from `components/model/catalogue/alerts.toml`; do not edit.

Planned with `openshift.alerts` ([how to](../how-to/be-alerted.md)), where the cluster has what an alert is about. Each
one fires in a test by Prometheus's own engine, and stays silent in others beside it
(`tests/design/platform/alert_cases.yaml`).
"""


def page() -> str:
    """Each alert, whom it is for, what to do; then what exports the metrics; then forms that are refused."""
    lines = [_HEAD]
    for group in dict.fromkeys(each.group for each in alerts().values()):
        lines += [f"## {group.capitalize().replace('Gpus', 'GPUs')}", ""]
        lines += ["| alert | severity, pending for | is for | where there are | what to do |", "|---|---|---|---|---|"]
        lines += [*(_row(each) for each in alerts().values() if each.group == group), ""]
    lines += ["## Expressions", "", "Words between @ are filled in from the stack file.", ""]
    for each in alerts().values():
        rule = f" The rule of the policy pack that says it of a plan: `{each.rule}`." if each.rule else ""
        lines += [f"`{each.name}`: {each.source}.{rule}", "", "```promql", each.expr, "```", ""]
    lines += ["## Metrics", "", "Alerts on anything else could never fire; a test reads every expression for them.", ""]
    sources: dict[str, list[str]] = {}
    for metric, by in exported().items():
        sources.setdefault(by, []).append(metric)
    lines += [f"- {by}: {', '.join(f'`{each}`' for each in metrics)}" for by, metrics in sources.items()]
    lines += ["", "## Alerts that are wrong", "", "None of ours has such a form.", ""]
    lines += ["| what | as others write it | why not |", "|---|---|---|"]
    lines += [f"| {each.what} | `{each.written}` | {each.why} |" for each in refused()]
    return "\n".join([*lines, ""])


def _row(each: Alert) -> str:
    whose = "its team" if each.team else "the platform's owner"
    needs = ", ".join(text for key, text in _NEEDS.items() if key in each.needs)
    time = f", {each.pending}" if each.pending else ""
    summary = each.summary.replace("{{ $labels.", "<").replace("{{ $value", "<value").replace(" }}", ">")
    return f"| `{each.name}`<br>{_text(summary)} | {each.severity}{time} | {whose} | {needs} | {_text(each.action)} |"


def _text(text: str) -> str:
    return text.replace("<", "&lt;").replace(">", "&gt;").replace("|", "\\|")
