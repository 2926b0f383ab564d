# Needs Python 3.11 or newer, git and make. Everything else is installed into .venv, which `make clean` removes.

VENV   ?= .venv
BIN    := $(VENV)/bin
JOBS   ?= 2
ARGS   ?=
QUICK  ?=

# A version manager may leave commands on PATH that only print an error, so each candidate is run before it is chosen.
SUITABLE := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for python in python3.13 python3.12 python3.11 python3 python3.14 python; do \
	if $$python -c '$(SUITABLE)' >/dev/null 2>&1; then echo $$python; break; fi; done)

define HELP
make demo     agents that share files and race for issues, two killed, and what the log says about it
make test     everything the tests need, then all tests        (ARGS="-k lease" JOBS=4)
make check    format, lint, types, layers, tidy and fast tests, under a minute
make bench    speed in ratios, written to bench/report.json    (QUICK=1 for under a minute)
make docs     reference pages from the source
make mutants  small deliberate bugs, and the test that kills each
make clients  the real agent clients at one file (JIT_CLIENTS_DIR, JIT_AGENT_HARNESS: see tests/clients)
make clean    remove .venv and everything that was built
endef

.PHONY: help demo test check bench docs mutants clients clean
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

help:
	$(info $(HELP))
	@:

# An editable install compiles nothing by itself, and PYTHONDONTWRITEBYTECODE would make every start pay for it.
COMPILE := $(BIN)/python -m compileall -q src/jit

demo: $(VENV)/.runtime
	@$(BIN)/jit demo $(ARGS)

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup $(ARGS)

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup -m "unit or tidy" $(ARGS)

bench: $(VENV)/.runtime
	@$(COMPILE)
	$(BIN)/python bench/main.py $(if $(QUICK),--quick) $(ARGS)

docs: $(VENV)/.runtime
	$(BIN)/python docs/generate.py $(ARGS)

mutants: $(VENV)/.dev
	$(BIN)/python tests/mutants/run.py $(ARGS)

clients: $(VENV)/.dev
	$(BIN)/python -m pytest -m clients tests/clients $(ARGS)

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src tests bench docs -type d -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

# ------------------------------------------------------------------------------------------------ the environment

define NO_PYTHON
jit needs Python 3.11 or newer, and $(if $(CHOSEN),$(CHOSEN) is not one,none was found on PATH).
Install one (Debian, Ubuntu: sudo apt-get install python3 python3-venv; macOS: brew install python),
or name one: make $(MAKECMDGOALS) PYTHON=/path/to/python3
endef

define NO_VENV
$(CHOSEN) cannot create virtual environments; its own words are above.
Debian, Ubuntu: sudo apt-get install python3-venv
Then: make $(MAKECMDGOALS)
endef
export NO_PYTHON NO_VENV

$(VENV)/.created:
	$(eval CHOSEN := $(PYTHON))
	@test -n "$(CHOSEN)" && $(CHOSEN) -c '$(SUITABLE)' || { echo "$$NO_PYTHON" >&2; exit 1; }
	@echo "creating $(VENV) with $(CHOSEN)"
	@$(CHOSEN) -m venv --clear $(VENV) || { rm -rf $(VENV); echo "$$NO_VENV" >&2; exit 1; }
	@$(BIN)/python -c '$(NEW_PIP)' || $(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	@$(BIN)/python -m pip uninstall --quiet --yes setuptools 2>/dev/null || true
	@touch $@

# Dependency groups need pip 25.1; older ones also write a script that imports `re` first, 4 ms at every start. The
# environment's own setuptools, which nothing here uses, costs another 2 ms at every start.
NEW_PIP := import sys, pip; sys.exit(tuple(map(int, pip.__version__.split(".")[:2])) < (25, 1))
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .

$(VENV)/.runtime: $(VENV)/.created pyproject.toml
	$(INSTALL)
	@$(COMPILE)
	@touch $@

$(VENV)/.dev: $(VENV)/.created pyproject.toml
	$(INSTALL) --group dev
	@$(COMPILE)
	@touch $(VENV)/.runtime $@
