# The verbs of podwright. `make help` is made from the ## comments.

# The first Python on PATH that is new enough; none: the set-up says so.
PYTHON ?= $(or $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done),python3)
STACK ?= prod
VERB ?= status
TESTS ?= tests
# Many tests wait for a cluster or a switch: one worker more than there are processors keeps these busy.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(min((os.cpu_count() or 1) + 1, 8))')
TOOLCHAIN = $(PYTHON) -m toolchain
IN = $(TOOLCHAIN) run --demo --

# A shell in which Python writes no bytecode would have every worker and program compile everything anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup check demo preview lab test rough soak bench docs goldens

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## make everything ready: Python packages, Pulumi and plugins, the lab's programs (cold: about 30 minutes)
	@$(TOOLCHAIN) setup

check: ## validate every stack file offline: each problem with line and caret, then a summary
	@$(TOOLCHAIN) setup check
	@.venv/bin/podwright check $(sort $(wildcard Pulumi.*.yaml))

demo: ## set up, check, start the lab, `pulumi up` with the policy pack, show what came up
	@$(PYTHON) tools/demo.py

preview: ## plan STACK=prod with the policy pack; connects to no device, needs no secret
	@$(TOOLCHAIN) setup preview
	@.venv/bin/python tools/preview.py $(STACK)

lab: ## VERB=up|down|status|logs: the lab on its own
	@$(TOOLCHAIN) setup lab
	@$(IN) .venv/bin/python -m podwright.lab $(VERB)

test: ## set up, ruff, mypy --strict, pytest (TESTS=tests/toolchain for a part, CHANGED=1: what can notice your change)
	@$(TOOLCHAIN) setup
	@.venv/bin/ruff check .
	@.venv/bin/mypy
	@$(IN) .venv/bin/python -m pytest -n $(WORKERS) --dist loadscope --no-loadscope-reorder \
		$(if $(CHANGED),$$(.venv/bin/python -m tools.affected),$(TESTS))

rough: ## drills: whole sites drifted, cut off, killed, destroyed; clusters under faults; mutants; by the commit a sixth of them (ALL=1: all)
	@$(TOOLCHAIN) setup
	@$(IN) .venv/bin/python -m pytest -n $(WORKERS) --dist loadscope --no-loadscope-reorder -m rough \
		$(if $(ALL),,--drawn) $(TESTS)

soak: ## SUITE= SEED= SECONDS= COUNT= JOBS=: one test with seed after seed, for hours; goes on where it stopped
	@$(TOOLCHAIN) setup
	@$(IN) .venv/bin/python -m tools.soak $(SUITE) $(if $(SEED),--seed $(SEED)) $(if $(SECONDS),--seconds $(SECONDS)) \
		$(if $(COUNT),--count $(COUNT)) $(if $(JOBS),--jobs $(JOBS))

bench: ## speed and memory as ratios measured in one run
	@$(TOOLCHAIN) setup
	@$(IN) .venv/bin/python -m tests.benchmarks
	@$(IN) .venv/bin/python -m tests.benchmarks.preview
	@$(IN) .venv/bin/python -m tests.benchmarks.status 64
	@$(IN) .venv/bin/python -m tests.benchmarks.intersight 64 200
	@$(IN) .venv/bin/python -m tests.benchmarks.ansible 64 200 --model UCSC-C225-M8N

docs: ## renew docs/reference, then build the site of all pages into .run/site (two minutes)
	@$(TOOLCHAIN) setup python
	@.venv/bin/python -m tools.docs && .venv/bin/python -m tools.schema && .venv/bin/python -m tools.rooms && .venv/bin/python -m tools.field_page && .venv/bin/python -m tools.mutants
	@.venv/bin/python -m mkdocs build --strict
	@echo "the site: .run/site/index.html"

goldens: ## renew the device texts and plans of tests/examples
	@$(TOOLCHAIN) setup python
	@.venv/bin/python -m tools.goldens
