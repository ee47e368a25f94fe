# Every target sets up what it needs in .venv; `make demo` and `make test` are all that a new user has to know.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-builtin-rules

BIN := .venv/bin
STAMP := .venv/.installed
CODE := src tests benchmarks scripts
# The first of these that runs and has a fitting version; `make PYTHON=/path/to/python …` chooses another.
PYTHON ?=
PYTHONS := $(if $(PYTHON),$(PYTHON),python3.13 python3.12 python3.11 python3 python)
# A study also makes those of the same rows, so that only the first of them has to be run.
NAMES := import json, sys; print(*(each["name"] for each in json.load(sys.stdin) if each["name"].startswith(tuple(sys.argv[1:]) or "") and not any(other < each["name"] for other in each["also"])))
FITS := import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))

.PHONY: help install demo test test-no-java check format docs studies bench pins upgrade clean

help: ## Show this list.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s%s\n", $$1, $$2 }' Makefile

install: $(STAMP) ## Install the product with everything for development in .venv.

demo: $(STAMP) ## A hurricane makes landfall: the whole system on this machine, under two minutes.
	@$(BIN)/distributary demo

test: $(STAMP) ## Run all tests; `make test ARGS="-k merge"` passes words on to pytest.
	@$(BIN)/python -m pytest $(ARGS)

test-no-java: $(STAMP) ## Run the Spark path as on a machine without Java.
	@$(BIN)/python -m pytest -m no_java tests/e2e

check: $(STAMP) ## Format, lint, types, import contracts, documentation.
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/ruff check $(CODE)
	$(BIN)/mypy
	$(BIN)/lint-imports
	@$(MAKE) --no-print-directory docs

docs: $(STAMP) ## Doctests, and the links and files that the documents name.
	$(BIN)/python -m pytest -q -m "not slow" src tests/docs

format: $(STAMP) ## Put all code in its format and mend what ruff can mend.
	$(BIN)/ruff check --fix $(CODE)
	$(BIN)/ruff format $(CODE)

studies: $(STAMP) ## Run the studies of the papers' figures; `make studies STUDIES=merging ARGS="--samples 50"` in short.
	@mkdir -p artifacts/studies
	@for study in $$($(BIN)/distributary experiment list --json | $(BIN)/python -c '$(NAMES)' $(STUDIES)); do \
	    $(BIN)/distributary experiment run "$$study" --out "artifacts/studies/$${study//\//-}" --overwrite $(ARGS); \
	done

bench: $(STAMP) ## Run the benchmarks; results go to artifacts/.
	@$(BIN)/python -m benchmarks.run $(ARGS)

pins: $(STAMP) ## Write constraints.txt anew after a change of dependencies.
	@$(BIN)/python scripts/pin.py

upgrade: $(STAMP) ## Write constraints.txt with the newest versions that fit.
	@$(BIN)/python scripts/pin.py --upgrade

clean: ## Remove everything that can be made again.
	rm -rf .venv build dist artifacts spark-warehouse metastore_db derby.log
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src tests benchmarks scripts -name __pycache__ -type d -prune -exec rm -rf {} +

# PIP_CONSTRAINT, unlike `-c`, also holds for what builds packages from source.
$(STAMP): pyproject.toml constraints.txt
	@python=; \
	for candidate in $(PYTHONS); do \
	    if "$$candidate" -c '$(FITS)' >/dev/null 2>&1; then python=$$candidate; break; fi; \
	done; \
	if [ -z "$$python" ]; then \
	    echo "make: no Python from 3.11 to 3.13 among: $(PYTHONS); name one with make PYTHON=…" >&2; exit 2; \
	fi; \
	if ! "$$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then \
	    echo "make: $$python cannot make virtual environments; on Debian and Ubuntu: apt install python3-venv" >&2; exit 2; \
	fi; \
	if ! { $(BIN)/python -c '$(FITS)' && $(BIN)/python -m pip --version; } >/dev/null 2>&1; then \
	    echo "Making .venv with $$("$$python" --version)" >&2; \
	    "$$python" -m venv --clear .venv; \
	fi; \
	echo "Installing into .venv; the first time takes a few minutes" >&2; \
	PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@
