"""How an expression is changed: each token in its place, and nothing in texts that is none."""

from tests.admission_rules.changes import changes

TEXT = "!has.?x.orValue(true) && size(y) > 2 && y.exists(z, z in ['a', 'b && c'])"


def test_each_condition_is_changed_in_its_place() -> None:
    made = {other for _, other in changes(TEXT)}
    assert {
        TEXT[1:],
        TEXT.replace("true", "false"),
        TEXT.replace(" && ", " || ", 1),
        TEXT.replace("> 2", ">= 2"),
        TEXT.replace("> 2", "< 2"),
        TEXT.replace("> 2", "> 3"),
        TEXT.replace("exists", "all"),
        TEXT.replace("'a'", "'ax'"),
        TEXT.replace("'a', ", ""),
        TEXT.replace(", 'b && c'", ""),
    } <= made
    assert not any("b || c" in other for other in made) and TEXT not in made


def test_each_change_has_a_name_of_its_own() -> None:
    names = [what for what, _ in changes(TEXT)]
    assert len(set(names)) == len(names) and all("->" in each for each in names)
