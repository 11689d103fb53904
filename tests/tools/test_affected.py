"""Which tests can notice a change."""

import pytest

from tools.affected import affected, tracked

FILES = tracked()


@pytest.mark.parametrize(("change", "noticing", "not_noticing"), [
    ("policies/rules/platform.py", ["tests/policies/test_rules.py", "tests/tools/test_generated.py"],
     ["tests/cli/test_size.py", "tests/lab/nxos/test_ping.py", "tests/providers/nxos/test_push.py"]),
    ("components/design/fabric/qos.py", ["tests/design/fabric/test_plan.py", "tests/components/test_graph.py"],
     ["tests/lab/nxos/test_ping.py", "tests/providers/nxos/test_push.py", "tests/toolchain/test_setup.py"]),
    ("components/model/lossless.py", ["tests/model/test_load.py", "tests/design/fabric/test_plan.py"],
     ["tests/lab/nxos/test_ping.py", "tests/providers/openshift/test_cordons.py"]),
    ("lab/nxos/session.py", ["tests/lab/nxos/test_session.py", "tests/providers/nxos/test_push.py"],
     ["tests/model/test_load.py", "tests/policies/test_rules.py"]),
    ("toolchain/setup.py", ["tests/toolchain/test_setup.py"], ["tests/model/test_load.py"]),
    ("README.md", ["tests/tools/test_named.py"], ["tests/model/test_load.py"]),
    ("tests/providers/nxos/conftest.py", ["tests/providers/nxos/test_push.py"], ["tests/model/test_load.py"]),
    ("tests/providers/nxos/test_push.py", ["tests/providers/nxos/test_push.py"], ["tests/model/test_load.py"]),
    ("tests/e2e/test_up.py", ["tests/e2e/test_up.py"], ["tests/e2e/test_drift.py"]),
])  # fmt: skip
def test_a_change_runs_who_can_notice_it(change: str, noticing: list[str], not_noticing: list[str]) -> None:
    chosen = affected([change], FILES)
    missing = {name for name in noticing if name in FILES} - set(chosen)
    assert missing == set()
    assert set(not_noticing) & set(chosen) == set()


def test_what_packs_the_program_notices_new_files_of_it_not_what_they_say() -> None:
    rule, page = "policies/rules/queues.py", "tests/packaging/test_wheel.py"
    assert page not in affected([rule], FILES)
    assert page in affected([rule], FILES, new=[rule])
    assert page in affected([rule, "README.md"], FILES)


def test_a_rule_is_not_noticed_by_commands_that_hand_the_pack_to_pulumi() -> None:
    assert not {"tests/cli/test_engine.py", "tests/cli/test_move.py"} & set(
        affected(["policies/rules/queues.py"], FILES)
    )


def test_the_rooms_are_always_looked_at() -> None:
    assert affected([], FILES) == ["tests/test_rooms.py", "tests/test_sizes.py"]


def test_a_changed_lock_is_noticed_by_everything_but_the_slow() -> None:
    chosen = affected(["toolchain/requirements.txt"], FILES)
    assert len(chosen) > 100
    assert not any(name.startswith("tests/e2e/") for name in chosen)


def test_the_rules_of_switches_are_noticed_by_the_command_that_lints_them() -> None:
    chosen = affected(["policies/rules/fabric.py"], FILES)
    assert {"tests/cli/lint/test_command.py", "tests/policies/test_rules.py"} <= set(chosen)
    assert "tests/cli/test_size.py" not in chosen
