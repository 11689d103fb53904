"""Settings that are taken in the background: 202, a task, and a monitor of it (DSP0266, "Asynchronous operations")."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import Any

import flask

from podwright.lab.redfish import errors
from podwright.lab.redfish.registry import RefusalError
from podwright.lab.redfish.systems import WorldSystem

SERVICE = "/redfish/v1/TaskService"
TASKS = f"{SERVICE}/Tasks"
MONITORS = "/redfish/v1/TaskService/TaskMonitors"
SECONDS = 0.15
"""How long one takes; a BMC needs some ten seconds."""


class Task:
    """One piece of work under way. `refusal` says why it came to nothing."""

    def __init__(self, number: str, work: Callable[[], None]) -> None:
        self.number = number
        self.over = False
        self.refusal: RefusalError | None = None
        self._work = work
        timer = threading.Timer(SECONDS, self._run)
        timer.daemon = True
        timer.start()

    def _run(self) -> None:
        try:
            self._work()
        except RefusalError as refusal:
            self.refusal = refusal
        self.over = True

    def document(self) -> dict[str, Any]:
        """The Task resource."""
        failed = self.refusal is not None
        messages = errors.document(self.refusal.message_id, self.refusal.text)["error"] if self.refusal else {}
        return {
            "@odata.id": f"{TASKS}/{self.number}",
            "@odata.type": "#Task.v1_7_4.Task",
            "Id": self.number,
            "Name": f"Task {self.number}",
            "TaskMonitor": f"{MONITORS}/{self.number}",
            "TaskState": ("Exception" if failed else "Completed") if self.over else "Running",
            "TaskStatus": "Warning" if failed else "OK",
            "PercentComplete": 100 if self.over else 50,
            "Messages": messages.get("@Message.ExtendedInfo", []),
        }


class Board:
    """The tasks of one BMC, and where they are shown."""

    def __init__(self, app: flask.Flask) -> None:
        self._tasks: dict[str, Task] = {}
        self._numbers = itertools.count(1)
        app.before_request(self._listed)
        app.add_url_rule(f"{TASKS}/<number>", "task", self._shown)
        app.add_url_rule(f"{MONITORS}/<number>", "task_monitor", self._monitored)

    def add(self, work: Callable[[], None]) -> Task:
        """Begin with a piece of work."""
        task = Task(str(next(self._numbers)), work)
        self._tasks[task.number] = task
        return task

    def forget(self) -> None:
        """A BMC that lost power knows of no task."""
        self._tasks.clear()

    def _listed(self) -> flask.Response | None:
        """The service and its collection, in place of the emulator's, which has one task that never was."""
        path = flask.request.path.rstrip("/")
        if flask.request.method != "GET" or path not in (SERVICE, TASKS):
            return None
        if path == SERVICE:
            about = {"@odata.type": "#TaskService.v1_2_0.TaskService", "Id": "TaskService", "Name": "Task Service"}
            return flask.jsonify({"@odata.id": path, **about, "ServiceEnabled": True, "Tasks": {"@odata.id": TASKS}})
        members = [{"@odata.id": f"{TASKS}/{number}"} for number in list(self._tasks)]
        about = {"@odata.type": "#TaskCollection.TaskCollection", "Name": "Task Collection"}
        return flask.jsonify({"@odata.id": path, **about, "Members": members, "Members@odata.count": len(members)})

    def _shown(self, number: str) -> Any:
        if number not in self._tasks:
            return errors.answer(404, "ResourceNotFound", f"The resource {number} was not found.")
        return flask.jsonify(self._tasks[number].document())

    def _monitored(self, number: str) -> Any:
        task = self._tasks.get(number)
        if task is None:
            return errors.answer(404, "ResourceNotFound", f"The resource {number} was not found.")
        if not task.over:
            return under_way(task)
        if task.refusal is not None:
            return errors.answer(400, task.refusal.message_id, task.refusal.text)
        return flask.Response(status=204)


def attach(app: flask.Flask, board: Board, system: WorldSystem) -> None:
    """Take what is written to the BIOS settings in the background."""

    def begun() -> flask.Response | None:
        path = flask.request.path.rstrip("/")
        if flask.request.method != "PATCH" or not path.lower().endswith("/bios/settings"):
            return None
        body = flask.request.get_json(silent=True)
        attributes = body.get("Attributes") if isinstance(body, dict) else None
        return under_way(board.add(lambda: system.set_bios(system.server.serial, attributes)))

    app.before_request(begun)


def under_way(task: Task) -> flask.Response:
    """The answer to what became a task."""
    reply = flask.jsonify(task.document())
    reply.status_code = 202
    reply.headers["Location"] = f"{MONITORS}/{task.number}"
    reply.headers["Retry-After"] = "1"
    return reply
