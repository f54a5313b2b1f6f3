# Every target sets up what it needs first (tools/setup.sh): nothing else is to be typed before it.
SHELL := /bin/bash
PYTHON := .venv/bin/python
# Nothing is fetched while models are made, tested or measured.
export HF_HUB_OFFLINE := 1

.PHONY: help oracles flow-oracles rows5 run bench bench-parser bench-check bench-import soak hidden hidden-rows fuzz test lint format kinds build setup asan wheel clean
.DEFAULT_GOAL := help

help: ## Show this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

# ROWS="bart t5" measures these only
run: build ## Models before and after mending, as a table (also in bench/out)
	@$(PYTHON) -m bench.rows $(ROWS)

# BENCH=--write puts the figures into docs/results.md too
bench: build ## The same with times of all rows under inductor
	@$(PYTHON) -m bench.bench $(BENCH)

# The other parsers are in bench/requirements.txt.
bench-parser: build ## The parser's speed and memory beside CPython's, ruff's and tree-sitter's
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check -r bench/requirements.txt
	@$(PYTHON) -m bench.parser_speed

# CHECK="PATH --rounds 1" checks other sources
bench-check: build ## What a check of transformers costs: CPU, threads, memory, cache
	@$(PYTHON) -m bench.check_speed $(CHECK)

bench-import: build ## What importing costs under the hook, beside a plain import
	@$(PYTHON) -m bench.imports

# SOAK="--cycles 200" makes fewer
soak: build ## 2,000 compile-and-reset cycles: memory, mended beside plain torch.compile
	@$(PYTHON) -m bench.soak $(SOAK)

# HIDDEN=1000 makes more
hidden: export GRAPHMEND_HIDDEN := $(or $(HIDDEN),100)
hidden: build ## Random programs whose breaks no analysis of names can find: each becomes one graph
	@$(PYTHON) -m pytest -q tests/evidence/test_hidden.py -k random

# ROWS="bart t5" measures these only; WAY=getattr hides in this way only (table, decorator, patched)
hidden-rows: build ## The models with all their code hidden: each becomes one graph through evidence alone
	@$(PYTHON) -m bench.hidden_rows $(if $(WAY),--way $(WAY)) $(ROWS)

# PYTEST= adds arguments: make test PYTEST="-k select -x" (-n0: all in one process)
test: export GRAPHMEND_BROWSER := 1
test: build ## All tests: the C++ stages, then everything seen from Python
	@.venv/bin/ctest --preset dev
	@$(PYTHON) -m pytest tests -n logical --maxprocesses 4 --dist loadfile $(PYTEST)

# Every CPython that is found, whole corpora: an hour. ORACLE="--every 20" takes a part of them
oracles: build ## Trees, scopes, cases, characters and bytes beside every CPython
	@$(PYTHON) tests/oracle/round_trip.py $(ORACLE)
	@$(PYTHON) tests/oracle/cases_oracle.py $(ORACLE)
	@$(PYTHON) tests/oracle/unicode_oracle.py $(ORACLE)
	@$(PYTHON) tests/oracle/ast_oracle.py $(ORACLE)
	@$(PYTHON) tests/oracle/scope_oracle.py $(ORACLE)
	@$(PYTHON) tests/oracle/hostile.py

# Needs a python3.11 with its tests (Debian: libpython3.11-testsuite).
flow-oracles: build ## Flow beside programs that run under tracing, and beside CPython's bytecode
	@python3.11 tests/oracle/flow_oracle.py build/dev/oracle_flow_dump
	@python3.11 tests/oracle/flow_oracle.py build/dev/oracle_flow_dump --values
	@python3.11 tests/oracle/flow_oracle.py build/dev/oracle_flow_dump --bytecode

lint: build ## Formatters, linters, types, and the project's own rules
	@tools/lint.sh

format: build ## Format all sources in place
	@tools/lint.sh --fix

kinds: build ## Write docs/kinds from the core
	@$(PYTHON) tools/write_kind_pages.py

build: ## Build the core into build/dev and python/graphmend
	@tools/setup.sh

setup:
	@tools/setup.sh --no-build

rows5: ## Set up .venv5 with the newer models
	@tools/setup.sh --rows5

asan: setup ## C++ tests under the address and undefined-behaviour sanitizers
	@tools/build.sh asan
	@.venv/bin/ctest --preset asan

# FUZZ="--seconds 600 parser" runs longer, or some targets only
fuzz: export GRAPHMEND_FUZZ := 1
fuzz: setup ## libFuzzer under the sanitizers, a minute for each target
	@$(PYTHON) tools/fuzz.py $(FUZZ)

wheel: setup ## Build the wheel into dist/, install it into an empty environment, import it
	@tools/wheel.sh

clean: ## Remove what was built (not .venv)
	rm -rf build dist bench/out python/graphmend/_core.*.so
