"""Certificates of management controllers: what a profile's policy brings, the controller shows once it is deployed."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable

from podwright.lab.intersight import effects
from podwright.lab.intersight.runs import PROFILE
from podwright.lab.intersight.store import Mo, Store
from podwright.lab.world.model import Server, World

POLICY = "certificatemanagement.Policy"


class Certificates:
    """Told of profiles that come into force."""

    def __init__(self, store: Store, world: World, machine: Callable[[Mo | None], Server | None]) -> None:
        self._store = store
        self._world = world
        self._machine = machine

    def in_force(self, profile: Mo) -> None:
        """Hand the enabled certificate and its key to the controller."""
        if profile["ObjectType"] != PROFILE:
            return
        server = self._machine(self._store.target(profile["AssignedServer"]))
        policy = effects.policies(self._store, profile).get(POLICY)
        for each in policy["Certificates"] if policy and server else ():
            if not each["Enabled"]:
                continue
            try:
                texts = (each["Certificate"]["PemCertificate"], each["Privatekey"])
                shown = [base64.b64decode(text, validate=True) for text in texts]
            except (KeyError, TypeError, binascii.Error):
                continue
            assert server is not None
            for listener in self._world.on_certificate:
                listener(server.name, *shown)
