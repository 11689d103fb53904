"""What every component is: typed args, typed outputs, children named after it, and `ready` for whoever comes next.

A component takes plain sections, which decide what it makes, and hand-overs: outputs of other components. What
must exist first is handed over as their `ready`, never by `depends_on` a component, which would mean every resource
inside it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, get_origin

import pulumi

from podwright.components.model.problems import Problem
from podwright.components.providers.resources import Join

After = Sequence[pulumi.Input[str]]
"""Outputs named `ready` of what must stand first."""

_BESIDE = (("servers",), ("hosts",), ("site",))
"""What a section's problems may be about beside the section itself."""

MOST_EDGES = 2
"""Resources that a next one may depend on directly; a join stands for more of them (the Python SDK looks at every
dependency of a dependency, so many to many is quadratic)."""


class ArgsError(pulumi.RunError):
    """Args that could never work: every problem at once, each with its path below `args`."""

    def __init__(self, component: str, name: str, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        lines = [f"  {_path(each)}: {each.message}" + (f"; {each.hint}" if each.hint else "") for each in problems]
        super().__init__("\n".join([f'{component} "{name}" cannot be built:', *lines]))


class Component(pulumi.ComponentResource):
    """The base of all components of this package."""

    TOKEN: ClassVar[str]
    PROVIDERS: ClassVar[tuple[str, ...]] = ("podwright",)
    """Packages whose instance must be handed over in `opts.providers`: no component makes one of its own."""

    ready: pulumi.Output[str]
    """The component's name, known once everything in it stands: what a next component waits for."""

    def __init__(
        self,
        name: str,
        cluster: str,
        inputs: Mapping[str, Any],
        opts: pulumi.ResourceOptions | None,
        problems: Iterable[Problem] = (),
    ) -> None:
        """`cluster` is stamped on every resource inside; `inputs` stand in the component's state."""
        if found := list(problems):
            raise ArgsError(type(self).__name__, name, found)
        # Under one key: the SDK would read an input by the annotation of an output of the same name.
        super().__init__(self.TOKEN, name, {"about": dict(inputs)}, opts)
        self.cluster = cluster
        self.label = name
        missing = [package for package in self.PROVIDERS if package not in self._providers]
        if missing:
            raise pulumi.RunError(
                f'{type(self).__name__} "{name}" was given no provider of {" or ".join(missing)}: make one '
                f"per site and pass it on: opts=pulumi.ResourceOptions(providers=[…])"
            )

    def child(self, name: str) -> str:
        """Name of a resource inside, so that two components of one kind live in one stack."""
        return f"{self.label}-{name}"

    def options(
        self,
        after: After = (),
        resources: Iterable[pulumi.Resource] = (),
        *,
        protect: bool = False,
        **more: Any,
    ) -> pulumi.ResourceOptions:
        """Options of a resource inside that waits for `after` (outputs) and `resources` (of this component)."""
        return pulumi.ResourceOptions(
            parent=self,
            depends_on=[*(_awaited(each) for each in after), *resources],
            protect=protect or None,
            transformations=[self._stamped],
            **more,
        )

    def join(
        self,
        ends: str,
        resources: Iterable[pulumi.Resource],
        after: After = (),
        defined: pulumi.Input[str] | None = None,
    ) -> Join:
        """One resource that stands for many: the end of a wave or of this component; `defined` is what led to it."""
        spec = {"schema": 1, "cluster": self.cluster, "ends": ends}
        return Join(self.child(ends), spec, self.options(after, resources), defined)

    def gate(self, ends: str, resources: Sequence[pulumi.Resource]) -> list[pulumi.Resource]:
        """What a next resource depends on: these, or one join where they are many."""
        return list(resources) if len(resources) <= MOST_EDGES else [self.join(ends, resources)]

    def finish(self, **outputs: Any) -> None:
        """Set and register the outputs; they are exactly those that the class annotates."""
        expected = set(outputs_of(type(self)))
        assert set(outputs) == expected, f"{type(self).__name__}: {sorted(expected ^ set(outputs))}"
        for name, value in outputs.items():
            setattr(self, name, _output(value))
        self.register_outputs({name: getattr(self, name) for name in outputs})

    def _stamped(self, args: pulumi.ResourceTransformationArgs) -> pulumi.ResourceTransformationResult | None:
        """Policies check per cluster: every resource of ours carries its name."""
        if not args.type_.startswith("podwright:"):
            return None
        return pulumi.ResourceTransformationResult({**args.props, "cluster": self.cluster}, args.opts)


def outputs_of(component: type[Component]) -> dict[str, Any]:
    """Annotated outputs of a component class, by name."""
    ours = [each for each in reversed(component.__mro__) if issubclass(each, Component)]
    hints = {name: hint for each in ours for name, hint in each.__annotations__.items()}
    return {name: hint for name, hint in hints.items() if get_origin(hint) is pulumi.Output}


def known_as(former: str | None) -> list[pulumi.Alias] | None:
    """Aliases of a resource that had another name in its component; None for one that had not."""
    return [pulumi.Alias(name=former)] if former else None


def standing(resource: pulumi.CustomResource, name: str) -> pulumi.Output[str]:
    """`ready` of a component that is one resource."""
    return resource.id.apply(lambda _: name)


def under(section: str, problems: Iterable[Problem]) -> list[Problem]:
    """Problems of a section by their path below `args`; what stands beside the section keeps its own."""
    return [each if each.loc[:1] in _BESIDE else replace(each, loc=(section, *each.loc)) for each in problems]


def _output(value: Any) -> pulumi.Output[Any]:
    """One output of a value. The SDK makes one of every leaf, which only a value with outputs inside needs: without it
    the program of 128 servers takes a quarter less (tests/benchmarks/preview)."""
    if isinstance(value, pulumi.Output) or _holds_outputs(value):
        return pulumi.Output.from_input(value)
    return pulumi.Output.from_input(None).apply(lambda _: value)


def _holds_outputs(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_holds_outputs, value.values()))
    if isinstance(value, list | tuple):
        return any(map(_holds_outputs, value))
    return not isinstance(value, str | int | float | bool | None)


def _awaited(ready: pulumi.Input[str]) -> pulumi.Output[Any]:
    """A dependency on the resource behind an output; the SDK takes an output of None for its resources alone."""
    return pulumi.Output.from_input(ready).apply(lambda _: None)


def _path(problem: Problem) -> str:
    return ".".join(["args", *map(str, problem.loc)])
