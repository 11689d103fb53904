"""Secrets in messages, in the spellings of the programs that messages come through."""

from __future__ import annotations

import html
import json
import re
import shlex
import subprocess
import time
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from podwright.components.providers.protocol.scrub import HIDDEN, Scrubber


def _byte_escapes(form: str) -> Callable[[str], str]:
    return lambda text: "".join(form.format(byte) for byte in text.encode())


SPELLINGS: dict[str, Callable[[str], str]] = {
    "html": html.escape,
    "html of text": lambda text: html.escape(text, quote=False),
    "html of templates": lambda text: html.escape(text).replace("&#x27;", "&#39;").replace("&quot;", "&#34;"),
    "xml": lambda text: html.escape(text, quote=False).replace("'", "&apos;").replace('"', "&quot;"),
    "html numbers": lambda text: "".join(f"&#{ord(each)};" for each in text),
    "html hex numbers": lambda text: "".join(f"&#x{ord(each):04X};" for each in text),
    "hex": lambda text: text.encode().hex(),
    "HEX": lambda text: text.encode().hex().upper(),
    "hex with colons": lambda text: text.encode().hex(":"),
    "a dump": lambda text: text.encode().hex(" ", 2),
    "bytes": _byte_escapes("\\x{:02x}"),
    "octal": _byte_escapes("\\{:03o}"),
    "hex list": lambda text: ", ".join(f"0x{byte:02x}" for byte in text.encode()),
    "yaml": lambda text: yaml.safe_dump(text, width=1000),
    "yaml, folded": lambda text: yaml.safe_dump({"a": {"b": {"secret": text}}}, width=20).partition("secret:")[2],
    "yaml in double quotes": lambda text: yaml.safe_dump(text, default_style='"', width=24),
    "yaml in single quotes": lambda text: yaml.safe_dump(text, default_style="'", width=1000, allow_unicode=True),
    "shell": shlex.quote,
    "shell, escaped": lambda text: "".join(each if each.isalnum() else f"\\{each}" for each in text),
    "json in json": lambda text: json.dumps(json.dumps(text)),
    "json in a shell": lambda text: shlex.quote(json.dumps({"password": text})).partition(":")[2].rpartition("}")[0],
    "a form": quote_plus,
    "a path": quote,
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@given(
    st.text(st.characters(max_codepoint=0x2FFF, exclude_categories=["Cs", "Cc", "Zl", "Zp", "Cn", "Co"]), min_size=8)
    .map(lambda text: f"k{text[:16]}9")
    .filter(lambda text: "  " not in text and "\xa0" not in text)
)
@settings(max_examples=20, deadline=None)
def test_no_way_of_escaping_a_secret_passes(spelling: str, secret: str) -> None:
    scrubber = Scrubber()
    scrubber.add(secret)
    spelled = SPELLINGS[spelling](secret)
    left = scrubber.clean(f"login failed: {spelled} (code 7)")
    assert HIDDEN in left, spelled
    rest = left.removeprefix("login failed: ").removesuffix(" (code 7)").replace(HIDDEN, "")
    assert not re.search(r"\w", rest), (spelled, rest)


def test_a_shells_own_way_of_escaping_does_not_pass() -> None:
    secrets = ['it\'s "so" $HOME `x` a\\b!c', "tab\there é", "a'b'c''d&<>%41"]
    for secret in secrets:
        scrubber = Scrubber()
        scrubber.add(secret)
        spelled = subprocess.run(
            ["bash", "-c", 'printf %q "$1"', "-", secret], capture_output=True, text=True, check=True
        ).stdout
        left = scrubber.clean(f"ran: {spelled} now")
        assert re.fullmatch(r"ran: \$?'?\[secret\]'? now", left), (spelled, left)


def test_a_pull_secret_of_some_thousand_characters_is_known_in_no_time() -> None:
    pull = json.dumps({"auths": {f"registry-{n}.example.com": {"auth": "kanarie" * 90} for n in range(4)}})
    pem = "\n".join(["-----BEGIN-----", *("MHcCAQEEIB" * 6 + f"{n:04}" for n in range(28)), "-----END-----"])
    started = time.process_time()
    scrubber = Scrubber()
    scrubber.add(pull)
    scrubber.add(pem)
    assert "kanarie" not in scrubber.clean(f"wrong: {json.dumps(pull)} and {pull}")
    assert "MHcC" not in scrubber.clean(f"wrong: {pem} and {html.escape(pem)}")
    assert time.process_time() - started < 2
