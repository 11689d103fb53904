"""Which Pulumi is used."""

import pytest

from podwright.toolchain.binaries import ENGINE
from tests.toolchain.conftest import Machine


def engine_built(machine: Machine) -> bool:
    done = machine.run("setup", "preview")
    assert done.returncode == 0, done.stderr
    return machine.lines("end") != []


def test_a_fit_pulumi_on_path_is_used_as_it_is(machine: Machine) -> None:
    folder = machine.own_pulumi("v3.312.1")
    plugins = [machine.own_plugin("kubernetes", "4.25.3"), machine.own_plugin("command", "0.9.2")]
    assert not engine_built(machine)
    assert (machine.place("bin") / "pulumi").resolve() == folder / "pulumi"
    linked = machine.place("home") / "plugins"
    assert [(linked / plugin.parent.name / plugin.name).resolve() for plugin in plugins] == plugins


def test_what_is_on_path_is_looked_at_once(machine: Machine) -> None:
    machine.own_pulumi("v3.259.0")
    machine.own_plugin("kubernetes", "4.25.0")
    machine.own_plugin("command", "0.9.2")
    for _ in range(3):
        assert not engine_built(machine)
    assert (machine.root / "pulumi.log").read_text() == "version\n"


@pytest.mark.parametrize("release", ["v3.258.4", "v4.0.0", "v3.9.0", "nonsense"])
def test_a_release_out_of_range_is_not_used(machine: Machine, release: str) -> None:
    machine.own_pulumi(release)
    machine.own_plugin("kubernetes", "4.25.0")
    machine.own_plugin("command", "0.9.2")
    assert engine_built(machine)


def test_a_pulumi_without_its_python_host_is_not_used(machine: Machine) -> None:
    machine.own_pulumi("v3.260.0", host=False)
    machine.own_plugin("kubernetes", "4.25.0")
    machine.own_plugin("command", "0.9.2")
    assert engine_built(machine)


def test_missing_plugins_are_downloaded_into_our_cache(machine: Machine) -> None:
    machine.own_pulumi("v3.260.0")
    machine.env["FAKE_PULUMI_DOWNLOADS"] = "yes"
    assert not engine_built(machine)
    assert (machine.place("home") / "plugins" / "resource-command-v0.9.2" / "pulumi-resource-command").exists()
    assert not (machine.root / "home" / ".pulumi").exists(), "the person's own plugin cache is not written"


def test_plugins_that_cannot_be_had_mean_our_own_build(machine: Machine) -> None:
    machine.own_pulumi("v3.260.0")
    machine.own_plugin("command", "0.9.2")
    machine.own_plugin("kubernetes", "4.24.1")
    assert engine_built(machine)
    assert machine.lines("end") == [binary.package for binary in ENGINE]


def test_a_half_downloaded_plugin_does_not_count(machine: Machine) -> None:
    machine.own_pulumi("v3.260.0")
    machine.own_plugin("command", "0.9.2")
    half = machine.own_plugin("kubernetes", "4.25.0").parent
    half.with_name(half.name + ".partial").write_text("")
    assert engine_built(machine)


def test_a_plugin_removed_later_is_noticed(machine: Machine) -> None:
    machine.own_pulumi("v3.260.0")
    machine.own_plugin("command", "0.9.2")
    plugin = machine.own_plugin("kubernetes", "4.25.0")
    assert not engine_built(machine)
    plugin.unlink()
    assert engine_built(machine)
