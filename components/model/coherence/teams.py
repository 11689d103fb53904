"""Teams: whom their pods reach, and which groups work in them."""

from collections.abc import Iterator
from difflib import get_close_matches

from podwright.components.model.admission_rules import LIVE
from podwright.components.model.coherence.platform import Installation
from podwright.components.model.coherence.references import reference
from podwright.components.model.problems import Problem


def _reaches(given: Installation) -> Iterator[Problem]:
    teams = given.openshift.teams
    for name, team in teams.items():
        for place, other in enumerate(team.reaches):
            loc = ("openshift", "teams", name, "reaches", place)
            if other == name:
                yield Problem(loc, f"pods of {name} reach each other already", "remove it")
            elif other in team.reaches[:place]:
                yield Problem(loc, f"{other} is named twice", "remove it")
            else:
                yield from reference(loc, other, teams, "team", "openshift.teams")


def _groups(given: Installation) -> Iterator[Problem]:
    """A group has one right: who may edit a namespace may view it, too."""
    for name, team in given.openshift.teams.items():
        loc = ("openshift", "teams", name, "groups")
        seen = {team.group: "group"} if team.group is not None else {}
        for key, groups in (("edit", team.groups.edit), ("view", team.groups.view)):
            for place, group in enumerate(groups):
                if group in seen:
                    message = f"{group} is in `{seen[group]}` of {name} already"
                    yield Problem((*loc, key, place), message, "remove it from one of the two")
                seen.setdefault(group, f"groups.{key}")


def _rules(given: Installation) -> Iterator[Problem]:
    """Live rules are for teams, and each is one that the API server can evaluate."""
    section = given.openshift.admission_rules
    if section is None:
        return
    if not given.openshift.teams:
        message = "rules are for namespaces of teams, and there is no team"
        yield Problem(("openshift", "admission_rules"), message, "define openshift.teams, or remove it")
    for name in section.rules:
        if name not in LIVE:
            near = get_close_matches(name, LIVE, n=1, cutoff=0.6)
            hint = f"did you mean {near[0]}?" if near else "see gate `admission` on the page of policies"
            message = f"{name} is no rule that the API server evaluates"
            yield Problem(("openshift", "admission_rules", "rules", name), message, hint, at_key=True)


OPENSHIFT = (_reaches, _groups, _rules)
