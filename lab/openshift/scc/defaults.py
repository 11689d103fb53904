"""What OpenShift's API server fills in of a SecurityContextConstraints that leaves it out.

Its admission plugin `security.openshift.io/DefaultSecurityContextConstraints` reads the object into the Go type, sets
defaults and writes it back, so fields without `omitempty`, which the CRD requires, are there.
https://github.com/openshift/api/blob/release-4.20/security/v1/types.go
https://github.com/openshift/apiserver-library-go/blob/main/pkg/securitycontextconstraints/sccdefaults/defaults.go
"""

import json
import logging

from podwright.lab.openshift.api import Api, ApiError, path_of
from podwright.lab.openshift.cache import wait_for

log = logging.getLogger("lab.openshift")
READY_SECONDS = 30

NAME = "lab-scc-defaults"
LISTS = ("allowedCapabilities", "defaultAddCapabilities", "requiredDropCapabilities")
FLAGS = (
    "allowHostDirVolumePlugin", "allowHostIPC", "allowHostNetwork", "allowHostPID", "allowHostPorts",
    "allowPrivilegedContainer", "readOnlyRootFilesystem",
)  # fmt: skip
STRATEGIES = ("fsGroup", "supplementalGroups")
GROUP = "admissionregistration.k8s.io/v1"
VOLUMES = (
    "awsElasticBlockStore", "azureDisk", "azureFile", "cephFS", "cinder", "configMap", "csi", "downwardAPI",
    "emptyDir", "ephemeral", "fc", "flexVolume", "flocker", "gcePersistentDisk", "gitRepo", "glusterfs", "image",
    "iscsi", "nfs", "persistentVolumeClaim", "photonPersistentDisk", "portworxVolume", "projected", "quobyte", "rbd",
    "scaleIO", "secret", "storageOS", "vsphere",
)  # fmt: skip
"""Every type but hostPath: what is allowed where all are and the flag for the host's folders is off."""
HOST = "(has(object.allowHostDirVolumePlugin) && object.allowHostDirVolumePlugin)"


def fill_in(api: Api) -> None:
    """Create the policy that does so, with its binding, where they are missing."""
    rule = {
        "apiGroups": ["security.openshift.io"], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"],
        "resources": ["securitycontextconstraints"],
    }  # fmt: skip
    api.ensure(path_of(GROUP, "mutatingadmissionpolicies"), {
        "apiVersion": GROUP, "kind": "MutatingAdmissionPolicy", "metadata": {"name": NAME},
        "spec": {
            "matchConstraints": {"resourceRules": [rule]}, "failurePolicy": "Fail", "reinvocationPolicy": "Never",
            "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": _expression()}}],
        },
    })  # fmt: skip
    api.ensure(path_of(GROUP, "mutatingadmissionpolicybindings"), {
        "apiVersion": GROUP, "kind": "MutatingAdmissionPolicyBinding", "metadata": {"name": NAME},
        "spec": {"policyName": NAME},
    })  # fmt: skip
    if not wait_for(lambda: _fills(api), READY_SECONDS):
        log.warning("the policy %s does not work after %d s", NAME, READY_SECONDS)


def _fills(api: Api) -> bool:
    """Whether the policy is in force: the API server reads it, and the schema of the kind, a moment later."""
    any_of_it = {"type": "RunAsAny"}
    asked = {
        "apiVersion": "security.openshift.io/v1", "kind": "SecurityContextConstraints", "metadata": {"name": NAME},
        "volumes": ["secret"], "runAsUser": any_of_it, "seLinuxContext": any_of_it,
    }  # fmt: skip
    path = path_of("security.openshift.io/v1", "securitycontextconstraints")
    try:
        return "priority" in api.request("POST", f"{path}?dryRun=All", asked)
    except ApiError:
        return False


def _expression() -> str:
    absent = {
        **dict.fromkeys(("priority", *LISTS), "null"), **dict.fromkeys(FLAGS, "false"),
        **dict.fromkeys(STRATEGIES, '{"type": "RunAsAny"}'), **dict.fromkeys(("users", "groups"), "[]"),
        "allowPrivilegeEscalation": "true",
    }  # fmt: skip
    patches = [
        f'(has(object.{field}) ? [] : [JSONPatch{{op: "add", path: "/{field}", value: {value}}}])'
        for field, value in absent.items()
    ]
    return " + ".join([*patches, _volumes()])


def _volumes() -> str:
    """The flag for the host's folders goes before the list, which an older client does not know."""
    every = json.dumps(VOLUMES)
    absent = _put(HOST + ' ? ["*"] : ' + every)
    more = _put('object.volumes + ["hostPath"]')
    none, fewer = _put('["none"]'), _put('object.volumes.filter(v, v != "hostPath")')
    host = f"{_names('*')} || {_names('hostPath')} ? [] : {more}"
    without = (
        f"size(object.volumes) == 0 ? {none} : {_names('*')} ? {_put(every)} : {_names('hostPath')} ? {fewer} : []"
    )
    return f"(!has(object.volumes) ? {absent} : {HOST} ? ({host}) : ({without}))"


def _put(value: str) -> str:
    return f'[JSONPatch{{op: "add", path: "/volumes", value: {value}}}]'


def _names(volume: str) -> str:
    return f'object.volumes.exists(v, v == "{volume}")'
