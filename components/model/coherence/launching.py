"""How members of a training job start: options of a launcher that contradict the job, commands that know no peers."""

from collections.abc import Iterator
from typing import Final

from podwright.components.model.cluster import Cluster
from podwright.components.model.coherence.workloads import TrainingOn
from podwright.components.model.launchers import ACCELERATE, MASKED, TORCH, Launch, launch, program
from podwright.components.model.problems import Problem
from podwright.components.model.workloads import Training

_COUNTS: Final = {TORCH: "nnodes", ACCELERATE: "num-machines"}
_RESTARTS: Final = "max-restarts"
_LOCAL: Final = ("localhost", "127.0.0.1")
_BY_SSH: Final = ("deepspeed", "mpirun", "mpiexec", "horovodrun")
"""Start processes on other servers by ssh, from a list of hosts (deepspeedai/DeepSpeed, deepspeed/launcher/runner.py:
without the file it goes on with the local server alone)."""
_HOSTS: Final = ("hostfile", "H", "host", "hosts", "f", "machinefile", "no-ssh")
_IDLE: Final = ("sleep", "tail")
_ARGUMENTS: Final = 2
"""What argparse, and so both launchers, end with for options that they do not take."""
_OWN_CODES: Final = frozenset({MASKED, _ARGUMENTS, *range(126, 166)})
"""What a member under one of the launchers can end with: theirs, and a shell's or kubelet's for a program that is not
there or was ended by a signal."""
_SHELLS: Final = ("bash", "sh")


def _options(given: TrainingOn) -> Iterator[Problem]:
    """A launcher's own options bring the job's members together, each of them."""
    job, found = given.job, launch(given.job.command)
    if job.rendezvous == "own":
        if job.restarts is not None:
            message = "the launcher is given `restarts` with the rendezvous, which is the command's own"
            yield Problem(("restarts",), message, f"write --{_RESTARTS} in the command instead")
        return
    if found is None:
        return
    yield from _members(job, found)
    own = found.options.get(_RESTARTS, "")
    if job.restarts is not None and own.isdecimal() and int(own) != job.restarts:
        message = f"--{_RESTARTS} is {own} here, and restarts is {job.restarts}"
        yield Problem(_at(job, _RESTARTS), message, "remove it here: it follows from `restarts`")


def _members(job: Training, found: Launch) -> Iterator[Problem]:
    count = _COUNTS[found.launcher]
    least, _, most = found.options.get(count, "").partition(":")
    if job.min_nodes is not None and count in found.options and found.options[count] != f"{job.min_nodes}:{job.nodes}":
        message = f"members wait for {found.options[count]} of them, and the job has {job.min_nodes} to {job.nodes}"
        yield Problem(_at(job, count), message, "remove this option: it follows from `min_nodes` and `nodes`")
    elif least.isdecimal() and (not most or most.isdecimal()) and not int(least) <= job.nodes <= int(most or least):
        servers = least if not most else f"{least} to {most}"
        message = f"members wait for {servers} of them, and the job has {job.nodes}"
        yield Problem(_at(job, count), message, "remove this option: it follows from `nodes`")
    if job.nodes == 1:
        return
    if found.launcher == TORCH and "standalone" in found.options:
        message = f"each of {job.nodes} members would wait for the others at a place that is its own"
        yield Problem(_at(job, "standalone"), message, "remove this option: where members meet is added")
    for option in ("rdzv-endpoint", "main-process-ip"):
        if found.options.get(option, "").partition(":")[0] in _LOCAL:
            message = f"{found.options[option]} is another server for each of {job.nodes} members"
            yield Problem(_at(job, option), message, "remove this option: where members meet is added")


def _at(job: Training, option: str) -> tuple[str | int, ...]:
    """The word of the command that is this option."""
    names = [word.partition("=")[0].lstrip("-").replace("_", "-") for word in job.command]
    return "command", names.index(option)


def _codes(given: TrainingOn) -> Iterator[Problem]:
    """Each exit code once."""
    earlier = set[int]()
    for number, code in enumerate(given.job.give_up_on):
        if code in earlier:
            yield Problem(("give_up_on", number), f"{code} is in this list already", "write each code once")
        earlier.add(code)


def uncertain(cluster: Cluster) -> Iterator[str]:
    """Sentences about jobs whose members train alone, or not at all, and about exit codes that there never are."""
    for name, job in cluster.workloads.training.items():
        yield from _alone(name, job) if job.nodes > 1 and job.rendezvous == "derived" else ()
        found = launch(job.command)
        never = [str(code) for code in job.give_up_on if found is not None and code not in _OWN_CODES]
        if found is not None and never:
            yield (
                f"members of training job {name} never end with {', '.join(never)}: {found.launcher} ends with "
                f"{MASKED} whatever its processes ended with; start it by a script that ends with a code of its own"
            )


def _alone(name: str, job: Training) -> Iterator[str]:
    own = program(job.command)
    options = {word.partition("=")[0].lstrip("-").replace("_", "-") for word in job.command[1:] if word[:1] == "-"}
    if own in _IDLE:
        yield (
            f"{job.nodes} members of training job {name} run `{own}` on {job.nodes * job.gpus} GPUs: write the program "
            f"that trains into workloads.training.{name}.command"
        )
    elif own in _BY_SSH and not options & set(_HOSTS):
        yield (
            f"each member of training job {name} trains alone: `{own}` reaches others by ssh and a list of hosts, and "
            "pods have neither; write torchrun instead, which gives the same ranks"
        )
    elif own in _SHELLS and _launches_alone(" ".join(job.command[1:])):
        yield (
            f"each member of training job {name} trains alone: `accelerate launch` in a shell takes none of what the "
            "environment has; write it as the first words of the command, or give it --num_machines $NNODES "
            "--machine_rank $NODE_RANK --main_process_ip $MASTER_ADDR --main_process_port $MASTER_PORT --num_processes "
            "$((NNODES * NPROC_PER_NODE))"
        )


def _launches_alone(text: str) -> bool:
    given = ("num_machines", "num-machines", "config_file", "config-file")
    return ACCELERATE in text and not any(each in text for each in given)


TRAINING = (_options, _codes)
