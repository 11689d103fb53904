"""Components as the package serves them, small enough to read a plan of: a rack of boxes, and what stands on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

import pulumi
from pydantic import Field

from podwright.components.contract import ArgsError
from podwright.components.model.problems import Problem
from podwright.components.model.types import Name, Spec
from podwright.components.providers.resources import Join


class Air(Spec):
    """Cooled by air."""

    kind: Literal["air"] = "air"
    """This cooling."""
    fan_rpm: Annotated[int, Field(ge=100, le=9000)] = 3000
    """Speed of the fans."""


class Water(Spec):
    """Cooled by water."""

    kind: Literal["water"]
    """This cooling."""
    litres_per_minute: float
    """Flow."""


class Box(Spec):
    """What stands in a rack."""

    height_units: Annotated[int, Field(ge=1, le=8)]
    """Height in rack units."""
    lanes: tuple[Annotated[int, Field(ge=0, le=63)], ...] = ()
    """Lanes in use."""


class Site(Spec):
    """Where the rack stands."""

    power_feed: Literal["a", "b"]
    """Feed it hangs on."""
    cooling: Annotated[Air | Water, Field(discriminator="kind")] = Air()
    """How it is cooled."""


@dataclass(frozen=True)
class RackArgs:
    """One rack."""

    cluster: str
    """Name of the cluster."""
    site: Site
    """Where it stands."""
    boxes: Mapping[str, Box] = field(default_factory=dict)
    """Boxes by name."""
    rack_gbps: Literal[100, 200] | None = None
    """Speed of its uplink in Gb/s."""
    protect: bool = False
    """Deletion protection."""
    labels: pulumi.Input[Mapping[str, str]] | None = None
    """Handed over: what is written on it."""
    after: Sequence[pulumi.Input[str]] = ()
    """`ready` of what must stand first."""


class Rack(pulumi.ComponentResource):
    """A rack of boxes, each a join."""

    TOKEN: ClassVar[str] = "podwright:index:Rack"

    box_names: pulumi.Output[list[str]]
    """Names of its boxes."""
    labels: pulumi.Output[Mapping[str, str]]
    """What is written on it."""
    ready: pulumi.Output[str]
    """Its name, once every box stands."""

    def __init__(self, name: str, args: RackArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        if sum(box.height_units for box in args.boxes.values()) > 16:
            wrong = Problem(("boxes", "last", "height_units"), "is one too many", "leave `height_units` at 1")
            raise ArgsError("Rack", name, [wrong])
        super().__init__(self.TOKEN, name, {"boxes": list(args.boxes)}, opts)
        if "podwright" not in self._providers:
            raise pulumi.RunError(f'Rack "{name}" was given no provider of podwright')
        waits: list[Any] = [pulumi.Output.from_input(each).apply(lambda _: None) for each in args.after]
        options = pulumi.ResourceOptions(parent=self, depends_on=waits)
        made = [
            Join(
                f"{name}-{box}", {"schema": 1, "cluster": args.cluster, "ends": f"{units.height_units} units"}, options
            )
            for box, units in args.boxes.items()
        ]
        last = pulumi.ResourceOptions(parent=self, depends_on=made)
        self.box_names = pulumi.Output.from_input(list(args.boxes))
        self.labels = pulumi.Output.from_input(args.labels or {})
        self.ready = Join(f"{name}-ready", {"schema": 1, "cluster": args.cluster, "ends": "rack"}, last).ready
        self.register_outputs({"box_names": self.box_names, "labels": self.labels, "ready": self.ready})


class ShelfArgs(Spec):
    """A shelf: args that are a model altogether."""

    cluster: Name
    """Name of the cluster."""
    wide_mm: Annotated[int, Field(ge=100)] = 482
    """Width in mm."""


class Shelf(pulumi.ComponentResource):
    """A shelf, of nothing but its name."""

    TOKEN: ClassVar[str] = "podwright:index:Shelf"

    ready: pulumi.Output[str]
    """Its name."""
    shown: pulumi.Output[Mapping[str, Any]]
    """What it was made of."""
    typed: pulumi.Output[Annotated[Mapping[str, Any], ShelfArgs]]
    """The same, as a type of ours."""

    def __init__(self, name: str, args: ShelfArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(self.TOKEN, name, {"cluster": args.cluster}, opts)
        self.ready = pulumi.Output.from_input(name)
        self.shown = pulumi.Output.from_input(args.model_dump())
        self.typed = self.shown
        self.register_outputs({"ready": self.ready, "shown": self.shown, "typed": self.typed})


COMPONENTS = {
    "podwright:index:Rack": "tests.package.doubles:Rack",
    "podwright:index:Shelf": "tests.package.doubles:Shelf",
}
