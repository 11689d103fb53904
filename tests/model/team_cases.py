"""What is refused of teams: each case a change of the lab's file, the place, and a part of the message."""

from tests.model.changes import LAB, both, put

TEAM = "openshift/teams/research"
CASES = [
    (LAB, put(f"{TEAM}/reaches", ["chta"]), "openshift.teams.research.reaches[0]", 'there is no team "chta"'),
    (LAB, put(f"{TEAM}/reaches", ["research"]), "openshift.teams.research.reaches[0]", "reach each other already"),
    (LAB, put(f"{TEAM}/reaches", ["chat", "chat"]), "openshift.teams.research.reaches[1]", "chat is named twice"),
    (
        LAB,
        put(f"{TEAM}/groups", {"edit": ["a b"], "view": ["auditors", "a b"]}),
        "openshift.teams.research.groups.view[1]",
        "a b is in `groups.edit` of research already",
    ),
    (
        LAB,
        both(put(f"{TEAM}/group", "ml"), put(f"{TEAM}/groups", {"edit": ["ml"]})),
        "openshift.teams.research.groups.edit[0]",
        "ml is in `group` of research already",
    ),
    (
        LAB,
        put("openshift/admission_rules", {"enforce": "deny", "rules": {"workloads-image-by-tag": "warn"}}),
        "openshift.admission_rules.rules.workloads-image-by-tag",
        "workloads-image-by-tag is no rule that the API server evaluates",
    ),
    (
        LAB,
        both(put("openshift/admission_rules", {"enforce": "deny"}), put("openshift/teams", {})),
        "openshift.admission_rules",
        "rules are for namespaces of teams, and there is no team",
    ),
]
