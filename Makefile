# Every target sets up what it needs in .venv by itself; only Python 3.11 to 3.13 has to be there.
#   PYTHON=python3.12   the Python to use
#   ARGS="..."          options for the command: make chat ARGS="--data /tmp/kith"

PY = .venv/bin/python
SETUP = @PYTHON="$(PYTHON)" sh .ci/setup

.DEFAULT_GOAL := help
.PHONY: help chat test check lock clean

help:
	@echo "make chat    talk to Kith in the terminal"
	@echo "make test    run the tests"
	@echo "make check   lint, formatting, types, architecture"
	@echo "make lock    write the lock files anew from pyproject.toml (ARGS=--upgrade for newer versions)"
	@echo "make clean   remove .venv and caches"

chat:
	$(SETUP) requirements.lock
	@$(PY) -m bot chat $(ARGS)

test:
	$(SETUP) requirements-dev.lock
	@$(PY) -m pytest -n 2 --dist loadfile $(ARGS)

check:
	$(SETUP) requirements-dev.lock
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m pyright --warnings
	@$(PY) -m pytest tests/unit/test_architecture.py

COMPILE = @$(PY) -m uv pip compile pyproject.toml --quiet --universal --fork-strategy fewest --python-version 3.11 \
	--generate-hashes --no-annotate --no-header --no-emit-index-url --no-emit-find-links $(ARGS)

lock:
	$(SETUP) requirements-dev.lock
	$(COMPILE) --output-file requirements.lock
	$(COMPILE) --group dev --constraint requirements.lock --output-file requirements-dev.lock

clean:
	rm -rf .venv .pytest_cache .ruff_cache .hypothesis build *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
