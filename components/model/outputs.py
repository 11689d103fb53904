"""What a stack exports: the contract with other stacks, which read it by a StackReference, and with scripts."""

from typing import Literal

from podwright.components.model.types import Name, Spec


class SwitchOutput(Spec):
    """A switch."""

    model: str
    """Product id."""
    management: str
    """Address of its management interface."""
    role: str
    """Its place in the fabric, such as leaf or spine."""


class FabricOutput(Spec):
    """The network. A stack whose `fabric.stack` names this one takes these."""

    switches: dict[Name, SwitchOutput]
    """By hostname; of a fabric that is another stack's, those that it exports."""
    digests: dict[Name, str]
    """By hostname, what the whole configuration comes to in twelve characters: another one is another configuration."""


class ServerOutput(Spec):
    """A server."""

    model: str
    """Product id."""
    pool: str
    """The pool that it is a node of."""
    gpus: str | None
    """The model of its GPUs; null: it has none."""
    rack: str
    """The rack that it is in."""
    uuid: str | None = None
    """The UUID that its profile gives it, where `intersight.uuids` has a pool of them."""
    serial: str | None = None
    """Its serial number as Intersight has it, where the file names a blade by its slot."""


class PoolOutput(Spec):
    """A node pool."""

    purpose: Literal["training", "inference", "infrastructure", "cpu"]
    """What runs on it."""
    mig: str | None
    """The layout of its GPUs; null: they are whole."""


class WorkloadOutput(Spec):
    """A job or a service."""

    team: str
    """Whose it is."""
    pool: str
    """Where it runs."""
    pods: int
    """How many pods it has."""
    url: str | None = None
    """Where a service with a Route answers."""


class WorkloadsOutput(Spec):
    """What runs."""

    training: dict[Name, WorkloadOutput]
    """Jobs by name."""
    inference: dict[Name, WorkloadOutput]
    """Services by name."""


class Outputs(Spec):
    """Everything that a stack exports. What follows from `openshift` is left out by a stack that has none."""

    cluster: Name
    """The cluster's name."""
    findings: tuple[str, ...]
    """What the file leaves open, as `podwright check` prints it."""
    fabric: FabricOutput
    """The network."""
    servers: dict[Name, ServerOutput]
    """Servers by host name."""
    kubeconfig: str | None = None
    """Administrator's access to the cluster. The one secret: Pulumi keeps it encrypted, and it stays a secret in a
    stack that reads it."""
    api: str | None = None
    """URL of the API server."""
    console: str | None = None
    """URL of the console."""
    nodes: dict[Name, str] | None = None
    """Addresses of hosts on the machine network, by name."""
    pools: dict[Name, PoolOutput] | None = None
    """Node pools by name."""
    operators: dict[str, str] | None = None
    """Release of each operator by its package; left out without `operators`."""
    volumes: dict[str, str] | None = None
    """Storage class of each volume by name."""
    workloads: WorkloadsOutput | None = None
    """What runs."""
    acceptance: dict[str, int] | None = None
    """Least Gb/s of each test of the RoCE acceptance; left out without `acceptance`."""
    unproven: dict[str, str] | None = None
    """Why, by test, of those that the last acceptance could not make."""


SECRET = ("kubeconfig",)
"""Outputs that are secrets."""
