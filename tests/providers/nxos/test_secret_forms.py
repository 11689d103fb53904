"""What a switch shows in the place of a secret is text of its own: whatever it is, reading it ends in an answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podwright.components.providers.nxos.secret_forms import (
    FORMS,
    BgpPassword,
    Form,
    SnmpKeys,
    UnfitSecretError,
    UserPassword,
)

ENGINE = bytes.fromhex("8000000903")
USER, SNMP, BGP = UserPassword(), SnmpKeys(), BgpPassword()


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        (USER, "5 $5$abc"),
        (USER, "5 $5$rounds=abc$x$y"),
        (USER, "5 $1$a"),
        (USER, "5 !"),
        (BGP, "7 070C285"),
        (BGP, "7 zz"),
        (SNMP, "sha 0x1 priv aes-128 0x2 localizedkey"),
    ],
)
def test_a_value_that_is_not_in_its_form_was_made_from_no_secret(form: Form, shown: str) -> None:
    assert form.proves(shown, ["Ops-canary-1", "Ops-canary-2"], ENGINE) is False


@pytest.mark.parametrize("form", FORMS, ids=lambda form: type(form).__name__)
@pytest.mark.parametrize(
    "secret", ["", "nul\0inside", "x" * 5000, "schl\u00fcssel-\u00e4"], ids=["empty", "nul", "long", "umlaut"]
)
def test_an_unfit_secret_proves_nothing_and_is_never_typed(form: Form, secret: str) -> None:
    shown = form.value(["Ops-canary-1", "Ops-canary-2"], ENGINE)
    assert form.proves(shown, [secret, secret], ENGINE) is False
    with pytest.raises(UnfitSecretError, match="printable ASCII characters"):
        form.value([secret, secret], ENGINE)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: type(form).__name__)
def test_what_was_made_is_proved_by_its_secret_and_by_no_other(form: Form) -> None:
    shown = form.value(["Ops-canary-1", "Ops-canary-2"], ENGINE)
    assert form.proves(shown, ["Ops-canary-1", "Ops-canary-2"], ENGINE) is True
    assert form.proves(shown, ["Ops-canary-3", "Ops-canary-2"], ENGINE) is False


@given(form=st.sampled_from(FORMS), kind=st.sampled_from(["", "5 ", "7 ", "5 $5$", "5 $1$"]), text=st.text(max_size=40))
def test_any_text_is_answered(form: Form, kind: str, text: str) -> None:
    assert form.proves(kind + text, ["Ops-canary-1", "Ops-canary-2"], ENGINE) in (False, None)
