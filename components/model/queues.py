"""What is defined about queues of training jobs."""

from podwright.components.model.types import Name, Spec


class Queues(Spec):
    """Training jobs of one pool wait in queues, one for each team: a job starts with all of its servers, or not yet.

    By the Red Hat build of Kueue. A queue has the team's `gpus` but for whole ones that its inference services take;
    the sum of all queues is at most what the pool has.
    """

    pool: Name
    """A pool of purpose training, whose GPUs are whole. Jobs on other pools wait in no queue."""
    borrow: bool = False
    """A team's jobs may take GPUs that the queues of others leave idle. Their owner takes them back: a job that
    borrowed is stopped with all of its members, and waits again. The namespaces' quotas of GPUs rise with it."""
    evict_unready: bool = False
    """A job whose members are not all ready five minutes after it was admitted is stopped and waits again; the time is
    Kueue's operator's. An image that takes longer to pull needs it off."""
    cert_manager: bool = True
    """cert-manager, which Kueue's operator takes its certificates from, is installed too. Off: the site has one."""
