"""Texts of plans as a switch keeps them: something of its own where they name a secret."""

import re

_FORMS = (
    (r"(?m)^(username \S+ password )\{\{\S+\}\}", r"\g<1>5 $5$HIMIJM$qT5AXQEfCx.kdpdUF8dRHjlsjyL3TdgR9BhmK9uAYx7"),
    (
        r"(?m)^(snmp-server user \S+ \S+ auth sha )\{\{\S+\}\} priv aes-128 \{\{\S+\}\}$",
        r"\g<1>0x69bd684bda3d02ae3dda522eb44447ea989c783d priv aes-128 0x4624066a373a770fad0dc716bb023ed6fd829cb9 "
        "localizedkey",
    ),
    (r"(?m)^( *password )\{\{\S+\}\}$", r"\g<1>7 046E1803362E595C260E0B240619050A2D"),
)


def as_kept(text: str) -> str:
    """The text with published values in place of names of secrets."""
    for pattern, put in _FORMS:
        text = re.sub(pattern, put, text)
    return text
