"""workflow.WorkflowInfo: what runs, how far it is, how it ended."""

from __future__ import annotations

from collections.abc import Sequence

from podwright.lab.intersight.schema import ZERO_TIME
from podwright.lab.intersight.store import Mo, Store, ref

# The deprecated Status beside the WorkflowStatus that replaced it: both are answered.
OLD_STATUS = {"InProgress": "RUNNING", "Completed": "COMPLETED", "Failed": "FAILED", "Waiting": "WAITING"}


class Workflows:
    """Starts, moves and ends workflows about an object."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def start(self, name: str, subject: Mo, tasks: Sequence[str]) -> Mo:
        """A workflow in progress about `subject`, with its tasks waiting."""
        moment = self._store.now()
        workflow = self._store.create(
            "workflow.WorkflowInfo",
            {
                "Name": name,
                "AssociatedObject": ref(subject),
                "Organization": subject.get("Organization"),
                "StartTime": moment,
                "Status": OLD_STATUS["InProgress"],
                "WorkflowStatus": "InProgress",
                "Progress": 0.0,
                "InstId": self._store.new_moid(),
                "Input": {"workflowContext": {"TargetCtxList": [{"TargetName": subject.get("Name", "")}]}},
            },
        )
        for task in tasks:
            self._store.create(
                "workflow.TaskInfo",
                {
                    "Name": task,
                    "Label": task,
                    "WorkflowInfo": ref(workflow),
                    "Status": "SCHEDULED",
                    "StartTime": moment,
                    "InstId": self._store.new_moid(),
                },
            )
        return workflow

    def _tasks(self, workflow: Mo) -> list[Mo]:
        return [t for t in self._store.of("workflow.TaskInfo") if t["WorkflowInfo"] == ref(workflow)]

    def reached(self, workflow: Mo, task: str) -> None:
        """The workflow works on this task now; those before it are done."""
        tasks = self._tasks(workflow)
        at = [t["Name"] for t in tasks].index(task)
        for done in tasks[:at]:
            self._store.update(done, {"Status": "COMPLETED", "EndTime": self._store.now()})
        self._store.update(tasks[at], {"Status": "IN_PROGRESS"})
        self._store.update(workflow, {"Progress": round(100.0 * at / len(tasks), 1)})

    def end(self, workflow: Mo, failure: str | None = None) -> None:
        """The workflow is over; `failure` says why it failed."""
        moment = self._store.now()
        for task in self._tasks(workflow):
            if task["EndTime"] == ZERO_TIME:
                broken = failure is not None and task["Status"] == "IN_PROGRESS"
                status = "FAILED" if broken else "COMPLETED" if failure is None else "CANCELED"
                self._store.update(
                    task, {"Status": status, "EndTime": moment, "FailureReason": failure if broken else ""}
                )
        state = "Completed" if failure is None else "Failed"
        values: dict[str, object] = {"WorkflowStatus": state, "Status": OLD_STATUS[state], "EndTime": moment}
        if failure is None:
            values["Progress"] = 100.0
        else:
            values["Message"] = [
                {
                    "ClassId": "workflow.Message",
                    "ObjectType": "workflow.Message",
                    "Message": failure,
                    "Severity": "Error",
                }
            ]
        self._store.update(workflow, values)

    def running(self, subject: Mo) -> list[Mo]:
        """Workflows about `subject` that are not over."""
        return [
            w
            for w in self._store.of("workflow.WorkflowInfo")
            if w["AssociatedObject"] == ref(subject) and w["WorkflowStatus"] == "InProgress"
        ]
