"""Setting up: what is built, when, and what an interruption leaves."""

import os
import signal
import time

import pytest

from podwright.toolchain.binaries import CONTROL_PLANE, ENGINE, YAML, Binary
from tests.toolchain.conftest import Machine


def wait_for_start(machine: Machine, package: str) -> int:
    """Wait until the fake go builds `package`; returns its process id."""
    for _ in range(400):
        if machine.log.exists():
            for line in machine.log.read_text().splitlines():
                if line.startswith(f"start {package} "):
                    return int(line.split()[2])
        time.sleep(0.05)
    raise AssertionError(f"{package} was never built")


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def packages(binaries: tuple[Binary, ...]) -> list[str]:
    return [binary.package for binary in binaries]


def test_the_check_needs_no_go(machine: Machine) -> None:
    (machine.path / "go").unlink()
    done = machine.run("setup", "check")
    assert done.returncode == 0, done.stderr
    assert (machine.clone / ".venv" / "bin" / "python").exists()


def test_a_step_builds_what_it_needs_and_nothing_else(machine: Machine) -> None:
    done = machine.run("setup", "preview")
    assert done.returncode == 0, done.stderr
    assert machine.lines("end") == packages(ENGINE)
    built = {path.name for path in machine.place("bin").iterdir()}
    assert built == {"pulumi", "pulumi-language-python", "pulumi-language-python-exec", "pulumi-resource-pulumi-python"}
    plugins = {str(p.relative_to(machine.place("home"))) for p in machine.place("home").rglob("*") if p.is_file()}
    assert plugins == {
        "plugins/resource-command-v0.9.2/pulumi-resource-command",
        "plugins/resource-kubernetes-v4.25.0/pulumi-resource-kubernetes",
    }


def test_stamps_and_embedded_files_reach_the_build(machine: Machine) -> None:
    machine.run("setup", "preview")
    program = (machine.place("bin") / "pulumi").read_text()
    assert "sdk/v3/go/common/version.Version=v3.259.0" in program


def test_a_warm_start_builds_nothing_and_is_quick(machine: Machine) -> None:
    machine.run("setup", "preview")
    before = machine.log.read_text()
    machine.run("setup", "preview")  # compiles the bytecode of the copied tree
    started = time.monotonic()
    done = machine.run("setup", "preview")
    assert time.monotonic() - started < 2
    assert (done.returncode, done.stderr, machine.log.read_text()) == (0, "", before)


def test_progress_names_time_expected_and_next(machine: Machine) -> None:
    done = machine.run("setup", "preview")
    lines = done.stderr.splitlines()
    assert "[1/4] pulumi  0:00 of about 5:21  next: pulumi-language-python (3 more, about 11:40)" in lines
    assert "[4/4] pulumi-resource-kubernetes  0:00 of about 10:00  the last one" in lines
    assert any(line.startswith("pulumi-resource-kubernetes done in 0:0") for line in lines)


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_stopped_in_a_build_it_goes_on_from_there(machine: Machine, sign: signal.Signals) -> None:
    first, second = ENGINE[0].package, ENGINE[1].package
    setup = machine.start("setup", "preview", FAKE_GO_SECONDS="0.3")
    pid = wait_for_start(machine, second)
    setup.send_signal(sign)
    _, errors = setup.communicate(timeout=20)
    if sign is not signal.SIGKILL:
        assert setup.returncode == 130
        assert "the same command goes on from there" in errors
        assert not alive(pid), "the compiler outlived the set-up"
    assert not (machine.place("bin") / "pulumi-language-python").exists()
    again = machine.run("setup", "preview")
    assert again.returncode == 0, again.stderr
    assert machine.lines("end").count(first) == 1, "what was finished is not built again"
    assert machine.lines("start").count(second) == 2
    assert "half" not in (machine.place("bin") / "pulumi-language-python").read_text()
    assert list((machine.cache / "tmp").glob("*")) == [], "leftovers of the killed run are swept"


def test_a_download_cut_off_is_tried_again(machine: Machine) -> None:
    package = ENGINE[1].package
    done = machine.run("setup", "preview", FAKE_GO_FLAKY=package)
    assert done.returncode == 0, done.stderr
    assert (machine.lines("cut"), machine.lines("end").count(package)) == ([package], 1)


def test_two_at_once_build_everything_once(machine: Machine) -> None:
    one = machine.start("setup", "preview", FAKE_GO_SECONDS="0.2")
    wait_for_start(machine, ENGINE[0].package)
    other = machine.start("setup", "preview", FAKE_GO_SECONDS="0.2")
    _, other_said = other.communicate(timeout=30)
    one.communicate(timeout=30)
    assert (one.returncode, other.returncode) == (0, 0)
    assert machine.lines("end") == packages(ENGINE)
    assert f"another set-up, process {one.pid}, is at work" in other_said


def test_a_check_does_not_wait_for_a_build(machine: Machine) -> None:
    build = machine.start("setup", "preview", FAKE_GO_SECONDS="5")
    wait_for_start(machine, ENGINE[0].package)
    started = time.monotonic()
    done = machine.run("setup", "check", "--no-wait")
    elapsed = time.monotonic() - started
    build.send_signal(signal.SIGINT)
    build.communicate(timeout=20)
    assert done.returncode == 0, done.stderr
    assert elapsed < 3


def test_a_changed_pin_rebuilds_only_its_own(machine: Machine) -> None:
    machine.run("setup", "preview")
    with (machine.clone / "toolchain" / "modules" / "command" / "go.sum").open("a") as pins:
        pins.write("example.com/new v1.0.0 h1:x=\n")
    done = machine.run("setup", "preview")
    assert done.returncode == 0, done.stderr
    counts = {package: machine.lines("end").count(package) for package in packages(ENGINE)}
    assert counts == {package: 2 if "pulumi-command" in package else 1 for package in packages(ENGINE)}


def test_a_truncated_program_is_noticed_and_made_again(machine: Machine) -> None:
    machine.run("setup", "preview")
    (entry,) = (machine.cache / "store").glob("pulumi-resource-command-*")
    (entry / "pulumi-resource-command").write_text("cut")
    done = machine.run("setup", "preview")
    assert done.returncode == 0, done.stderr
    assert "the cached pulumi-resource-command is not whole" in done.stderr
    assert machine.lines("end").count(ENGINE[2].package) == 2
    plugin = machine.place("home") / "plugins" / "resource-command-v0.9.2" / "pulumi-resource-command"
    assert "cut" not in plugin.read_text()


def test_a_program_that_was_exchanged_is_noticed_by_a_set_up_and_made_again(machine: Machine) -> None:
    machine.run("setup", "preview")
    (entry,) = (machine.cache / "store").glob("pulumi-resource-command-*")
    program = entry / "pulumi-resource-command"
    before, content = program.stat(), program.read_bytes()
    program.write_bytes(content[::-1])
    os.utime(program, ns=(before.st_atime_ns, before.st_mtime_ns))
    done = machine.run("setup", "preview")
    assert done.returncode == 0, done.stderr
    assert "the cached pulumi-resource-command is not what was built (its SHA-256 differs)" in done.stderr
    assert program.read_bytes() == content


def test_the_yaml_host_is_built_only_when_asked_for(machine: Machine) -> None:
    machine.run("setup", "preview")
    assert not (machine.place("bin") / "pulumi-language-yaml").exists()
    before = machine.place("bin")
    done = machine.run("setup", "yaml")
    assert done.returncode == 0, done.stderr
    assert machine.lines("end") == [*packages(ENGINE), YAML.package]
    assert machine.place("bin") == before, "beside the others, whose folder stays"
    assert (before / "pulumi-language-yaml").exists()


def test_the_control_plane_comes_without_the_engine(machine: Machine) -> None:
    # The lab's definitions need a package index: refused here, after the programs are built.
    done = machine.run("setup", "lab")
    assert machine.lines("end") == packages(CONTROL_PLANE)
    assert done.returncode == 2
    assert "h1:served=" in done.stderr, "a module with another hash than the table's is refused"
