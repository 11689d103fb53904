"""The NIC configuration daemon on one node: discovers cards, and brings them to what their NicDevices ask for."""

from __future__ import annotations

import json
import time
from typing import Any

from podwright.lab.openshift import maintenance
from podwright.lab.openshift.api import Object
from podwright.lab.openshift.controller import Controller, condition, merge_conditions
from podwright.lab.openshift.host_memory import Card
from podwright.lab.openshift.interfaces import physical
from podwright.lab.openshift.kinds import NIC_DEVICES, NODE_MAINTENANCES, NODES
from podwright.lab.openshift.nics import nvconfig
from podwright.lab.openshift.nics.devices import API, UPDATING, Device, devices
from podwright.lab.world.model import Server

WAIT = "network.nvidia.com/operator.nic-configuration.wait"
APPLIED = "lastAppliedState"
"""On a NicDevice: the spec whose run-time settings are in force."""
REQUESTOR = "configuration.nic.mellanox.com"
REQUEST = "nic-configuration-operator-maintenance"
DRIFT_SECONDS = 10.0
"""Between two looks at NICs on which nothing is asked anew; 20 minutes on a site (nicdevice_controller.go)."""
EMPTY, STARTED, REBOOT, DONE = "DeviceConfigSpecEmpty", "UpdateStarted", "PendingReboot", "UpdateSuccessful"
WRONG, REFUSED = "IncorrectSpec", "NonVolatileConfigUpdateFailed"


class NicDaemon:
    """One pass of the daemon on one node."""

    def __init__(self, operator: Controller, node: Object, server: Server, home: str) -> None:
        self._operator, self._server, self._home = operator, server, home
        self._name = str(node["metadata"]["name"])
        self._boot = str(node["status"]["nodeInfo"]["bootID"])
        self._host = operator.around.host_memory(self._name)
        self._host.boot(self._boot)
        self._cards = devices(server)

    def discover(self, pod: Object) -> None:
        """A daemon that starts lets everybody wait; then there is a NicDevice for every card."""
        run = f"{pod['metadata']['uid']}/{self._boot}"
        if self._host.nic_daemon != run:
            self._host.nic_daemon, self._host.nics_checked = run, 0.0
            self._wait("true")
        for card in self._cards:
            firmware = nvconfig.factory(len(card.ports))
            self._host.cards.setdefault(card.key, Card(dict(firmware), dict(firmware)))
            if self._device(card) is None:
                self._make(card)
        known = {card.name(self._name) for card in self._cards}
        for device in self._operator.cache.list(NIC_DEVICES, self._home):
            if (device.get("status") or {}).get("node") == self._name and device["metadata"]["name"] not in known:
                self._operator.api.delete(NIC_DEVICES.path(self._home, device["metadata"]["name"]))

    def configure(self) -> None:
        """As far as it goes without waiting."""
        asked = []
        for card in self._cards:
            device = self._device(card)
            if device is not None and (device.get("spec") or {}).get("configuration"):
                asked.append((card, device))
            elif device is not None:
                self._report(device, EMPTY, progressing=False)
        wanted = {card.key: found for card, device in asked if (found := self._firmware(card, device))}
        if len(wanted) < len(asked) or not self._settled(asked, wanted):
            return
        self._apply(asked)
        self._release()

    # --- firmware -------------------------------------------------------------------------------------------------

    def _firmware(self, card: Device, device: Object) -> dict[str, str] | None:
        """Settings that its template asks of a card; None where the card cannot take them, which is reported."""
        template = device["spec"]["configuration"]["template"]
        try:
            return nvconfig.desired(template, len(card.ports), device["metadata"]["name"])
        except nvconfig.SpecError as wrong:
            self._report(device, WRONG, progressing=False, message=str(wrong))
            return None

    def _settled(self, asked: list[tuple[Device, Object]], wanted: dict[str, dict[str, str]]) -> bool:
        """True when firmware is as asked and nothing waits for a reboot; else one step towards that."""
        late = [pair for pair in asked if not wanted[pair[0].key].items() <= self._card(pair[0]).after_boot.items()]
        for _, device in late:
            self._report(device, STARTED, progressing=True)
        if late and not self._allowed():
            return False
        for card, device in late:
            self._card(card).after_boot |= wanted[card.key]
            self._report(device, REBOOT, progressing=True)
        staged = [card for card, _ in asked if self._card(card).now != self._card(card).after_boot]
        changed = [device for _, device in asked if _applied(device) not in (None, _spec(device))]
        for device in changed:
            self._report(device, REBOOT, progressing=True)
        if not staged and not changed:
            return True
        if self._host.nics_reboot != self._boot and self._allowed():
            for _, device in asked:
                self._operator.note(NIC_DEVICES, device, **{APPLIED: None})
            self._host.nics_reboot = self._boot
            self._operator.restart(self._name)
        return False

    def _card(self, card: Device) -> Card:
        return self._host.cards[card.key]

    # --- run-time settings ----------------------------------------------------------------------------------------

    def _apply(self, asked: list[tuple[Device, Object]]) -> None:
        """Trust and pause of every port; compared again after a while, whoever changed them meanwhile."""
        due = time.monotonic() - self._host.nics_checked >= DRIFT_SECONDS
        fresh = [pair for pair in asked if due or _applied(pair[1]) != _spec(pair[1])]
        for card, device in fresh:
            self._set(card, device["spec"]["configuration"]["template"])
            self._report(self._operator.note(NIC_DEVICES, device, **{APPLIED: _spec(device)}), DONE, progressing=False)
        if due:
            self._host.nics_checked = time.monotonic()

    def _set(self, card: Device, template: dict[str, Any]) -> None:
        roce = template.get("roceOptimized") or {}
        qos = roce.get("qos") or {"trust": "dscp", "pfc": "0,0,0,1,0,0,0,0"}
        firmware = self._card(card).now
        with self._operator.world.lock:
            for number, nic in enumerate(card.ports, 1):
                nic.cnp_dscp = int(firmware[f"CNP_DSCP_P{number}"])
                if roce.get("enabled"):
                    nic.trust_dscp = qos["trust"] == "dscp"
                    nic.pfc = frozenset(each for each, on in enumerate(qos["pfc"].split(",")) if on == "1")

    # --- the node -------------------------------------------------------------------------------------------------

    def _allowed(self) -> bool:
        """Ask for the node, and tell whether it is ours."""
        request = self._request()
        if request is None:
            made = self._operator.api.create(NODE_MAINTENANCES.path(self._home), {
                "apiVersion": "maintenance.nvidia.com/v1alpha1", "kind": "NodeMaintenance",
                "metadata": {"name": f"{REQUEST}-{self._name}", "namespace": self._home},
                "spec": {
                    "requestorID": REQUESTOR, "nodeName": self._name, "cordon": True,
                    "drainSpec": {"force": True, "deleteEmptyDir": True},
                },
            })  # fmt: skip
            self._operator.cache.put(NODE_MAINTENANCES, made)
            self._wait("true")
        return request is not None and maintenance.ready(request)

    def _release(self) -> None:
        request = self._request()
        if request is not None and "deletionTimestamp" not in request["metadata"]:
            self._operator.api.delete(NODE_MAINTENANCES.path(self._home, request["metadata"]["name"]))
        self._wait("false")

    def _request(self) -> Object | None:
        found = self._operator.cache.list(NODE_MAINTENANCES, self._home)
        mine = (each for each in found if each["spec"]["requestorID"] == REQUESTOR)
        return next((each for each in mine if each["spec"]["nodeName"] == self._name), None)

    def _wait(self, value: str) -> None:
        node = self._operator.cache.get(NODES, self._name)
        if node is not None:
            fresh = self._operator.patch(NODES, node, {"metadata": {"labels": {WAIT: value}}})
            self._operator.cache.replace(NODES, fresh)

    # --- the device's object --------------------------------------------------------------------------------------

    def _device(self, card: Device) -> Object | None:
        return self._operator.cache.get(NIC_DEVICES, card.name(self._name), self._home)

    def _make(self, card: Device) -> None:
        node = self._operator.cache.get(NODES, self._name)
        assert node is not None
        name = card.name(self._name)
        made = self._operator.api.create(NIC_DEVICES.path(self._home), {
            "apiVersion": API, "kind": "NicDevice", "spec": {},
            "metadata": {
                "name": name, "namespace": self._home, "ownerReferences": [
                    {"apiVersion": "v1", "kind": "Node", "name": self._name, "uid": node["metadata"]["uid"]},
                ],
            },
        })  # fmt: skip
        names = physical(self._server, self._operator.world.variants["nic-names"])
        status = {**card.status(self._name, names), "conditions": [condition(UPDATING, False, EMPTY)]}
        made = self._operator.patch(NIC_DEVICES, made, {"status": status}, "status")
        self._operator.cache.replace(NIC_DEVICES, made)

    def _report(self, device: Object, reason: str, *, progressing: bool, message: str = "") -> None:
        device = self._operator.cache.get(NIC_DEVICES, device["metadata"]["name"], self._home) or device
        row = {**condition(UPDATING, progressing, reason, message)}
        row["observedGeneration"] = device["metadata"].get("generation", 1)
        before = (device.get("status") or {}).get("conditions", [])
        old: dict[str, Any] = next((each for each in before if each["type"] == UPDATING), {})
        if all(old.get(key) == row[key] for key in ("status", "reason", "message", "observedGeneration")):
            return
        fresh = self._operator.patch(
            NIC_DEVICES, device, {"status": {"conditions": merge_conditions(before, [row])}}, "status"
        )
        self._operator.cache.replace(NIC_DEVICES, fresh)


def _spec(device: Object) -> str:
    return json.dumps(device["spec"], sort_keys=True, separators=(",", ":"))


def _applied(device: Object) -> str | None:
    value: str | None = (device["metadata"].get("annotations") or {}).get(APPLIED)
    return value
