"""The network: every switch as one resource, wave by wave, and what each must show then."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import pulumi

from podwright.components.contract import Component, known_as
from podwright.components.design.compute import digest
from podwright.components.design.fabric import FabricPlan, SwitchPlan, paths, plan, verified, waves
from podwright.components.model import FabricArgs, FabricPaths
from podwright.components.model.coherence import beside_problems, fabric_problems
from podwright.components.model.coherence.renamed import former_names
from podwright.components.providers.nxos.resources import Soak, Switch, Verification

SCHEMA = 1
SWITCH_SCHEMA = 2
"""Of a switch's spec: 2 since its ports say layer and admin state."""
Specs = Mapping[str, Mapping[str, Any]]


class Fabric(Component):
    """All switches of a cluster, or the outputs of the stack that has them (`fabric.stack`)."""

    TOKEN = "podwright:index:Fabric"

    switches: pulumi.Output[Mapping[str, Any]]
    """Role, model and management address of each switch, by hostname."""
    digests: pulumi.Output[Mapping[str, str]]
    """Digest of each switch's configuration, by hostname: what an acceptance test of a path depends on."""
    paths: pulumi.Output[Annotated[Mapping[str, Any], FabricPaths]]
    """Rails, host ports and uplinks: what operators and acceptance tests are made of."""
    host_checks: pulumi.Output[Mapping[str, Any]]
    """By switch, what its ports to servers must show once those are up."""
    ready: pulumi.Output[str]
    """The fabric's name, once every switch is configured and what is cabled between switches is as planned."""

    def __init__(self, name: str, args: FabricArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        elsewhere = args.fabric.stack
        self.renamed = former_names(args)
        """By hostname, the name that a switch had."""
        inputs = {"stack": elsewhere, "switches": [*args.fabric.leaves, *args.fabric.spines]}
        super().__init__(name, args.cluster, inputs, opts, [*fabric_problems(args), *beside_problems(args)])
        self.plan = plan(args)
        self.planned_paths = paths(args, self.plan)
        specs = {switch.hostname: _spec(args, switch) for switch in self.plan.switches}
        digests = {name: digest([_digested(spec["config"]), spec["links"]]) for name, spec in specs.items()}
        links, self.planned_host_checks = _checks(args, self.plan, specs, digests)
        switches: pulumi.Input[Mapping[str, Any]]
        built: pulumi.Input[Mapping[str, str]]
        if elsewhere:
            switches, built, ready = self._referenced(elsewhere)
        else:
            switches = {
                name: {key: spec[key] for key in ("role", "model", "management")} for name, spec in specs.items()
            }
            built, ready = digests, self._build(args, specs, digests, links)
        self.finish(
            switches=switches,
            digests=built,
            paths=self.planned_paths.model_dump(mode="json"),
            host_checks=self.planned_host_checks,
            ready=ready,
        )

    def _build(self, args: FabricArgs, specs: Specs, digests: Mapping[str, str], links: Specs) -> pulumi.Output[str]:
        gate: list[pulumi.Resource] = []
        planned = list(enumerate(waves(args), 1))
        soaked = {number: {name: _soaked(specs[name], digests[name]) for name in wave} for number, wave in planned}
        if args.together:
            # Two ends that must agree change together: no switch waits for another, and every look for all of them.
            every = {number: self._wave(args, wave, specs, ()) for number, wave in planned}
            whole = [switch for made in every.values() for switch in made]
            for number, made in every.items():
                behind = made if args.fabric.rollout is None else whole
                gate += self._end(args, number, soaked[number], behind)
        else:
            for number, wave in planned:
                gate = self._end(args, number, soaked[number], self._wave(args, wave, specs, gate))
        verified = [
            Verification(
                self.child(f"{name}-links"),
                spec,
                opts=self.options(resources=gate, aliases=self._former(name, "-links")),
            )
            for name, spec in links.items()
        ]
        return self.join("ready", verified or gate).ready

    def _wave(
        self, args: FabricArgs, wave: Sequence[str], specs: Specs, after: Sequence[pulumi.Resource]
    ) -> list[Switch]:
        return [
            Switch(
                self.child(name),
                specs[name],
                opts=self.options(resources=after, protect=args.protect, aliases=self._former(name)),
            )
            for name in wave
        ]

    def _former(self, switch: str, of: str = "") -> list[pulumi.Alias] | None:
        """Aliases of a switch's resource, or of the one whose name ends in `of`."""
        name = self.renamed.get(switch)
        return known_as(self.child(f"{name}{of}") if name else None)

    def _end(self, args: FabricArgs, number: int, switches: Specs, made: list[Switch]) -> list[pulumi.Resource]:
        """The end of a wave: a look at its switches some time later, where the site rolls out in waves."""
        rollout = args.fabric.rollout
        if rollout is None:
            return self.gate(f"wave-{number}", made)
        spec = {"schema": SCHEMA, "wave": number, "seconds": rollout.soak_seconds, "switches": switches}
        return [Soak(self.child(f"wave-{number}"), spec, opts=self.options(resources=made))]

    def _referenced(self, stack: str) -> tuple[pulumi.Output[Any], pulumi.Output[Any], pulumi.Output[str]]:
        """The fabric as another stack exports it."""
        other = pulumi.StackReference(stack, opts=pulumi.ResourceOptions(parent=self))
        exported = other.require_output("fabric")
        switches, digests = (
            exported.apply(lambda value: value["switches"]),
            exported.apply(lambda value: value["digests"]),
        )
        return switches, digests, exported.apply(lambda _: self.label)


def _owner(stack: str) -> str:
    """A stack as the mark on a switch names it, project/stack."""
    return "/".join(stack.split("/")[-2:])


def _digested(config: Mapping[str, str]) -> dict[str, str]:
    """Texts as digests are taken of them: that a port is switched and up stood nowhere in those that states hold."""
    return {line: _unsaid(text.splitlines()) for line, text in config.items()}


def _unsaid(lines: list[str]) -> str:
    left_out = ("switchport", "no shutdown") if "switchport" in lines else ()
    return "\n".join(line for line in lines if line not in left_out)


def _soaked(spec: Mapping[str, Any], digest: str) -> dict[str, Any]:
    return {**{key: spec[key] for key in ("management", "credential", "generation")}, "digest": digest}


def _checks(
    args: FabricArgs, design: FabricPlan, specs: Specs, digests: Mapping[str, str]
) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
    """Specs of what each switch must show, by hostname: between switches, and towards servers.

    The digests of the first are those of the switch and of every switch it is cabled to.
    """
    links: dict[str, dict[str, Any]] = {}
    hosts: dict[str, dict[str, Any]] = {}
    for switch in design.switches if args.fabric.verification == "on" else ():
        spec = specs[switch.hostname]
        for stage, interfaces in verified(args, design, switch).items():
            near = {switch.hostname, *(end.device for end in switch.links.values() if stage == "links")}
            (links if stage == "links" else hosts)[switch.hostname] = {
                "schema": SCHEMA,
                "stage": stage,
                **{key: spec[key] for key in ("hostname", "management", "credential", "generation")},
                "settle_seconds": args.fabric.settle_seconds,
                "interfaces": {name: each.values() for name, each in interfaces.items()},
                "digests": {name: digest for name, digest in digests.items() if name in near},
            }
    return links, hosts


def _spec(args: FabricArgs, switch: SwitchPlan) -> dict[str, Any]:
    return {
        "schema": SWITCH_SCHEMA,
        "hostname": switch.hostname,
        "management": str(switch.management),
        "model": switch.model,
        "release": args.fabric.release,
        "role": switch.role,
        **({"serial": switch.serial} if switch.serial else {}),
        **({"archive": kept.kept} if (kept := args.fabric.baseline.archive) else {}),
        "adopt": switch.adopt,
        **({"moved_from": _owner(args.fabric.moved_from)} if args.fabric.moved_from else {}),
        "credential": args.fabric.credential,
        "generation": args.fabric.generation,
        "config": dict(switch.config),
        "links": {
            port: {"device": end.device, "port": end.port, "role": end.role} for port, end in switch.links.items()
        },
        "lossless": dict(switch.lossless) if switch.lossless else None,
    }
