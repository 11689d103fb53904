"""The network in the graph: waves of a roll-out, what is verified of switches, and who waits for it."""

import pytest

from podwright.components.model import Cluster
from podwright.components.model.changes import Changes
from podwright.components.model.rollout import Rollout
from podwright.components.providers.nxos.read.expectations import expanded
from tests.components.recording import Registered, register
from tests.components.test_graph import all_before, graph, named, of
from tests.design import goldens

both = pytest.mark.parametrize("stack", goldens.STACKS)


def _login(provider: Registered) -> dict[str, str]:
    login: dict[str, str] = provider.inputs["nxos"]
    return login


def hostname(switch: Registered) -> str:
    name: str = switch.inputs["spec"]["hostname"]
    return name


def verifications(seen: dict[str, Registered], stage: str) -> dict[str, Registered]:
    """By switch."""
    found = of(seen, "podwright:nxos:Verification")
    return {each.inputs["spec"]["hostname"]: each for each in found if each.inputs["spec"]["stage"] == stage}


@both
def test_links_are_verified_behind_all_switches_and_before_servers_are_installed(stack: str) -> None:
    seen = graph(stack)
    switches = of(seen, "podwright:nxos:Switch", "podwright:nxos:Soak")
    (install,) = of(seen, "podwright:openshift:Install")
    links = verifications(seen, "links")
    assert set(links) == {each.inputs["spec"]["hostname"] for each in switches if each.type.endswith(":Switch")}
    assert all_before(seen, install, links.values())
    for each in links.values():
        assert all_before(seen, each, switches)
        assert not all_before(seen, each, [install])


@both
def test_ports_to_servers_are_verified_once_rails_are_on_offer_and_before_they_are_measured(stack: str) -> None:
    seen = graph(stack)
    hosts = verifications(seen, "hosts")
    assert hosts
    assert all_before(seen, named(seen, "acceptance"), hosts.values())
    for each in hosts.values():
        assert all_before(seen, each, of(seen, "podwright:openshift:PoolReady"))
        assert all_before(seen, each, verifications(seen, "links").values())


@both
def test_a_verification_looks_again_when_anything_on_its_path_changed(stack: str) -> None:
    seen = graph(stack)
    links, hosts = verifications(seen, "links")["leaf-01"], verifications(seen, "hosts")["leaf-01"]
    spines = {name for name in verifications(seen, "links") if name.startswith("spine")}
    assert set(links.inputs["spec"]["digests"]) == {"leaf-01", *spines}
    faced = {each["faces"].split()[0] for each in expanded(hosts.inputs["spec"]).values()}
    servers = {name for name in faced if name.startswith("gpu")}
    assert servers
    assert set(hosts.inputs["spec"]["digests"]) == {"leaf-01", "rails", *servers}


def test_it_can_be_switched_off() -> None:
    said = goldens.cluster("lab")
    off = register(said.model_copy(update={"fabric": said.fabric.model_copy(update={"verification": "off"})}))
    assert of(off, "podwright:nxos:Verification") == []
    left_out = {urn for urn in set(graph("lab")) - set(off) if "podwright:index:Join" not in urn}
    assert left_out == {each.urn for each in of(graph("lab"), "podwright:nxos:Verification")}


def test_without_acceptance_training_waits_for_the_look_at_its_ports() -> None:
    said = goldens.cluster("lab")
    assert said.acceptance
    seen = register(said.model_copy(update={"acceptance": said.acceptance.model_copy(update={"enabled": False})}))
    for job in of(seen, "kubernetes:batch/v1:Job"):
        assert all_before(seen, job, verifications(seen, "hosts").values())


def staged(rollout: Rollout | None) -> dict[str, Registered]:
    said = goldens.cluster("prod")
    fabric = said.fabric.model_copy(update={"rollout": rollout})
    return register(said.model_copy(update={"fabric": fabric}))


def test_a_roll_out_is_seen_in_the_graph_each_wave_behind_the_soak_of_the_one_before() -> None:
    seen = staged(Rollout(canary="leaf-02", batch=2, soak_seconds=60, drain="maintenance"))
    soaks = {each.name.removeprefix("prod-"): each for each in of(seen, "podwright:nxos:Soak")}
    switches = of(seen, "podwright:nxos:Switch")
    (world,) = (each.urn for each in of(seen, "podwright:index:World"))
    assert set(soaks["wave-1"].inputs["spec"]["switches"]) == {"leaf-02"}
    for number in range(1, len(soaks) + 1):
        soak = soaks[f"wave-{number}"]
        wave = [each for each in switches if hostname(each) in soak.inputs["spec"]["switches"]]
        assert 1 <= len(wave) <= 2
        assert {each.urn for each in wave} <= soak.dependencies
        for each in wave:
            assert each.dependencies == {soaks[f"wave-{number - 1}"].urn if number > 1 else world}
            assert soak.inputs["spec"]["switches"][hostname(each)]["management"] == each.inputs["spec"]["management"]
    assert sum(len(soak.inputs["spec"]["switches"]) for soak in soaks.values()) == len(switches)
    (provider,) = of(seen, "pulumi:providers:podwright")
    assert _login(provider)["drain"] == "maintenance"
    nodes = of(seen, "podwright:openshift:Install")
    assert nodes
    assert all(all_before(seen, each, soaks.values()) for each in nodes)


def test_without_a_roll_out_nothing_is_added_and_a_pair_s_peers_still_take_turns() -> None:
    seen = staged(None)
    assert not of(seen, "podwright:nxos:Soak")
    (provider,) = of(seen, "pulumi:providers:podwright")
    assert "drain" not in _login(provider)
    pair = goldens.cluster("prod").fabric.frontend
    assert pair is not None
    one, two = (named(seen, name) for name in pair.leaves)
    assert all_before(seen, two, [one])
    (world,) = of(graph("lab"), "podwright:index:World")
    assert all(each.dependencies == {world.urn} for each in of(graph("lab"), "podwright:nxos:Switch"))


UNTIL = "2226-11-23T06:00:00Z"
"""Long after any run of these tests: an approval that has ended counts for nothing."""


def together(stack: str) -> Cluster:
    """The stack with a two-ended change approved."""
    approval = {"what": "two-ended", "until": UNTIL}
    return goldens.cluster(stack).model_copy(update={"changes": Changes.model_validate({"approve": [approval]})})


@both
def test_while_a_change_of_two_ends_is_approved_no_switch_waits_for_another(stack: str) -> None:
    seen = register(together(stack))
    assert set(seen) == set(graph(stack)), "an approval makes and removes nothing"
    switches = of(seen, "podwright:nxos:Switch")
    assert [
        each for each in switches for other in switches if each is not other and all_before(seen, each, [other])
    ] == []
    for each in verifications(seen, "links").values():
        assert all_before(seen, each, [*switches, *of(seen, "podwright:nxos:Soak")])
    # A switch is no better than its neighbours: whoever looks at one before all are written finds sessions missing.
    assert all(all_before(seen, soak, switches) for soak in of(seen, "podwright:nxos:Soak"))


def test_the_instance_is_given_the_limits_and_nothing_else_changes() -> None:
    plain, approved = graph("lab"), register(together("lab"))
    (before,), (after,) = (of(each, "pulumi:providers:podwright") for each in (plain, approved))
    assert "changes" not in before.inputs
    # The engine writes each value of these inputs for each resource: as a map of 256 servers it took half a preview.
    assert all(isinstance(each.inputs["places"], str) for each in (before, after))
    assert after.inputs["changes"]["approve"][0]["until"] == UNTIL
    assert {urn for urn in plain if plain[urn].inputs != approved[urn].inputs} == {before.urn}
