"""What is defined about queues of training jobs."""

from typing import Annotated

from pydantic import Field

from podwright.components.model.types import Name, Spec

Gpus = Annotated[int, Field(ge=0, le=100_000)]
Slices = Annotated[int, Field(ge=1, le=1_000_000)]
Weight = Annotated[int, Field(ge=1, le=1000)]


class TeamQueue(Spec):
    """One team's part of the pools whose jobs wait."""

    nominal: dict[Name, Gpus] = {}
    """GPUs of the team's queue by pool: {training: 24, tuning: 8}; on a pool that is not named here its jobs never
    start. Empty, where one pool alone has queues: the team's `gpus` but for whole ones that its inference services
    take; nothing of a pool with MIG."""
    slices: dict[Name, dict[str, Slices]] = {}
    """MIG slices of the team's queue by pool and profile: {tuning: {1g.18gb: 56}}. They are for Jobs that the team
    makes itself with the label of the queue, and nobody borrows them. Of a pool with `mig` or `mig_gpus` it has the
    profiles that are named here alone, and of the GPUs that stay whole those of `nominal`."""
    borrow: dict[Name, Gpus] = {}
    """GPUs that the team may take beyond its own while others leave them idle, by pool: {training: 8}; 0: none. A pool
    that is not named here: as many as others lend."""
    lend: dict[Name, Gpus] = {}
    """GPUs of its own that others may take while it leaves them idle, by pool: {training: 16}; the rest is kept free
    for it. A pool that is not named here: all of them."""
    weight: Weight | None = None
    """Its part of what others leave idle, with `fair_sharing`: a team of weight 2 gets twice as much as one of 1. None:
    1."""


class Queues(Spec):
    """Training jobs of these pools wait in queues, one for each team: a job starts with all of its servers, or not yet.

    By the Red Hat build of Kueue. The sum of all queues is at most what a pool has.
    """

    pool: Name | None = None
    """The one pool whose jobs wait, of purpose training. Jobs on other pools wait in no queue."""
    pools: tuple[Name, ...] = ()
    """Several such pools, in place of `pool`: [training, tuning]. A team has one queue with a quota of each."""
    teams: dict[Name, TeamQueue] = {}
    """What teams have of each pool: {research: {nominal: {training: 24, tuning: 8}, lend: {training: 16}}}. Empty,
    where one pool alone has queues: each has its `gpus` but for whole ones that its inference services take."""
    borrow: bool = False
    """A team's jobs may take GPUs that the queues of others leave idle. Their owner takes them back: a job that
    borrowed is stopped with all of its members, and waits again. The namespaces' quotas of GPUs rise with it."""
    fair_sharing: bool = False
    """What is left idle is shared out by the `weight` of teams. The team that borrows least for its weight comes first,
    and where another one borrows more than its part, jobs of that one are stopped for it. Off: who asks first takes
    all."""
    enforce: bool = False
    """In teams' namespaces the API server refuses what would take GPUs of these pools beside the queues. That is a Job
    that names no queue, one that is not suspended when it is made, which Kueue's webhook sees to, and pods that no Job
    made; while that webhook is away, it is refused all the same. What runs already goes on. Off: the policy pack alone
    checks it, of what the stack defines."""
    evict_unready: bool = False
    """A job whose members are not all ready five minutes after it was admitted is stopped and waits again; the time is
    Kueue's operator's. An image that takes longer to pull needs it off."""
    cert_manager: bool = True
    """cert-manager, which Kueue's operator takes its certificates from, is installed too. Off: the site has one."""

    @property
    def names(self) -> tuple[str, ...]:
        """The pools whose jobs wait, as the file has them."""
        return self.pools or ((self.pool,) if self.pool is not None else ())
