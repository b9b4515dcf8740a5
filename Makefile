# Each target is one command; `make` lists them.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
BIN := $(VENV)/bin
OUT ?= demo
WORKERS ?= 2

.PHONY: help demo test test-statistical test-cluster check lint types imports bench-smoke format lock wheel clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1\t\2/' | expand -t 20

$(VENV)/.installed: requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "judgeprobe needs Python 3.11 or newer; name one: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

demo: $(VENV)/.installed ## set everything up and run the main job (OUT=demo)
	$(BIN)/judgeprobe demo --out $(OUT)

test: $(VENV)/.installed ## set everything up and run the tests
	$(BIN)/python -m pytest -n $(WORKERS)

test-statistical: $(VENV)/.installed ## simulations of coverage and error rates (slow)
	$(BIN)/python -m pytest -n $(WORKERS) -m statistical --timeout 3600

test-cluster: $(VENV)/.installed ## the sweep on a local Ray cluster (installs the extra ray)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --editable '.[ray]'
	$(BIN)/python -m pytest tests/sweep/test_ray.py

check: lint types imports bench-smoke ## lint, types, import rule, benchmarks' smoke mode

lint: $(VENV)/.installed ## ruff: format and rules
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/ruff check src tests benchmarks

types: $(VENV)/.installed ## mypy, strict
	$(BIN)/mypy

imports: $(VENV)/.installed ## import-linter contracts
	$(BIN)/lint-imports

bench-smoke: $(VENV)/.installed ## every benchmark once, at its smallest size
	@set -e; for bench in benchmarks/*.py; do echo "== $$bench --smoke"; $(BIN)/python $$bench --smoke; done

format: $(VENV)/.installed ## rewrite the code as ruff formats it
	$(BIN)/ruff format src tests benchmarks
	$(BIN)/ruff check --fix src tests benchmarks

lock: ## write requirements.lock anew from pyproject.toml (needs uv)
	uv pip compile pyproject.toml --extra local --extra test --generate-hashes --universal \
	  --python-version 3.11 --no-emit-index-url --custom-compile-command "make lock" -q -o requirements.lock

wheel: $(VENV)/.installed ## build the wheel into dist/
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

clean: ## remove what the targets made
	rm -rf $(VENV) $(OUT) dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
