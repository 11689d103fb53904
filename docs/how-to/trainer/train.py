"""A trainer to copy: plain PyTorch, data parallel, started by torchrun. It goes on where it was, whatever ended it.

    torchrun train.py full --data /data/tokens.bin     trains, on as many servers as the job has
    torchrun train.py bandwidth                        measures all-reduce between all GPUs
    python train.py smoke                              one GPU or none: trains, saves and loads again in a minute

What ends a process is no matter of its own: every step the ranks agree whether to save and whether to stop. The job's
environment says where and how often (`workloads.training.<name>.checkpoints`). Replace `model.py` by your own.
"""

import argparse
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import torch
import torch.distributed as dist
from checkpoint import Checkpoints
from data import Tokens
from model import Model
from torch.nn.parallel import DistributedDataParallel

STOPPED = 75
"""What a process ends with that saved because it was asked to end (EX_TEMPFAIL). 0 would count its member as done."""
_VISIBLE_SECONDS = 120
"""How long a file that rank 0 sees may be unseen on another server: NFS clients keep a folder's names for a minute."""


def arguments() -> argparse.Namespace:
    """Command line; defaults of the checkpoints are the job's environment."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("form", choices=("smoke", "bandwidth", "full"))
    known = os.environ.get
    parser.add_argument("--checkpoints", type=Path, default=Path(known("CHECKPOINT_DIR", "checkpoints")))
    parser.add_argument("--every-seconds", type=float, default=float(known("CHECKPOINT_EVERY_SECONDS", "1800")))
    parser.add_argument("--every-steps", type=int, default=int(known("CHECKPOINT_EVERY_STEPS", "0")))
    parser.add_argument("--keep", type=int, default=int(known("CHECKPOINT_KEEP", "3")))
    parser.add_argument("--steps", type=int, default=100_000, help="steps of the whole training")
    parser.add_argument("--batch", type=int, default=32, help="sequences of a step on all GPUs together")
    parser.add_argument("--data", type=Path, help="tokens, four bytes each; none: made up by the seed")
    parser.add_argument("--curve", type=Path, help="file for a line of JSON for each step, by rank 0")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=3e-4)
    for name, value in {"width": 512, "layers": 8, "heads": 8, "context": 512, "words": 4096}.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--mib", type=int, default=1024, help="largest message of the form bandwidth")
    return parser.parse_args()


class Ranks:
    """The processes of the job, and this one among them; a process without a launcher is alone."""

    def __init__(self) -> None:
        gpus = torch.cuda.is_available()
        self.rank, self.count = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
        self.device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0"))) if gpus else torch.device("cpu")
        if gpus:
            torch.cuda.set_device(self.device)
        if self.count > 1:
            dist.init_process_group("nccl" if gpus else "gloo")

    def any(self, *flags: bool) -> list[bool]:
        """By flag, whether any rank has set it. All ranks call it at the same step."""
        found = torch.tensor([int(flag) for flag in flags], device=self.device)
        if self.count > 1:
            dist.all_reduce(found, dist.ReduceOp.MAX)
        return [bool(value) for value in found.tolist()]

    def wait(self) -> None:
        """Until every rank is here."""
        if self.count > 1:
            dist.barrier()

    def of_rank_0(self, *numbers: int) -> list[int]:
        """Numbers that rank 0 has, on every rank."""
        found = torch.tensor(numbers, device=self.device)
        if self.count > 1:
            dist.broadcast(found, src=0)
        return [int(each) for each in found.tolist()]

    def mean(self, value: torch.Tensor) -> float:
        """Over all ranks."""
        value = value.detach().clone()
        if self.count > 1:
            dist.all_reduce(value)
        return float(value) / self.count


class Asked:
    """Whether this process was asked to end. The signal alone says nothing to a rank that waits for others: the next
    step tells them all."""

    def __init__(self) -> None:
        self.now = False
        signal.signal(signal.SIGTERM, self._on)

    def _on(self, *_: object) -> None:
        self.now = True


class Training:
    """Model, optimizer and step, which is all there is to save: the order of the data follows from seed and step."""

    def __init__(self, given: argparse.Namespace, ranks: Ranks) -> None:
        torch.manual_seed(given.seed)
        self.given, self.ranks, self.step = given, ranks, 0
        self.model = Model(given.words, given.width, given.layers, given.heads, given.context).to(ranks.device)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=given.rate)
        self.saved = Checkpoints(given.checkpoints)
        self._resume()
        self.tokens = Tokens(given.data, given.words, given.context, given.seed)
        self.parallel = DistributedDataParallel(self.model) if ranks.count > 1 else self.model

    def _resume(self) -> None:
        """From the newest whole checkpoint that rank 0 finds, on every rank from the same one."""
        found = self.saved.newest() if self.ranks.rank == 0 else None
        known = (found.step, *bytes.fromhex(found.digest)) if found else (-1, *bytes(32))
        step, *digest = self.ranks.of_rank_0(*known)
        if step < 0:
            return
        path = self.saved.path(step, bytes(digest).hex())
        end = time.monotonic() + _VISIBLE_SECONDS
        while not path.exists() and time.monotonic() < end:
            time.sleep(1)
        state = torch.load(path, map_location="cpu", weights_only=True)
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.step = int(state["step"])

    def save(self) -> None:
        """One file by rank 0; the others wait for it, so that none is ahead of what is saved."""
        if self.ranks.rank == 0:
            state = {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict(), "step": self.step}
            self.saved.save(self.step, lambda file: torch.save(state, file), self.given.keep)
        self.ranks.wait()

    def once(self) -> float:
        """One step. Returns the mean loss of all ranks."""
        own = self.given.batch // self.ranks.count
        first = self.step * self.given.batch + self.ranks.rank * own
        inputs, wanted = (each.to(self.ranks.device) for each in self.tokens.batch(first, own))
        gpu = self.ranks.device.type == "cuda"
        with torch.autocast("cuda", torch.bfloat16) if gpu else nullcontext():
            loss = torch.nn.functional.cross_entropy(self.parallel(inputs).flatten(0, 1), wanted.flatten())
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        self.step += 1
        return self.ranks.mean(loss)


def full(given: argparse.Namespace) -> int:
    """Train to the last step. Returns what to end with."""
    ranks = Ranks()
    if given.batch % ranks.count:
        raise SystemExit(f"--batch {given.batch} is not divisible by {ranks.count} processes")
    training, asked = Training(given, ranks), Asked()  # before there is a step, SIGTERM ends it as it ends any program
    log = given.curve.open("a") if given.curve and ranks.rank == 0 else None
    if ranks.rank == 0:
        print(json.dumps({"resumed": training.step, "ranks": ranks.count}), file=log or sys.stdout, flush=True)
    saved = time.monotonic()
    while training.step < given.steps:
        loss = training.once()
        if log:
            print(json.dumps({"step": training.step, "loss": loss}), file=log, flush=True)
        due = training.step >= given.steps or time.monotonic() - saved >= given.every_seconds
        due = due or bool(given.every_steps and training.step % given.every_steps == 0)
        # Clocks of servers differ: what any rank finds due, all save, at the same step.
        stop, save = ranks.any(asked.now, due)
        if save or stop:
            training.save()
            saved = time.monotonic()
        if stop and training.step < given.steps:
            return STOPPED
    return 0


def smoke(given: argparse.Namespace) -> int:
    """Train a little, save, load into a new model, and compare: one process is enough."""
    given.steps, given.batch, given.width, given.layers, given.context = 20, 8, 64, 2, 64
    given.rate = 3e-3
    given.checkpoints = given.checkpoints / "smoke"
    ranks = Ranks()
    if ranks.rank == 0:
        shutil.rmtree(given.checkpoints, ignore_errors=True)
    ranks.wait()
    before = Training(given, ranks)
    losses = [before.once() for _ in range(given.steps)]
    before.save()
    after = Training(given, ranks)
    pairs = zip(before.model.parameters(), after.model.parameters(), strict=True)
    well = all(torch.equal(*pair) for pair in pairs) and after.step == before.step and losses[-1] < losses[0]
    if ranks.rank == 0:
        tell = {"smoke": "ok" if well else "failed", "device": str(ranks.device), "loss": losses[-1]}
        print(json.dumps(tell), flush=True)
    return 0 if well else 1


def _sizes(mib: int) -> Iterator[int]:
    size = 1
    while size <= mib:
        yield size << 20
        size *= 4


def bandwidth(given: argparse.Namespace) -> int:
    """All-reduce between all ranks; bus bandwidth as nccl-tests define it: 2(n-1)/n of the bytes for each second."""
    ranks = Ranks()
    if ranks.count == 1:
        raise SystemExit("one process has nobody to reduce with: start it by torchrun on several GPUs")
    for size in _sizes(given.mib):
        data = torch.ones(size // 4, device=ranks.device)
        times = []
        for turn in range(8):
            ranks.wait()
            if ranks.device.type == "cuda":
                torch.cuda.synchronize()
            start = time.perf_counter()
            dist.all_reduce(data)
            if ranks.device.type == "cuda":
                torch.cuda.synchronize()
            times += [time.perf_counter() - start] if turn > 2 else []
        best = 2 * (ranks.count - 1) / ranks.count * size / min(times) / 1e9
        if ranks.rank == 0:
            print(json.dumps({"mib": size >> 20, "bus_gbytes": round(best, 3)}), flush=True)
    return 0


def main() -> int:
    """Run one form."""
    given = arguments()
    code = {"smoke": smoke, "bandwidth": bandwidth, "full": full}[given.form](given)
    if dist.is_initialized():
        dist.destroy_process_group()
    return code


if __name__ == "__main__":
    sys.exit(main())
