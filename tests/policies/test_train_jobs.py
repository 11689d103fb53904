"""Pods of a TrainJob: its runtime's, with what it says of them itself laid over as Kubeflow Trainer does it."""

from collections.abc import Mapping
from typing import Any, Final

from podwright.policies.rules.resource import Resource
from podwright.policies.rules.train_jobs import made, started

_GROUP: Final = "kubernetes:trainer.kubeflow.org/v1alpha1"
_TRAINS: Final[dict[str, Any]] = {
    "nodeSelector": {"a": "runtime", "b": "runtime"},
    "schedulerName": "runtime",
    "volumes": [{"name": "data", "emptyDir": {}}, {"name": "more", "emptyDir": {}}],
    "containers": [
        {
            "name": "node",
            "image": "runtime",
            "command": ["runtime"],
            "env": [{"name": "A", "value": "runtime"}, {"name": "B", "value": "runtime"}],
            "resources": {"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "1"}},
        },
        {"name": "beside", "image": "runtime"},
    ],
}
_PREPARES: Final[dict[str, Any]] = {"containers": [{"name": "model-initializer", "image": "runtime"}]}


def _job(name: str, pod: Any) -> dict[str, Any]:
    template = {"metadata": {"labels": {"of": "runtime", "job": name}}, "spec": pod}
    return {"name": name, "template": {"spec": {"template": template}}}


RUNTIME: Final = Resource(
    f"{_GROUP}:ClusterTrainingRuntime", "torch", "urn:runtime",
    {
        "metadata": {"name": "torch", "labels": {"outer": "runtime"}},
        "spec": {
            "template": {"spec": {"replicatedJobs": [_job("model-initializer", _PREPARES), _job("node", _TRAINS)]}}
        },
    },
)  # fmt: skip


def _train_job(**spec: Any) -> Resource:
    meta = {"name": "tune", "namespace": "research", "labels": {"outer": "own"}}
    return Resource(
        f"{_GROUP}:TrainJob", "tune", "urn:job", {"metadata": meta, "spec": {"runtimeRef": {"name": "torch"}, **spec}}
    )


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(value[key]) for key in value}
    return [_plain(each) for each in value] if isinstance(value, list) else value


def _pods(job: Resource, *others: Resource) -> list[Any]:
    assert [_plain(each.spec) for each in made(job, others)] == [_plain(each) for each in started(job, others)]
    return [_plain(each) for each in started(job, others)]


def _patch(job: str, spec: Any, labels: Mapping[str, str]) -> Any:
    template = {"metadata": {"labels": labels}, "spec": spec}
    jobs = [{"name": job, "template": {"spec": {"template": template}}}]
    return {"manager": "somebody", "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": jobs}}}}


def test_a_job_that_says_nothing_has_the_pods_of_its_runtime() -> None:
    assert _pods(_train_job(), RUNTIME) == [_PREPARES, _TRAINS]
    assert _pods(_train_job()) == []


def test_fields_of_the_trainer_are_over_its_container_and_resources_are_joined() -> None:
    trainer = {
        "image": "own", "args": ["own"], "numNodes": 4,
        "env": [{"name": "B", "value": "own"}, {"name": "C", "value": "own"}],
        "resourcesPerNode": {"limits": {"cpu": "8", "nvidia.com/gpu": "8"}},
    }  # fmt: skip
    prepares, trains = _pods(_train_job(trainer=trainer), RUNTIME)
    assert prepares == _PREPARES
    assert trains["containers"] == [
        {
            "name": "node", "image": "own", "command": ["runtime"], "args": ["own"],
            "env": [{"name": "A", "value": "runtime"}, {"name": "B", "value": "own"}, {"name": "C", "value": "own"}],
            "resources": {
                "limits": {"cpu": "8", "memory": "1Gi", "nvidia.com/gpu": "8"}, "requests": {"cpu": "1"}
            },
        },
        {"name": "beside", "image": "runtime"},
    ]  # fmt: skip
    assert {key: trains[key] for key in _TRAINS if key != "containers"} == {
        key: value for key, value in _TRAINS.items() if key != "containers"
    }


def test_what_the_initializers_are_given_is_over_theirs() -> None:
    given = {"model": {"env": [{"name": "A", "value": "own"}]}, "dataset": {"env": [{"name": "B", "value": "own"}]}}
    prepares, trains = _pods(_train_job(initializer=given), RUNTIME)
    assert prepares["containers"] == [{**_PREPARES["containers"][0], "env": [{"name": "A", "value": "own"}]}]
    assert trains == _TRAINS


def test_a_patch_is_over_the_pods_of_its_job_alone() -> None:
    pod = {
        "nodeSelector": {"b": "own", "c": "own"},
        "schedulerName": "own",
        "volumes": [{"name": "more", "configMap": {}}],
        "containers": [{"name": "node", "env": [{"name": "A", "value": "own"}]}],
    }
    expected = {
        "nodeSelector": {"a": "runtime", "b": "own", "c": "own"},
        "schedulerName": "own",
        "volumes": [{"name": "data", "emptyDir": {}}, {"name": "more", "configMap": {}}],
        "containers": [
            {
                **_TRAINS["containers"][0],
                "env": [{"name": "B", "value": "runtime"}, {"name": "A", "value": "own"}],
            },
            _TRAINS["containers"][1],
        ],
    }
    older = {"targetJobs": [{"name": "node"}], "metadata": {"labels": {"of": "own"}}, "spec": pod}
    for said in ({"runtimePatches": [_patch("node", pod, {"of": "own"})]}, {"podTemplateOverrides": [older]}):
        job = _train_job(**said)
        assert _pods(job, RUNTIME) == [_PREPARES, expected]
        assert [dict(each.labels) for each in made(job, [RUNTIME])] == [
            {"outer": "own", "of": "runtime", "job": "model-initializer"},
            {"outer": "own", "of": "own", "job": "node"},
        ]
    everywhere = {"spec": {"schedulerName": "own"}}
    assert [each["schedulerName"] for each in _pods(_train_job(podTemplateOverrides=[everywhere]), RUNTIME)] == [
        "own"
    ] * 2


def test_of_a_runtime_that_is_not_there_is_known_what_the_job_says() -> None:
    patches = [
        _patch("node", {"nodeSelector": {"a": "own"}}, {}), _patch("node", {"priorityClassName": "own"}, {}),
        _patch("launcher", {"nodeSelector": {"b": "own"}}, {}),
    ]  # fmt: skip
    given = {"model": {"env": [{"name": "A", "value": "own"}]}}
    job = _train_job(trainer={"image": "own"}, initializer=given, runtimePatches=patches)
    assert _pods(job) == [
        {
            "containers": [{"name": "node", "image": "own"}],
            "nodeSelector": {"a": "own"}, "priorityClassName": "own",
        },
        {"containers": [{"name": "model-initializer", "env": [{"name": "A", "value": "own"}]}]},
        {"nodeSelector": {"b": "own"}},
    ]  # fmt: skip
    assert _pods(_train_job(podTemplateOverrides=[{"spec": {"schedulerName": "own"}}])) == [{"schedulerName": "own"}]
