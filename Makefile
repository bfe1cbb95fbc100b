# The Attention Book. `make` lists what can be done.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.PHONY: help book notebooks execute serve lab test chromium lint bench lock experiments clean

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PORT ?= 8000

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

book: $(READY) ## execute every chapter and build the book into _build/html
	@$(BIN)/python tools/build_book.py

notebooks: $(READY) ## write every chapter as a notebook for Colab and Jupyter into _build/notebooks
	@$(BIN)/python tools/make_notebooks.py

execute: notebooks ## execute all notebooks side by side, fail on anything wrong (EXECUTE="--budget 300 --memory 8")
	@$(BIN)/python tools/execute_notebooks.py $(EXECUTE)

serve: $(READY) ## serve the built book on localhost (PORT=8000)
	@$(BIN)/python tools/serve_book.py --port $(PORT)

test: chromium lint book ## run every test, in Chromium too
	@$(BIN)/python -m pytest

chromium: $(READY)
	@$(BIN)/python tools/chromium.py

lab: $(READY) ## open the chapters as notebooks in JupyterLab
	@$(BIN)/jupyter lab book

experiments: $(READY) ## do the long runs that are missing in results/experiments (EXPERIMENTS="--minutes 30")
	@$(BIN)/python -m experiments.run $(EXPERIMENTS)

lint: $(READY) ## check style and types
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy

bench: $(READY) ## measure speed beside D2L and others (BENCH=--quick for a short look)
	@$(BIN)/python -m pip install -q -r requirements-bench.txt && $(BIN)/python -m benchmarks $(BENCH)

lock: $(READY) ## pin anew what requirements.in asks for
	@tools/lock.sh $(VENV)

clean: ## remove everything that was built, the environment too
	@rm -rf $(VENV) _build .mypy_cache .pytest_cache .ruff_cache .hypothesis src/*.egg-info

$(READY): requirements.txt requirements-d2l.txt pyproject.toml tools/setup.sh
	@tools/setup.sh $(VENV)
	@touch $@
