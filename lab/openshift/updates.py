"""The Cluster Version Operator: offers updates by channel, takes `spec.desiredUpdate`, and walks the release in.

After openshift/cluster-version-operator: a desired version that is neither offered nor in the history leaves the
cluster where it is and says so in the conditions `Invalid` and `Progressing`; a minor update is held back while an
operator says `Upgradeable=False`; the machine-config operator comes last and has the new release once the master pool
runs it, so that worker pools may still restart when the history says `Completed`. What an update service would offer
is made up: the next patches of the release, and in the next minor's channel its first ones.
"""

from __future__ import annotations

import copy
import hashlib
import re
from collections.abc import Iterator
from typing import Any

from podwright.lab.openshift.api import Object, path_of
from podwright.lab.openshift.controller import Controller, condition, merge_conditions, now
from podwright.lab.openshift.fresh import CATALOG_HOME, CATALOGS, catalogue
from podwright.lab.openshift.kinds import (
    CATALOG_SOURCES,
    CLUSTER_OPERATORS,
    CLUSTER_VERSIONS,
    MACHINE_CONFIG_POOLS,
    MACHINE_CONFIGS,
)

OFFERED = 3
"""Releases ahead that a channel offers."""
CHANNEL = re.compile(r"^(stable|fast|eus|candidate)-(\d+)\.(\d+)$")
LAST = "machine-config"
"""The operator whose release restarts hosts."""
ROLES = ("master", "worker")


def image(version: str) -> str:
    """Where a release's payload lies."""
    return f"quay.io/openshift-release-dev/ocp-release@sha256:{hashlib.sha256(version.encode()).hexdigest()}"


def offers(version: str, channel: str) -> list[str] | None:
    """Releases that the update service offers from `version` in `channel`; None where it does not know the release."""
    major, minor, patch = map(int, version.split("."))
    found = CHANNEL.match(channel)
    if found is None or int(found[2]) != major or int(found[3]) not in (minor, minor + 1):
        return None
    ahead = [f"{major}.{minor}.{patch + step}" for step in range(1, OFFERED + 1)]
    if int(found[3]) > minor:
        ahead += [f"{major}.{minor + 1}.{step}" for step in range(OFFERED)]
    return ahead[::-1]


class ClusterVersions(Controller):
    """Keeps the one ClusterVersion, and the ClusterOperators while a release walks in."""

    watches = (CLUSTER_VERSIONS, CLUSTER_OPERATORS, MACHINE_CONFIG_POOLS, MACHINE_CONFIGS, CATALOG_SOURCES)

    def reconcile(self) -> None:
        """One pass; nothing before the installation is complete."""
        found = copy.deepcopy(self.cache.get(CLUSTER_VERSIONS, "version"))
        status = (found or {}).get("status", {})
        if found is None or not status.get("history"):
            return
        offered = offers(status["desired"]["version"], str(found["spec"].get("channel", "")))
        wanted = found["spec"].get("desiredUpdate") or {}
        version = str(wanted.get("version") or status["desired"]["version"])
        problem = self._problem(version, status, offered or [])
        if not problem and version != status["desired"]["version"]:
            status = self._begin(version, status)
        rows = [*self._retrieved(found, offered), *self._verdicts(problem, version, status)]
        if status["history"][0]["state"] == "Partial":
            rows += self._walk(status)
        self.set_status(CLUSTER_VERSIONS, found, {
            **{key: status[key] for key in ("desired", "history")},
            "observedGeneration": found["metadata"]["generation"],
            "availableUpdates": [
                {"version": each, "image": image(each), "channels": [found["spec"].get("channel", "")]}
                for each in offers(status["desired"]["version"], str(found["spec"].get("channel", ""))) or []
            ],
            "conditions": _over(status.get("conditions", []), rows),
        })  # fmt: skip

    def _problem(self, version: str, status: Object, offered: list[str]) -> tuple[str, str] | None:
        """(condition, message) that keeps the cluster from going to `version`."""
        known = {*offered, *(each["version"] for each in status["history"])}
        if version not in known:
            return "Invalid", (
                f'The cluster version is invalid: spec.desiredUpdate.version: Invalid value: "{version}": when image '
                "is empty the update must be a previous version or an available update"
            )
        if version.split(".")[:2] != status["desired"]["version"].split(".")[:2]:
            for operator in self.cache.list(CLUSTER_OPERATORS):
                for row in operator.get("status", {}).get("conditions", []):
                    if row["type"] == "Upgradeable" and row["status"] == "False":
                        name = operator["metadata"]["name"]
                        return "ReleaseAccepted", (
                            f'Preconditions failed for payload loaded version="{version}" image="{image(version)}": '
                            f'Precondition "ClusterVersionUpgradeable" failed because of "{row["reason"]}": Cluster '
                            f"operator {name} should not be upgraded between minor versions: {row['message']}"
                        )
        return None

    def _retrieved(self, found: Object, offered: list[str] | None) -> Iterator[Object]:
        if offered is not None:
            yield condition("RetrievedUpdates", True, "AsExpected")
            return
        version, channel = found["status"]["desired"]["version"], found["spec"].get("channel", "")
        yield condition(
            "RetrievedUpdates", False, "VersionNotFound",
            f"Unable to retrieve available updates: currently reconciling cluster version {version} not found in the "
            f'"{channel}" channel',
        )  # fmt: skip

    def _verdicts(self, problem: tuple[str, str] | None, version: str, status: Object) -> Iterator[Object]:
        invalid = problem is not None and problem[0] == "Invalid"
        yield condition("Invalid", invalid, "InvalidClusterVersion" if invalid else "", problem[1] if problem else "")
        refused = problem is not None and not invalid
        at = f'Payload loaded version="{version}" image="{image(version)}"'
        yield condition(
            "ReleaseAccepted", not refused, "PreconditionChecks" if refused else "PayloadLoaded",
            problem[1] if problem and refused else at,
        )  # fmt: skip
        have = status["desired"]["version"]
        if invalid:
            message = f"Stopped at {have}: the cluster version is invalid"
            yield condition("Progressing", False, "InvalidClusterVersion", message)
        elif status["history"][0]["state"] == "Completed":
            yield condition("Progressing", False, "", f"Cluster version is {have}")

    def _begin(self, version: str, status: Object) -> Object:
        """A new entry of the history; one that was under way is left as it is, partial for good."""
        before = [
            {**each, "completionTime": each["completionTime"] or now()} for each in status["history"]
        ]  # fmt: skip
        entry = {
            "state": "Partial", "version": version, "image": image(version), "verified": True, "startedTime": now(),
            "completionTime": None,
        }  # fmt: skip
        desired = {"version": version, "image": image(version)}
        return {**status, "desired": desired, "history": [entry, *before]}

    def _walk(self, status: Object) -> Iterator[Object]:
        """One operator takes the release in this pass; the last ends the update."""
        version = status["desired"]["version"]
        operators = sorted(self.cache.list(CLUSTER_OPERATORS), key=lambda each: each["metadata"]["name"] == LAST)
        behind = [each for each in operators if each["status"]["versions"][0]["version"] != version]
        if behind and (behind[0]["metadata"]["name"] != LAST or self._hosts_follow(version)):
            self.set_status(CLUSTER_OPERATORS, behind[0], {"versions": [{"name": "operator", "version": version}]})
            if behind[0]["metadata"]["name"] == "marketplace":
                self._catalogues(version)
            behind = behind[1:]
        if behind:
            done = len(operators) - len(behind)
            text = f"Working towards {version}: {done} of {len(operators)} done, waiting on "
            yield condition("Progressing", True, "ClusterOperatorsUpdating", text + behind[0]["metadata"]["name"])
            self.ring()
            return
        status["history"][0] |= {"state": "Completed", "completionTime": now()}
        yield condition("Available", True, "", f"Done applying {version}")
        yield condition("Progressing", False, "", f"Cluster version is {version}")

    def _catalogues(self, version: str) -> None:
        """The catalogues that OpenShift ships are those of the release from now on; a site's own stay as they are."""
        for source in self.cache.list(CATALOG_SOURCES):
            name = source["metadata"]["name"]
            if name in CATALOGS and source["spec"].get("image", "").startswith(CATALOG_HOME):
                self.patch(CATALOG_SOURCES, source, {"spec": {"image": catalogue(name, version)}})

    def _hosts_follow(self, version: str) -> bool:
        """Every role's base configuration names the release's operating system; true once the masters run it."""
        for role in ROLES:
            config = self.cache.get(MACHINE_CONFIGS, f"00-{role}")
            if config is not None:
                self.patch(MACHINE_CONFIGS, config, {"spec": {"osImageURL": image(version)}})
        pool = self.cache.get(MACHINE_CONFIG_POOLS, "master")
        if pool is None:
            return True
        named = pool["spec"].get("configuration", {}).get("name", "")
        rendered = self.api.get(path_of(MACHINE_CONFIGS.api_version, MACHINE_CONFIGS.plural, None, named))
        updated = any(c["type"] == "Updated" and c["status"] == "True" for c in pool["status"].get("conditions", []))
        running = pool["status"].get("configuration", {}).get("name") == named
        return updated and running and (rendered or {}).get("spec", {}).get("osImageURL") == image(version)


def _over(old: list[Object], new: list[Object]) -> list[Any]:
    """`old` with the rows of `new` in place of those of their types; of two rows of one type the later counts."""
    rows = {row["type"]: row for row in new}
    return merge_conditions(old, [*(row for row in old if row["type"] not in rows), *rows.values()])
