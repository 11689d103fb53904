"""The one table of Go programs that podwright's engine and lab are made of.

Versions, stamps, times and sizes were measured on 2 cores with Go 1.26.8 and empty Go caches
(docs/decisions/0001-toolchain.md). Another binary is another row and a folder in modules/.
"""

from dataclasses import dataclass

_PULUMI_VERSION = "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version"
_PULUMI_SDK = "github.com/pulumi/pulumi/sdk/v3"
_KUBERNETES_PROVIDER = "github.com/pulumi/pulumi-kubernetes/provider/v4"
_KUBERNETES_STAMP = tuple(
    f"k8s.io/component-base/version.{variable}"
    for variable in ("gitVersion=v1.36.3", "gitMajor=1", "gitMinor=36", "gitTreeState=clean")
)
_KEDA_STAMP = ("github.com/kedacore/keda/v2/version.Version=2.19.0",)


@dataclass(frozen=True)
class ModuleFile:
    """A file taken from a dependency's module folder.

    `version` is written into a JSON file's top-level "version", which the module leaves empty.
    """

    module: str
    path: str
    version: str | None = None

    @property
    def name(self) -> str:
        """File name it gets at its destination."""
        return self.path.rsplit("/", 1)[-1]


@dataclass(frozen=True)
class Binary:
    """How one program is built from its folder in toolchain/modules.

    `seconds` is the cold build on 2 cores, `megabytes` the size of the result. `plugin` names
    a Pulumi resource plugin (name, version): it goes into PULUMI_HOME instead of bin/.
    `embeds` are put beside main.go before the build, `companions` beside the result after it.
    """

    name: str
    module: str
    package: str
    seconds: int
    megabytes: int
    stamps: tuple[str, ...] = ()
    plugin: tuple[str, str] | None = None
    embeds: tuple[ModuleFile, ...] = ()
    companions: tuple[ModuleFile, ...] = ()

    @property
    def ldflags(self) -> str:
        """Linker flags: no symbol tables, and the version stamps."""
        return " ".join(["-s", "-w", *(f"-X {stamp}" for stamp in self.stamps)])


BINARIES: tuple[Binary, ...] = (
    Binary(
        "pulumi",
        "pulumi",
        "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
        321,
        115,
        stamps=(f"{_PULUMI_VERSION}=v3.259.0",),
        companions=(
            ModuleFile(_PULUMI_SDK, "python/cmd/pulumi-language-python-exec"),
            ModuleFile(_PULUMI_SDK, "python/dist/pulumi-resource-pulumi-python"),
        ),
    ),
    Binary(
        "pulumi-language-python",
        "language-python",
        "github.com/pulumi/pulumi/sdk/python/cmd/pulumi-language-python/v3",
        60,
        29,
        stamps=(f"{_PULUMI_VERSION}=v3.187.0",),
    ),
    Binary(
        "pulumi-resource-command",
        "command",
        "github.com/pulumi/pulumi-command/provider/cmd/pulumi-resource-command",
        40,
        26,
        stamps=("github.com/pulumi/pulumi-command/provider/pkg/version.Version=0.9.2",),
        plugin=("command", "0.9.2"),
    ),
    Binary(
        "pulumi-resource-kubernetes",
        "kubernetes",
        ".",
        600,
        167,
        stamps=(f"{_KUBERNETES_PROVIDER}/pkg/version.Version=4.25.0",),
        plugin=("kubernetes", "4.25.0"),
        embeds=(
            ModuleFile(_KUBERNETES_PROVIDER, "cmd/pulumi-resource-kubernetes/schema.json", "4.25.0"),
            ModuleFile(_KUBERNETES_PROVIDER, "cmd/pulumi-resource-kubernetes/terraform-mapping.json"),
        ),
    ),
    Binary(
        "kube-apiserver",
        "controlplane",
        "k8s.io/kubernetes/cmd/kube-apiserver",
        346,
        106,
        stamps=_KUBERNETES_STAMP,
    ),
    Binary(
        "kubectl",
        "controlplane",
        "k8s.io/kubernetes/cmd/kubectl",
        34,
        60,
        stamps=_KUBERNETES_STAMP,
    ),
    Binary(
        "kube-controller-manager",
        "controlplane",
        "k8s.io/kubernetes/cmd/kube-controller-manager",
        99,
        96,
        stamps=_KUBERNETES_STAMP,
    ),
    Binary(
        "kube-scheduler",
        "controlplane",
        "k8s.io/kubernetes/cmd/kube-scheduler",
        10,
        73,
        stamps=_KUBERNETES_STAMP,
    ),
    Binary("kwok", "controlplane", "sigs.k8s.io/kwok/cmd/kwok", 15, 64),
    Binary("etcd", "controlplane", "go.etcd.io/etcd/server/v3", 15, 27),
)

YAML = Binary("pulumi-language-yaml", "yaml", "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml", 140, 60)
"""Programs in Pulumi YAML: only the suites that have such a program build it (`python3 -m toolchain setup yaml`)."""

ETCDUTL = Binary("etcdutl", "etcdutl", "go.etcd.io/etcd/etcdutl/v3", 37, 25)
"""Makes a store of a snapshot of etcd: only the drill of a restore builds it (`python3 -m toolchain setup restore`)."""

KUEUE = Binary("kueue", "kueue", "sigs.k8s.io/kueue/cmd/kueue", 433, 110, stamps=_KUBERNETES_STAMP)
"""Admits jobs to queues: the lab starts it where a cluster has the Red Hat build of Kueue. The demo has none, so only
the tests' set-up builds it, and `python3 -m toolchain setup queues`."""

JOBSET = Binary("jobset", "jobset", "sigs.k8s.io/jobset", 6, 51)
"""Makes the Jobs of JobSets: the lab starts it where a cluster has the JobSet Operator. Built where Kueue is, of the
same releases of Kubernetes' modules, so that little is compiled twice."""

TRAINER = Binary("trainer", "trainer", "github.com/kubeflow/trainer/v2/cmd/trainer-controller-manager", 30, 33)
"""Makes the JobSet of a TrainJob: the lab starts it where OpenShift AI's component of it is on. Of the same releases of
Kubernetes' modules as JobSet."""

PROMQL = Binary("promql", "promql", ".", 15, 17)
"""Prometheus's own reading of rules, for tests of alerts and for the lab, which refuses what cannot be read. The demo
has no alerts, so only the tests' set-up builds it, and `python3 -m toolchain setup alerts`."""

KEDA = Binary("keda", "keda", "github.com/kedacore/keda/v2/cmd/operator", 900, 163, _KEDA_STAMP)
KEDA_ADAPTER = Binary("keda-adapter", "keda", "github.com/kedacore/keda/v2/cmd/adapter", 30, 113, _KEDA_STAMP)
SCALING = (KEDA, KEDA_ADAPTER)
"""Change the replicas of services that scale: the lab starts them where a cluster has the Custom Metrics Autoscaler.
KEDA knows the clients of some seventy products, whose modules are 2 GB: `python3 -m toolchain setup scaling` alone
builds it, and tests that need it run by `make soak SUITE=scaling`."""

KSERVE = Binary("kserve", "kserve", "github.com/kserve/kserve/cmd/manager", 289, 79)
"""Makes the Deployments of InferenceServices: the lab starts it where Red Hat OpenShift AI has its component on.
`python3 -m toolchain setup kserve` alone builds it, and tests that need it run by `make soak SUITE=kserve`."""

PICKER = Binary("epp", "picker", "sigs.k8s.io/gateway-api-inference-extension/cmd/epp", 150, 58)
"""Picks the replica that gets a request: the lab starts it where a service is behind the inference gateway. No example
of the demo has one: `python3 -m toolchain setup gateway` alone builds it, and its tests run by
`make soak SUITE=gateway`."""

QUEUES = (KUEUE, JOBSET, TRAINER)
ON_REQUEST = (YAML, ETCDUTL, *QUEUES, PROMQL, *SCALING, KSERVE, PICKER)
BY_NAME = {binary.name: binary for binary in (*BINARIES, *ON_REQUEST)}
ENGINE = tuple(b for b in BINARIES if b.name.startswith("pulumi"))
CONTROL_PLANE = tuple(b for b in BINARIES if b.module == "controlplane")


@dataclass(frozen=True)
class Step:
    """What one thing a person asks for needs: the Python set, programs, the lab's CRDs, an environment apart."""

    what: str
    python: str
    binaries: tuple[Binary, ...] = ()
    crds: bool = False
    apart: str = ""
    """Name of an environment of its own, for programs of others that tests ask."""


STEPS: dict[str, Step] = {
    "check": Step("the offline check of a stack file", "check"),
    "python": Step("every Python package, no Go", "full"),
    "preview": Step("`pulumi preview` and `up`", "full", ENGINE),
    "lab": Step("the lab with its Kubernetes control plane", "full", CONTROL_PLANE, crds=True),
    "yaml": Step("programs in Pulumi YAML", "full", (*ENGINE, YAML)),
    "restore": Step("the drill that restores etcd from a backup", "full", (*CONTROL_PLANE, ETCDUTL), crds=True),
    "queues": Step("the lab with Kueue, JobSet and Trainer", "full", (*CONTROL_PLANE, *QUEUES), crds=True),
    "alerts": Step("the lab with Prometheus's reading of alerts", "full", (*CONTROL_PLANE, PROMQL), crds=True),
    "scaling": Step("the lab with KEDA", "full", (*CONTROL_PLANE, *SCALING), crds=True),
    "kserve": Step("the lab with KServe", "full", (*CONTROL_PLANE, KSERVE), crds=True),
    "gateway": Step("the lab with the endpoint picker", "full", (*CONTROL_PLANE, PICKER), crds=True),
    "ansible": Step("Ansible with Cisco's collection, to compare with", "full", apart="ansible"),
    "schemas": Step("schemas of Kubernetes and OpenShift objects, to compare with", "full", apart="schemas"),
    "torch": Step("PyTorch, for the drill of the reference trainer", "full", apart="torch"),
    "demo": Step("`make demo`", "full", BINARIES, crds=True),
    "all": Step("everything that tests use", "full", (*BINARIES, *QUEUES, PROMQL), crds=True),
}
