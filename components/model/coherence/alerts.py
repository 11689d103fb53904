"""Alerts: that each one named is one of the table, once, and that limits are of GPUs of the cluster."""

from collections.abc import Iterator
from difflib import get_close_matches

from podwright.components.model.catalogue.alerts import alerts
from podwright.components.model.coherence.platform import Installation
from podwright.components.model.problems import Loc, Problem

HOME = ("openshift", "alerts")


def _named(given: Installation) -> Iterator[Problem]:
    section = given.openshift.alerts
    if section is None:
        return
    for place, name in enumerate(section.off):
        yield from _known((*HOME, "off", place), name, at_key=False)
        if name in section.off[:place]:
            yield Problem((*HOME, "off", place), f"{name} is named twice", "remove it")
    for name in section.severity:
        yield from _known((*HOME, "severity", name), name, at_key=True)
        if name in section.off:
            message = f"{name} is in `off`, so that it has no severity"
            yield Problem((*HOME, "severity", name), message, "remove it from one of the two", at_key=True)


def _known(loc: Loc, name: str, *, at_key: bool) -> Iterator[Problem]:
    if name not in alerts():
        near = get_close_matches(name, alerts(), n=1, cutoff=0.5)
        hint = f"did you mean {near[0]}?" if near else "see docs/reference/alerts.md for all names"
        yield Problem(loc, f"{name} is no alert", hint, at_key=at_key)


def _limits(given: Installation) -> Iterator[Problem]:
    section = given.openshift.alerts
    products = sorted({server.gpus for server in given.servers.values() if server.gpus})
    for product in section.hot_celsius if section else ():
        if product not in products:
            near = get_close_matches(product, products, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]}?" if near else "name a product of `servers.*.gpus`, or remove it"
            loc = (*HOME, "hot_celsius", product)
            yield Problem(loc, f"no server has GPUs {product}", hint, at_key=True)


OPENSHIFT = (_named, _limits)
