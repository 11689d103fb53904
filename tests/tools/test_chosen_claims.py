"""`python -m tools.coverage --only WORD` breaks claims that have the word, and runs nothing where none has."""

import sys

import pytest

from tools.coverage.__main__ import main


def test_a_word_of_no_claim_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["coverage", "--only", "no such word"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "no patch has no such word in its name or in a test of it" in capsys.readouterr().err
