"""Rules about other objects of teams' namespaces, in Common Expression Language."""

from typing import Final

from podwright.components.design.platform.admission_rules.rule import LiveRule

_SPEC: Final = "object.spec != oldObject.spec"
_NOTES: Final = "object.metadata.?annotations.orValue({}) != oldObject.metadata.?annotations.orValue({})"
_ROUTER: Final = "haproxy.router.openshift.io/"
_NGINX: Final = "nginx.ingress.kubernetes.io/"
_NOTE: Final = "object.metadata.?annotations[?'{0}'].orValue('')"
_BUSY: Final = "(?i)dcgm_fi_dev_(gpu|mem_copy)_util"
_METRICS: Final = " + ".join(
    f"object.spec.?metrics.orValue([]).map(each, each.?{form}.?metric.?name.orValue(''))"
    for form in ("pods", "object", "external")
)
_TRIGGERS: Final = (
    "object.spec.?triggers.orValue([])"
    ".map(each, each.?metadata.orValue({}).map(key, string(each.metadata[key])).join(' '))"
)
_OWN: Final = (
    "object.spec.?triggers.orValue([]).all(each, each.?type.orValue('') in ['cpu', 'memory'] || "
    "each.?metadata.orValue({}).exists(key, string(each.metadata[key]).contains('vllm:')))"
)
"""No trigger is active while there is no pod."""
_COUNTED: Final = ("kubernetes.io/", "count/")
_ELSEWHERE: Final = (".storageclass.storage.k8s.io/", ".deviceclass.resource.k8s.io/")
"""What quotas count by class, before the slash (kubernetes, pkg/quota/v1/evaluator/core)."""


def _extended() -> str:
    """Whether `key`, of a quota or a limit, is an extended resource."""
    bare = "(key.startsWith('limits.') ? key.substring(7) : key.startsWith('requests.') ? key.substring(9) : key)"
    starts = " && ".join(f"!{bare}.startsWith('{each}')" for each in _COUNTED)
    return f"{bare}.contains('/') && {starts}"


_STREAMS: Final = "openshift.io/imagestreams"
"""The one object count of OpenShift's own (its documentation, Resource quotas per project)."""
_UNCOUNTED: Final = " && ".join(
    (
        _extended(),
        "!key.startsWith('requests.')",
        *(f"!key.contains('{each}')" for each in _ELSEWHERE),
        f"key != '{_STREAMS}'",
    )
)
_GIVEN: Final = " + ".join(
    f"each.?{part}.orValue({{}}).filter(key, {_extended()})"
    for part in ("default", "defaultRequest", "max", "min", "maxLimitRequestRatio")
)

RULES: Final = (
    LiveRule(
        id="workloads-budget-lets-one-go",
        kinds=(("policy", "v1", ("poddisruptionbudgets",)),),
        changed=_SPEC,
        wrong="(object.spec.?minAvailable.hasValue() ? ['minAvailable'] : "
        "string(object.spec.?maxUnavailable.orValue(1)) in ['0', '0%'] ? ['maxUnavailable 0'] : []) + "
        "(object.spec.?unhealthyPodEvictionPolicy.orValue('') == 'AlwaysAllow' ? [] : "
        "['no unhealthyPodEvictionPolicy'])",
        message="{} holds up a drain: write maxUnavailable 1 and unhealthyPodEvictionPolicy AlwaysAllow",
    ),
    LiveRule(
        id="workloads-route-one-way-to-balance",
        kinds=(("route.openshift.io", "v1", ("routes",)),),
        changed=_NOTES,
        wrong=f"{_NOTE.format(f'{_ROUTER}balance')} != '' && "
        f"!({_NOTE.format(f'{_ROUTER}disable_cookies')}.lowerAscii() in ['true', '1']) "
        f"? [{_NOTE.format(f'{_ROUTER}balance')}] : []",
        message="it balances by {}, and the cookie of the router keeps each client at one pod: add "
        f'{_ROUTER}disable_cookies "true", or leave the balance out',
        advises=True,
    ),
    LiveRule(
        id="workloads-policy-ports-are-numbers",
        kinds=(("networking.k8s.io", "v1", ("networkpolicies",)),),
        changed=_SPEC,
        wrong="(object.spec.?ingress.orValue([]) + object.spec.?egress.orValue([])).map(each, "
        "each.?ports.orValue([]).filter(row, type(row.?port.orValue(0)) == string).map(row, row.port).join(' '))"
        ".filter(each, each != '')",
        message="port {} has a name, which opens every port: write the number of the port",
    ),
    LiveRule(
        id="workloads-no-nginx-ingress",
        kinds=(("networking.k8s.io", "v1", ("ingresses",)),),
        changed=f"{_SPEC} || {_NOTES}",
        wrong=f"object.metadata.?annotations.orValue({{}}).filter(key, key.startsWith('{_NGINX}')) + "
        "(object.spec.?ingressClassName.orValue('') == 'nginx' ? ['ingressClassName nginx'] : [])",
        message="{} is for ingress-nginx, which is not there: write a Route or an HTTPRoute",
    ),
    LiveRule(
        id="workloads-scale-by-what-waits",
        kinds=(
            ("autoscaling", "v2", ("horizontalpodautoscalers",)),
            ("keda.sh", "v1alpha1", ("scaledobjects",)),
        ),
        changed=_SPEC,
        variables={
            "sources": f"request.kind.kind == 'ScaledObject' ? {_TRIGGERS} : {_METRICS}",
            "from_nothing": "request.kind.kind == 'ScaledObject' && "
            "(object.spec.?minReplicaCount.orValue(0) == 0 || object.spec.?idleReplicaCount.orValue(1) == 0) && "
            f"{_OWN}",
        },
        wrong=f"variables.sources.filter(each, each.matches('{_BUSY}')) + "
        "(variables.from_nothing ? variables.sources.filter(each, each.contains('vllm:')) : [])",
        message="it scales by {}: scale by what waits (vllm:num_requests_waiting), with at least one replica",
    ),
    LiveRule(
        id="platform-gpu-quota-counts",
        kinds=(("", "v1", ("resourcequotas",)),),
        changed=_SPEC,
        wrong=f"object.spec.?hard.orValue({{}}).filter(key, {_UNCOUNTED})",
        message="{} is never counted: write requests.<resource>",
    ),
    LiveRule(
        id="platform-no-gpu-default-in-limitrange",
        kinds=(("", "v1", ("limitranges",)),),
        changed=_SPEC,
        wrong="object.spec.limits.filter(each, each.type == 'Container').map(each, "
        f"({_GIVEN}).join(' ')).filter(each, each != '')",
        message="{} is given to containers that asked for none: limit it by a ResourceQuota",
    ),
)
