from __future__ import annotations

import json
from pathlib import Path

import pytest

from podwright.components.providers.reach import Reach, ReachError, SecretNotFoundError, load


def written(path: Path, document: object) -> dict[str, str]:
    (path / "reach.json").write_text(document if isinstance(document, str) else json.dumps(document))
    return {"PODWRIGHT_REACH": str(path / "reach.json")}


def test_without_a_file_addresses_are_dialled_as_they_stand() -> None:
    reach = load({})
    assert reach.endpoint("192.0.2.11", 22) == ("192.0.2.11", 22)
    assert reach.ca is None
    assert reach.known_hosts.name == "known_hosts"


def test_a_forward_redirects_one_port_of_one_host(tmp_path: Path) -> None:
    reach = load(written(tmp_path, {"forward": {"192.0.2.11:22": "127.0.0.1:40022", "h:443": "[::1]:9"}}))
    assert reach.endpoint("192.0.2.11", 22) == ("127.0.0.1", 40022)
    assert reach.endpoint("192.0.2.11", 443) == ("192.0.2.11", 443)
    assert reach.endpoint("h", 443) == ("::1", 9)


def test_tools_come_from_the_file_or_the_path(tmp_path: Path) -> None:
    reach = load(
        written(tmp_path, {"tools": {"openshift-install": "/x/openshift-install"}}) | {"PATH": "/bin:/usr/bin"}
    )
    assert reach.tool("openshift-install") == "/x/openshift-install"
    assert (reach.tool("sh") or "").endswith("/sh")
    assert reach.tool("no-such-tool-at-all") is None


def test_the_environment_s_secret_wins_over_the_folder_s(tmp_path: Path) -> None:
    (tmp_path / "switch-admin").write_text("from the folder\n")
    environ = written(tmp_path, {"secrets": str(tmp_path)})
    assert load(environ).secret("switch-admin") == "from the folder"
    assert load(environ | {"PODWRIGHT_SECRET_SWITCH_ADMIN": "from outside"}).secret("switch-admin") == "from outside"


@pytest.mark.parametrize("name", ["nobody", "../reach.json"])
def test_a_missing_secret_is_named_with_every_place(tmp_path: Path, name: str) -> None:
    with pytest.raises(SecretNotFoundError, match=r"PODWRIGHT_SECRET_"):
        load(written(tmp_path, {"secrets": str(tmp_path / "inner")})).secret(name)


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ("{", "not valid JSON"),
        ([], "one JSON object"),
        ({"forwards": {}}, "keys nobody reads: forwards"),
        ({"forward": {"192.0.2.11": "127.0.0.1:1"}}, "'192.0.2.11', which is not host:port"),
        ({"forward": {"a:1": 2}}, "must map strings to strings"),
        ({"ca": 1}, "`ca` must be a path"),
    ],
)
def test_a_bad_file_is_refused_in_words(tmp_path: Path, document: object, words: str) -> None:
    with pytest.raises(ReachError, match=words):
        load(written(tmp_path, document))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReachError, match="cannot be read"):
        load({"PODWRIGHT_REACH": str(tmp_path / "none.json")})


def test_no_secret_shows_when_reach_is_printed() -> None:
    assert "hunter2" not in repr(Reach(environ={"PODWRIGHT_SECRET_X": "hunter2"}))


def test_a_missing_secret_names_what_to_type() -> None:
    with pytest.raises(SecretNotFoundError) as told:
        Reach().secret("switch-admin")
    assert """pulumi config set --secret --path 'secrets["switch-admin"]'""" in str(told.value)
    assert "PODWRIGHT_SECRET_SWITCH_ADMIN" in str(told.value)


def test_an_empty_variable_is_no_secret(tmp_path: Path) -> None:
    (tmp_path / "switch-admin").write_text("of the file\n")
    reach = Reach(secrets=tmp_path, environ={"PODWRIGHT_SECRET_SWITCH_ADMIN": ""})
    assert reach.secret("switch-admin") == "of the file"
