"""The suites that are worth running for hours: tests that take a seed, any of which must pass."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Suite:
    """Tests that `pytest` runs once for each seed.

    `seed` is the environment variable that carries it; empty: Hypothesis draws by it. `words` select the tests, `env`
    holds further variables. A run comes to `cases` of what the suite counts.
    """

    what: str
    words: tuple[str, ...]
    seed: str = ""
    cases: int = 1
    unit: str = "runs"
    env: Mapping[str, str] = field(default_factory=dict)


SUITES: dict[str, Suite] = {
    "gap": Suite(
        "between two lossless configurations of a switch nothing lossless is lossy after any line (150 pairs a run)",
        ("tests/providers/nxos/test_gap.py::test_nothing_lossless_at_both_ends_is_lossy_in_between",),
        cases=150,
        unit="pairs",
    ),
    "properties": Suite(
        "every property test with examples of its own drawn anew",
        ("-m", "hypothesis", "tests/model", "tests/design", "tests/providers", "tests/lab"),
    ),
    "cabling": Suite(
        "swapped cables are named, all of them and no other (50 racks a run)",
        (
            "tests/providers/status/test_neighbors.py::test_the_labs_switches_agree_with_the_plan_and_show_every_random_swap",
        ),
        "PODWRIGHT_SWAPS_SEED",
        cases=50,
        unit="racks",
    ),
    "files": Suite(
        "a broken stack file ends in problems with hints (240 files a run)",
        ("tests/model/test_fuzz.py::test_a_broken_file_ends_in_problems_with_hints",),
        "PODWRIGHT_FILES_SEED",
        cases=240,
        unit="files",
    ),
    "transcripts": Suite(
        "what switches print is read whole and nothing is typed unasked: splits, delays, colours, banners (200 a run)",
        (
            "tests/providers/nxos/test_transcript.py::test_every_answer_is_read_whole_and_nothing_else_is_typed",
            "tests/providers/nxos/test_conversation.py",
        ),
        "PODWRIGHT_TRANSCRIPTS_SEED",
        cases=200,
        unit="answers",
    ),
    "writers": Suite(
        "two stacks write to one switch at once: at most one gets it, and no ok that is not on it (6 races a run)",
        ("tests/providers/nxos/test_two_writers.py",),
        "PODWRIGHT_WRITERS_SEED",
        cases=6,
        unit="races",
    ),
    "writers-slow": Suite(
        "the same with lags of up to ten seconds, as long as a push to a switch takes (6 races a run)",
        ("tests/providers/nxos/test_two_writers.py",),
        "PODWRIGHT_WRITERS_SEED",
        cases=6,
        unit="races",
        env={"PODWRIGHT_WRITERS_LAG": "10"},
    ),
    "hostile": Suite(
        "every client against a server that means harm: it ends in time, within 200 MB, and no secret leaves",
        ("tests/providers/test_hostile.py",),
        "PODWRIGHT_HOSTILE_SEED",
        cases=100,
        unit="meetings",
    ),
    "kills": Suite(
        "whatever is killed whenever, two commands later everything stands once",
        ("-m", "rough", "tests/e2e/test_kills.py"),
        "PODWRIGHT_KILLS_SEED",
    ),
    "engine": Suite(
        "a fabric's engine is killed at any moment: the stack loads, one command goes on (20 kills a run)",
        ("-m", "rough", "tests/e2e/test_engine_kills.py"),
        "PODWRIGHT_ENGINE_KILLS_SEED",
        cases=20,
        unit="kills",
    ),
    "bare": Suite(
        "nodes are deleted, machines replaced under pods that tolerate no taint: none is bound (10 of each a run)",
        ("-m", "rough", "tests/providers/openshift/test_bare_nodes.py"),
        "PODWRIGHT_BARE_SEED",
        cases=20,
        unit="nodes",
        env={"PODWRIGHT_BARE_TURNS": "10"},
    ),
    "quarantine": Suite(
        "taints that others put on any node, and change, outlive every `up --refresh` (10 updates a run)",
        ("-m", "rough", "tests/e2e/test_rebuild.py::test_taints_of_others_outlive_updates"),
        "PODWRIGHT_QUARANTINE_SEED",
        cases=10,
        unit="updates",
        env={"PODWRIGHT_QUARANTINE_UPDATES": "10"},
    ),
    "at-once": Suite(
        "drivers, configuration, functions of 32 GPU nodes by one `up`: within the budget, a service keeps an endpoint",
        ("-m", "soak", "tests/e2e/test_at_once.py"),
        env={"PODWRIGHT_AT_ONCE_NODES": "32"},
    ),
    "whole-site": Suite(
        "32 GPU nodes with all that teams are given, by one `up`: queues, tenants, gangs, keys, a canary; and it goes",
        ("-m", "soak", "tests/e2e/test_whole_site.py"),
        env={"PODWRIGHT_WHOLE_NODES": "32"},
    ),
    "mesh": Suite(
        "a site with a team in the service mesh: it comes, nothing differs, the mesh goes again, and all of it",
        ("-m", "soak", "tests/e2e/test_mesh.py"),
    ),
    "host-networks": Suite(
        "a site whose nodes are brought VLANs and a storage bond by `up`: added, rolled back, mended, taken away",
        ("-m", "soak", "tests/e2e/test_host_networks.py"),
    ),
    "queues": Suite(
        "a site with two gangs that do not fit beside each other: the second waits, starts, and all of it goes",
        ("-m", "soak", "tests/e2e/test_queues.py"),
    ),
    "queue-sets": Suite(
        "pools, teams, gangs and lost nodes by lot on the real Kueue: what is owed comes within a minute (40 events)",
        ("-m", "rough", "tests/queue_sets/test_sets.py"),
        "PODWRIGHT_QUEUE_SETS_SEED",
        cases=40,
        unit="events",
        env={"PODWRIGHT_QUEUE_SETS_EVENTS": "40"},
    ),
    "small-sets": Suite(
        "the same on one cluster, each with another set of pools, teams, jobs and a lost node (25 sets a run)",
        ("-m", "rough", "tests/queue_sets/test_sets.py"),
        "PODWRIGHT_QUEUE_SETS_SEED",
        cases=25,
        unit="sets",
        env={"PODWRIGHT_QUEUE_SETS_EVENTS": "3", "PODWRIGHT_QUEUE_SETS_SETS": "25"},
    ),
    "power-cuts": Suite(
        "servers of every role lose their power by lot: gangs are whole again, a service keeps serving (10 cuts a run)",
        ("-m", "soak", "tests/power_cuts/test_cuts.py"),
        "PODWRIGHT_POWER_CUTS_SEED",
        cases=10,
        unit="cuts",
        env={"PODWRIGHT_POWER_CUTS_COUNT": "10", "PODWRIGHT_POWER_CUTS_FIGURES": ".run/soak/power-cuts.jsonl"},
    ),
    "data-science": Suite(
        "a site with OpenShift AI: its operator, components and sizes come, nothing differs, and all of it goes",
        ("-m", "soak", "tests/e2e/test_data_science.py"),
    ),
    "lost-nodes": Suite(
        "a site whose lost nodes are given up: operators and checks come, nothing differs, and all of it goes",
        ("-m", "soak", "tests/e2e/test_lost_nodes.py"),
    ),
    "inventory": Suite(
        "a site whose every name and count was drawn comes up and goes away",
        (
            "-m",
            "rough",
            "tests/e2e/test_second_inventory.py::test_a_site_named_by_lot_comes_up_and_goes_away",
        ),
        "PODWRIGHT_TEST_SEED",
    ),
    "inventories": Suite(
        "servers by lot, 1 to 64 of all models, come up, are left alone and go; what is others' stays as it was",
        ("-m", "rough", "tests/e2e/test_inventories.py"),
        "PODWRIGHT_INVENTORIES_SEED",
    ),
    "platform": Suite(
        "stack files by lot: every object is served, every pod finds room, all sums agree (20 platforms a run)",
        ("-m", "rough or not rough", "tests/platforms/test_platforms.py"),
        "PODWRIGHT_PLATFORMS_SEED",
        cases=20,
        unit="platforms",
    ),
    "scaling": Suite(
        "a service of the lab scales by what waits, by the real KEDA, and no preview or update undoes it",
        ("-m", "soak", "tests/lab/openshift/test_scaling.py"),
    ),
    "kserve": Suite(
        "services that the real KServe runs on the lab: their pods are ours, nothing is lost, and nothing differs then",
        ("-m", "soak", "tests/lab/openshift/test_kserve.py", "tests/e2e/test_kserve.py"),
    ),
    "gateway": Suite(
        "requests of a service of the lab go where nothing waits, by the real endpoint picker, and none is lost",
        ("-m", "soak", "tests/lab/openshift/test_gateway.py"),
    ),
    "trainer": Suite(
        "the reference trainer by real PyTorch: processes, pods and writers are killed, and the loss goes on (4 a run)",
        ("-m", "soak", "tests/trainer/test_trains.py", "tests/trainer/test_meets.py"),
        "PODWRIGHT_TRAINER_SEED",
        cases=4,
        unit="kills",
    ),
    "scheduled": Suite(
        "stack files by lot: the real scheduler finds a node for every pod (20 platforms a run)",
        ("-m", "rough", "tests/platforms/test_scheduled.py"),
        "PODWRIGHT_SCHEDULED_SEED",
        cases=20,
        unit="platforms",
    ),
    "policy-pairs": Suite(
        "network policies by lot: two evaluators agree on every pair of ends (2560 pairs a run)",
        ("tests/lab/openshift/test_policy_pairs.py",),
        cases=2560,
        unit="pairs",
    ),
    "pending": Suite(
        "stack files by lot, some of too much: what `check` accepts is scheduled, nothing else (15 files a run)",
        ("-m", "rough", "tests/platforms/test_foretold.py"),
        "PODWRIGHT_PENDING_SEED",
        cases=15,
        unit="files",
    ),
    "pods": Suite(
        "pods by lot: none that the policy pack lets pass is put on a training node unlawfully (5000 a run)",
        ("-m", "rough or not rough", "tests/training_pools/test_drawn.py"),
        "PODWRIGHT_PODS_SEED",
        cases=5000,
        unit="pods",
    ),
    "pods-bound": Suite(
        "pods by lot on the real scheduler and controllers: none unlawfully on a training node (400 a run)",
        ("-m", "rough", "tests/training_pools/test_scheduled.py"),
        "PODWRIGHT_PODS_SEED",
        cases=400,
        unit="pods",
    ),
    "intersight-forms": Suite(
        "answers of Intersight that say the same in other forms are no change, and cost no write (30 forms a run)",
        ("-m", "rough or not rough", "tests/providers/intersight/test_other_forms.py"),
        "PODWRIGHT_FORMS_SEED",
        cases=30,
        unit="forms",
    ),
    "harmless": Suite(
        "mutants of the compute plan that are listed as harmless: servers deploy, boot and look the same (6 a run)",
        ("-m", "rough", "tests/providers/intersight/test_harmless_mutants.py"),
        "PODWRIGHT_HARMLESS_SEED",
        cases=6,
        unit="mutants",
    ),
    "intersight-faults": Suite(
        "something goes wrong at any request of an `up` of servers: done or in sentences, then done (18 faults a run)",
        ("-m", "rough", "tests/providers/intersight/test_faults_of_an_up.py"),
        "PODWRIGHT_INTERSIGHT_FAULTS_SEED",
        cases=18,
        unit="faults",
    ),
    "variants": Suite(
        "switches are written, read and given back in every combination of the lab's variants",
        ("-m", "rough or not rough", "tests/providers/nxos"),
        "PODWRIGHT_VARIANTS_SEED",
    ),
    "lint": Suite(
        "of mutants of routing, overlay, vPC, bundles and addresses that the lab sees, the lint names 95 %",
        ("-m", "rough", "tests/policies/test_mutants.py"),
        "PODWRIGHT_LINT_SEED",
    ),
    "conditions": Suite(
        "of mutants of the conditions of the policy pack's rules a case notices nearly all, and every excuse is needed",
        ("-m", "soak", "tests/policies/test_rule_mutants.py", "tests/admission_rules/test_mutants.py"),
        "PODWRIGHT_RULE_MUTANTS_SEED",
    ),
    "pairs": Suite(
        "a switch is configured, changed, edited and given back; sixteen seeds have all pairs of the lab's forms",
        ("tests/providers/nxos/test_life.py", "tests/providers/nxos/test_switch.py"),
        "PODWRIGHT_VARIANTS_SEED",
    ),
    "clusters": Suite(
        "clusters of the kinds that users have: no finding in a preview, three of them come up (a third a run)",
        ("-m", "rough", "tests/e2e/test_clusters.py"),
        "PODWRIGHT_CLUSTERS_SEED",
    ),
    "claims": Suite(
        "a claim of docs/coverage.md, broken in the code, is noticed by its test (a sixth of the claims a run)",
        ("-m", "rough", "tests/coverage/test_coverage.py"),
        "PODWRIGHT_CLAIMS_SEED",
    ),
    "coverage": Suite(
        "a claim of docs/coverage.md that only a cluster or a site proves: broken, its test fails (one claim a run)",
        ("-m", "rough", "tests/coverage/test_on_a_site.py"),
        "PODWRIGHT_COVERAGE_SEED",
    ),
}
