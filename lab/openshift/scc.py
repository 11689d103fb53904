"""What OpenShift's API server fills in of a SecurityContextConstraints that leaves it out.

Its admission plugin `security.openshift.io/DefaultSecurityContextConstraints` reads the object into the Go type and
writes it back, so fields without `omitempty`, which the CRD requires, are there. `volumes` is left to the writer.
https://github.com/openshift/api/blob/release-4.20/security/v1/types.go
"""

from podwright.lab.openshift.api import Api, path_of

NAME = "lab-scc-defaults"
LISTS = ("allowedCapabilities", "defaultAddCapabilities", "requiredDropCapabilities")
FLAGS = (
    "allowHostDirVolumePlugin", "allowHostIPC", "allowHostNetwork", "allowHostPID", "allowHostPorts",
    "allowPrivilegedContainer", "readOnlyRootFilesystem",
)  # fmt: skip
GROUP = "admissionregistration.k8s.io/v1"


def fill_in(api: Api) -> None:
    """Create the policy that does so, with its binding, where they are missing."""
    absent = {**dict.fromkeys(("priority", *LISTS), "null"), **dict.fromkeys(FLAGS, "false")}
    patches = " + ".join(
        f'(has(object.{field}) ? [] : [JSONPatch{{op: "add", path: "/{field}", value: {value}}}])'
        for field, value in absent.items()
    )
    rule = {
        "apiGroups": ["security.openshift.io"], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"],
        "resources": ["securitycontextconstraints"],
    }  # fmt: skip
    api.ensure(path_of(GROUP, "mutatingadmissionpolicies"), {
        "apiVersion": GROUP, "kind": "MutatingAdmissionPolicy", "metadata": {"name": NAME},
        "spec": {
            "matchConstraints": {"resourceRules": [rule]}, "failurePolicy": "Fail", "reinvocationPolicy": "Never",
            "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": patches}}],
        },
    })  # fmt: skip
    api.ensure(path_of(GROUP, "mutatingadmissionpolicybindings"), {
        "apiVersion": GROUP, "kind": "MutatingAdmissionPolicyBinding", "metadata": {"name": NAME},
        "spec": {"policyName": NAME},
    })  # fmt: skip
