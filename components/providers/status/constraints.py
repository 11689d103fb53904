"""OpenShift's refusal of a pod by its security context constraints, in the words that somebody can act on.

The message lists every SCC of the cluster, most of them because the account may not use them
(https://github.com/openshift/apiserver-library-go, pkg/securitycontextconstraints/sccadmission/admission.go).
"""

import re

_REFUSED = "unable to validate against any security context constraint: "
_NOT_USABLE = re.compile(r'provider "[^"]+": Forbidden: not usable by user or serviceaccount')
_NEXT = re.compile(r", (?=provider |spec\.|pod\.metadata\.|pod\.spec\.|no access to scc/)")


def refusal(message: str, account: str) -> str | None:
    """Why no SCC that the account may use admits the pod; None where the message is about something else."""
    _, found, listed = message.partition(_REFUSED)
    if not found:
        return None
    listed = listed[1:-1] if listed.startswith("[") and listed.endswith("]") else listed
    rows = [each.removeprefix("provider ") for each in _NEXT.split(listed) if not _NOT_USABLE.fullmatch(each)]
    if not rows:
        return f"account {account} may use none of the cluster's security context constraints"
    return f"no security context constraints that account {account} may use admit them: {'; '.join(rows)}"
