"""The texts behind fields, read from the source when somebody asks for them."""

from dataclasses import dataclass

from pydantic import create_model

from podwright.components.model.documentation import docstrings, sentence
from podwright.components.model.types import Spec


class Port(Spec):
    """A port."""

    speed: int = 400
    """Gb/s.  Of one
    lane, not of all."""
    name: str = ""


class Uplink(Port):
    """A port to a spine."""

    speed: int = 800
    """Gb/s of the uplink."""
    spine: str = ""
    """The other end."""

    @dataclass
    class Light:
        """Of its optics."""

        dbm: float
        """Received power."""


def test_texts_are_those_of_a_class_and_its_bases_the_nearest_first() -> None:
    assert docstrings(Uplink) == {"speed": "Gb/s of the uplink.", "spine": "The other end."}
    assert set(docstrings(Port)) == {"speed"}
    assert docstrings(Uplink.Light) == {"dbm": "Received power."}


def test_a_sentence_is_the_first_one_on_one_line() -> None:
    assert sentence(Port, "speed") == "Gb/s."
    assert sentence(Port, "name") == ""


def test_a_class_made_at_run_time_has_none() -> None:
    assert docstrings(create_model("Made", __base__=Port, more=(int, 1))) == docstrings(Port)
