"""The environment commands run in: a site's settings stay, the demo's are its own and for the lab's stack alone."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from podwright.toolchain.ownership import named_stack
from tests.toolchain.conftest import Machine

SHOW = ("run", "--", "python3", "-c", "import os, json; print(json.dumps(dict(os.environ)))")
DEMO = ("run", "--demo", *SHOW[1:])


def environment(machine: Machine, words: Sequence[str] = SHOW, **extra: str) -> dict[str, str]:
    done = machine.run(*words, **extra)
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.fixture
def engine(machine: Machine) -> Machine:
    """A machine whose Pulumi writes down how it was called."""
    machine.own_pulumi("v3.260.0")
    machine.own_plugin("kubernetes", "4.25.0")
    machine.own_plugin("command", "0.9.2")
    assert machine.run("setup", "preview").returncode == 0
    return machine


def calls(machine: Machine) -> list[str]:
    """Calls of the fake Pulumi beside the look at its release."""
    lines = (machine.root / "pulumi.log").read_text().splitlines()
    return [line for line in lines if line != "version"]


def test_where_nothing_is_set_it_is_the_demos(machine: Machine) -> None:
    machine.run("setup", "preview")
    found = environment(machine)
    assert found["PULUMI_BACKEND_URL"] == f"file://{machine.clone}/.run/state?metadata=skip"
    assert found["PULUMI_CONFIG_PASSPHRASE"] == "podwright-demo"
    assert found["PULUMI_STACK"] == "lab"
    assert found["PULUMI_HOME"] == str(machine.place("home"))
    assert found["PATH"].split(":")[:2] == [str(machine.clone / ".venv" / "bin"), str(machine.place("bin"))]
    assert found["PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION"] == "true"
    assert found["GOGC"] == "200", "the lab's API server and the engine sweep less often"
    assert environment(machine, GOGC="50")["GOGC"] == "50"


@pytest.mark.parametrize("own", [
    {"PULUMI_BACKEND_URL": "s3://site", "PULUMI_CONFIG_PASSPHRASE": "site"},
    {"PULUMI_BACKEND_URL": "file:///srv/state", "PULUMI_CONFIG_PASSPHRASE_FILE": "/srv/phrase"},
    {"PULUMI_BACKEND_URL": "s3://site?awssdk=v2"},
    {"PULUMI_ACCESS_TOKEN": "pul-1", "PULUMI_STACK": "org/podwright/prod"},
    {"PULUMI_CONFIG_PASSPHRASE": "site"},
    {"PULUMI_CONFIG_PASSPHRASE_FILE": "/srv/phrase"},
], ids="+".join)  # fmt: skip
def test_what_is_set_for_a_site_stays_and_nothing_of_the_demos_joins_it(machine: Machine, own: dict[str, str]) -> None:
    found = environment(machine, SHOW, **own)
    theirs = ("PULUMI_BACKEND_URL", "PULUMI_CONFIG_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE_FILE", "PULUMI_ACCESS_TOKEN")
    assert {name: found[name] for name in (*theirs, "PULUMI_STACK") if name in found} == own
    assert found.keys().isdisjoint({"PODWRIGHT_STATE", "GOGC"})
    assert not (machine.clone / ".run").exists(), "and no state of the demo's is begun"


def test_a_login_is_a_sites_too(machine: Machine) -> None:
    home = machine.root / "home" / ".pulumi"
    home.mkdir(parents=True)
    (home / "credentials.json").write_text('{"current": "s3://site"}')
    found = environment(machine)
    assert "PULUMI_BACKEND_URL" not in found
    assert found["PULUMI_CREDENTIALS_PATH"] == str(home), "our PULUMI_HOME holds the plugins, theirs the login"
    assert environment(machine, DEMO)["PULUMI_BACKEND_URL"].startswith(f"file://{machine.clone}/.run/state")


def test_the_demo_takes_nothing_of_a_site(machine: Machine) -> None:
    own = {"PULUMI_BACKEND_URL": "s3://site", "PULUMI_CONFIG_PASSPHRASE": "site", "PULUMI_ACCESS_TOKEN": "pul-1"}
    found = environment(machine, DEMO, **own)
    assert found["PULUMI_BACKEND_URL"] == f"file://{machine.clone}/.run/state?metadata=skip"
    assert found["PULUMI_CONFIG_PASSPHRASE"] == "podwright-demo"
    assert "PULUMI_ACCESS_TOKEN" not in found


def test_inside_our_environment_our_pulumi_is_not_taken_for_the_persons(machine: Machine) -> None:
    machine.run("setup", "preview")
    inside = environment(machine)
    outside = machine.place("bin")
    machine.env = inside
    assert machine.place("bin") == outside
    assert environment(machine) == inside
    done = machine.run("setup", "preview")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("words", [
    ("up", "--yes", "--stack", "prod"),
    ("destroy", "-s", "organization/podwright/prod"),
    ("stack", "init", "prod"),
    ("preview", "--stack=prod"),
])  # fmt: skip
def test_another_stack_is_refused_in_the_demos_backend(engine: Machine, words: tuple[str, ...]) -> None:
    for demo in ((), ("--demo",)):
        refused = engine.run("run", *demo, "--", "pulumi", *words)
        assert refused.returncode == 2
        assert "stack prod is refused" in refused.stderr
        assert "set PULUMI_BACKEND_URL" in refused.stderr
    assert calls(engine) == []
    engine.run("run", "--", "pulumi", *words, PULUMI_BACKEND_URL="s3://site")
    assert calls(engine) == [" ".join(words)]


def test_a_stack_named_in_the_environment_is_refused_too(engine: Machine) -> None:
    refused = engine.run("run", "--", "pulumi", "up", PULUMI_STACK="prod")
    assert (refused.returncode, calls(engine)) == (2, [])


def test_the_labs_stack_is_not_refused(engine: Machine) -> None:
    for words in (("up", "--stack", "lab"), ("stack", "ls"), ("preview",)):
        engine.run("run", "--", "pulumi", *words)
    assert calls(engine) == ["up --stack lab", "stack ls", "preview"]


def test_an_activated_shell_has_the_pulumi_of_the_setup(engine: Machine) -> None:
    typed = ". .venv/bin/activate; pulumi stack ls; pulumi up --stack prod; echo status $?"
    done = subprocess.run(
        ["sh", "-c", typed], cwd=engine.clone, env=engine.env, text=True, capture_output=True, check=True
    )
    assert calls(engine) == ["stack ls"]
    assert "stack prod is refused" in done.stderr
    assert done.stdout == "status 2\n"


def test_a_shell_made_ready_has_the_pulumi_of_the_setup(engine: Machine) -> None:
    typed = (
        'eval "$(python3 -m toolchain env)"; pulumi up --stack prod; echo "$PULUMI_BACKEND_URL, ${VIRTUAL_ENV-unset}"'
    )
    env = engine.env | {
        "PULUMI_BACKEND_URL": "s3://own",
        "VIRTUAL_ENV": "/other",
        "PATH": f"{fresh_python()}:{engine.env['PATH']}",
    }
    done = subprocess.run(["sh", "-c", typed], cwd=engine.clone, env=env, text=True, capture_output=True, check=True)
    assert calls(engine) == ["up --stack prod"]
    assert done.stdout == "s3://own, unset\n"


def fresh_python() -> str:
    """Folder of the interpreter the tests run on: /usr/bin may have another."""
    return str(Path(sys.executable).resolve().parent)


@pytest.mark.parametrize(("line", "stack"), [
    ("up --yes --stack prod", "prod"),
    ("up --stack=org/podwright/prod --yes", "prod"),
    ("-C /elsewhere preview -s prod", "prod"),
    ("preview -sprod", "prod"),
    ("stack select prod", "prod"),
    ("stack select --create prod", "prod"),
    ("--cwd folder stack rm prod", "prod"),
    ("stack ls", None),
    ("config set a prod", None),
    ("up --yes", None),
])  # fmt: skip
def test_which_stack_a_command_line_names(line: str, stack: str | None) -> None:
    assert named_stack(line.split()) == stack


def test_a_command_that_is_not_there(machine: Machine) -> None:
    done = machine.run("run", "--", "pulumy")
    assert done.returncode == 2
    assert "pulumy is not on PATH" in done.stderr


def test_pulumi_before_it_is_set_up(machine: Machine) -> None:
    done = machine.run("run", "--", "pulumi", "version")
    assert done.returncode == 2
    assert "make setup" in done.stderr
