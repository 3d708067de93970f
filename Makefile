# Everything a newcomer needs: make demo, make test. Both build a virtual environment first (Debian; Python 3.11 or later).

# make test PYTHON=python3.13 takes another interpreter, with an environment of its own.
PYTHON ?= python3
# pyenv's own commands refuse a version that is not chosen; its interpreters are found behind them.
INTERPRETER := $(shell for candidate in $(PYTHON) $${PYENV_ROOT:-$$HOME/.pyenv}/versions/*/bin/$(PYTHON); do \
	$$candidate -c '' 2>/dev/null && echo $$candidate && break; done)
VERSION := $(if $(INTERPRETER),$(shell $(INTERPRETER) -c 'import sys; print("%d.%d" % sys.version_info[:2])'))
VENV := $(if $(filter python3,$(PYTHON)),.venv,.venv-$(VERSION))
BIN := $(VENV)/bin
# Python compiles what is imported when it is first imported; pip would compile all that there is, one by one.
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt
TORCH := $(shell sed -n 's/^torch==//p' constraints.txt)
DEMO := demo

# What a fresh machine misses is fetched side by side.
MAKEFLAGS += --jobs=2

.PHONY: demo docs test test-slow test-browsergym test-text test-jaxued test-learners wheel bench lint browser driver egl clean

# Learners are tested where pip finds a build of torch for CPUs: the others bring gigabytes of CUDA's libraries.
$(VENV)/installed: setup.cfg pyproject.toml constraints.txt
	$(if $(VERSION),,$(error PYTHON=$(PYTHON) starts no interpreter here; install it, or name another: PYTHON=python3.12))
	$(INTERPRETER) -m venv $(VENV)
	@if $(INSTALL) --dry-run --no-deps 'torch==$(TORCH)+cpu' 2>/dev/null; then extras=dev,baselines; \
	else extras=dev; echo "Python $(VERSION): pip finds no CPU build of torch; all but the learners is installed"; fi; \
	echo "installing with the extras $$extras"; $(INSTALL) --editable ".[$$extras]" && touch $@ && \
	if [ $$extras = dev,baselines ]; then touch $(VENV)/learners; fi

# Training takes whichever build of torch pip finds.
$(VENV)/learners: $(VENV)/installed
	$(INSTALL) --editable '.[dev,baselines]'
	touch $@

# A person's first minutes: train the same student under two teachers, five runs each, evaluate both, submit (which plays the
# policies again), look.
DEMO_RUNS := $(DEMO)/runs/grid-world-target-b
DEMO_ADDRESS = file://$(abspath $(DEMO))
demo: $(VENV)/learners
	rm -rf $(DEMO)
	$(BIN)/procgen-bench sweep examples/demo.toml --workers 2 --out $(DEMO)/runs
	$(BIN)/procgen-bench evaluate grid-world/target-b --policy random -o $(DEMO)/random
	$(BIN)/procgen-bench submit $(DEMO)/random --board $(DEMO)/board
	for teacher in uniform demonstrations; do \
	$(BIN)/procgen-bench evaluate grid-world/target-b \
		$$(printf -- '--policy %s ' $(DEMO_RUNS)/ppo-*$$teacher-*/*/seed-*/policy) \
		--method "ppo under $$teacher" -o $(DEMO)/$$teacher && \
	$(BIN)/procgen-bench submit $(DEMO)/$$teacher --board $(DEMO)/board || exit 1; done
	$(BIN)/procgen-bench leaderboard --board $(DEMO)/board --html $(DEMO)/site
	$(BIN)/procgen-bench render $(DEMO)/demonstrations --out $(DEMO)/policy.gif
	@echo
	@echo "the page:         $(DEMO_ADDRESS)/site/index.html"
	@echo "learning curves:  $(DEMO_ADDRESS)/runs/curves.png"
	@echo "key, door, goal:  $(DEMO_ADDRESS)/policy.gif"
	@echo "next, another teacher: $(BIN)/procgen-bench train ppo grid-world/target-b --teacher ladder --target-share 0.25"
	@echo; $(BIN)/procgen-bench leaderboard grid-world/target-b --board $(DEMO)/board --in-words

# A wheel that compiles nothing at its first use on processors of the level x86-64-v3. One that is built without this target
# works as well, and compiles.
wheel: export PYTHONDONTWRITEBYTECODE :=
wheel: export NUMBA_CPU_NAME := x86-64-v3
wheel: export NUMBA_CPU_FEATURES :=
wheel: export NUMBA_CACHE_DIR :=
wheel: $(VENV)/learners
	$(BIN)/procgen-bench compile --workers 2
	$(BIN)/python -m procgen_bench.core.shipped_kernels
	$(BIN)/python -m build --wheel

# The tests start hundreds of processes: those keep what they compile, whatever the shell says. What many of them need is
# compiled beforehand, so that the two that run them do not both compile it. Each of these begins with one half of the files, so
# that what a file sets up is mostly set up once.
test test-slow: export PYTHONDONTWRITEBYTECODE :=
test: $(VENV)/installed browser egl
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/procgen-bench compile --workers 2
	$(BIN)/pytest -n 2 --dist worksteal

test-slow: $(VENV)/installed browser egl
	$(BIN)/procgen-bench compile --workers 2
	$(BIN)/pytest -n 2 --dist worksteal -m slow

# BrowserGym's own loop on our sites. It needs an older Playwright than the tests, so it has an environment of its own.
BROWSERGYM := .venv-browsergym
$(BROWSERGYM)/installed: setup.cfg
	$(INTERPRETER) -m venv $(BROWSERGYM)
	$(BROWSERGYM)/bin/pip install --quiet --disable-pip-version-check --no-compile --editable '.[browsergym]' pytest hypothesis
	touch $@

test-browsergym: $(BROWSERGYM)/installed browser
	$(BROWSERGYM)/bin/pytest -m slow tests/envs/web/test_browsergym.py

# The doors for language models. OpenEnv needs older packages than the tests; and fastmcp, which it brings, does not load from
# 4.2 on beside the mcp that verifiers needs.
TEXT := .venv-text
$(TEXT)/installed: setup.cfg
	$(INTERPRETER) -m venv $(TEXT)
	$(TEXT)/bin/pip install --quiet --disable-pip-version-check --no-compile --editable '.[serve,verifiers]' 'fastmcp<4.2' \
		pytest hypothesis
	touch $@

test-text: $(TEXT)/installed
	$(TEXT)/bin/pytest -m 'slow or not slow' tests/text

# Other people's learners in our environments. RLlib needs an older Gymnasium, so it has an environment of its own, in which
# our package comes last.
LEARNERS := .venv-learners
IN_LEARNERS = $(1)/bin/pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt
$(LEARNERS)/installed: setup.cfg constraints.txt
	$(INTERPRETER) -m venv $(LEARNERS)
	$(call IN_LEARNERS,$(LEARNERS)) --editable '.[learners]' pytest hypothesis
	touch $@

RAY := $(shell sed -n 's/^ray==//p' constraints.txt)
$(LEARNERS)-rllib/installed: setup.cfg constraints.txt
	$(INTERPRETER) -m venv $(LEARNERS)-rllib
	$(LEARNERS)-rllib/bin/pip install --quiet --disable-pip-version-check --no-compile 'ray[rllib]==$(RAY)' 'torch==$(TORCH)'
	$(call IN_LEARNERS,$(LEARNERS)-rllib) --editable '.[fetch,minigrid]' \
		'pybullet; python_version < "3.12"' pytest hypothesis
	touch $@

test-learners: $(LEARNERS)/installed $(LEARNERS)-rllib/installed
	$(LEARNERS)/bin/pytest -m slow tests/examples/test_learners.py
	$(LEARNERS)/bin/pytest tests/baselines/methods/test_stable_baselines3.py
	$(LEARNERS)-rllib/bin/pytest -m slow tests/examples/test_learners.py

# JaxUED's own maze beside ours, and its learners (tests/performance/rival_jaxued). It needs an older Gymnasium, so it has an
# environment of its own, in which our package comes last. What gymnax and its examples import and nobody asks for is named.
JAXUED := .venv-jaxued
JAX := $(shell sed -n 's/^jax==//p' constraints.txt)
$(JAXUED)/installed: setup.cfg constraints.txt
	$(INTERPRETER) -m venv $(JAXUED)
	$(JAXUED)/bin/pip install --quiet --disable-pip-version-check --no-compile jaxued==0.0.1 gymnax==1.0.1 'jax==$(JAX)' six \
		distrax==0.1.9
	$(call IN_LEARNERS,$(JAXUED)) --editable . pytest hypothesis
	touch $@

test-jaxued: $(JAXUED)/installed
	$(JAXUED)/bin/pytest -m slow tests/envs/ued_maze/test_jaxued.py

# The peers that speeds are compared with bring JAX and Selenium, which nothing else needs.
$(VENV)/peers: $(VENV)/learners
	$(INSTALL) --editable '.[dev,baselines,peers]'
	touch $@

bench: $(VENV)/peers browser driver
	$(BIN)/pytest tests/performance/bench_*.py --benchmark-only

# The site, in docs/_build/html, which needs no network. A warning, as of a link that leads nowhere, is an error.
docs: $(VENV)/learners
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going docs docs/_build/html
	@echo "the documentation: docs/_build/html/index.html"

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The tests open every page in Chromium without its windows; on Debian it is installed when it is missing and we are root.
browser:
	@command -v chromium-headless-shell >/dev/null || command -v chromium >/dev/null || test -n "$$PROCGEN_BENCH_CHROMIUM" || \
	if [ "$$(id -u)" = 0 ]; then apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium-headless-shell >/dev/null; \
	else echo "Chromium is missing: install Debian's package chromium-headless-shell, or set PROCGEN_BENCH_CHROMIUM"; exit 1; fi

# MiniWoB++, a peer, steers Chromium by its driver, which is installed the same way.
driver:
	@command -v chromedriver >/dev/null || test -n "$$MINIWOB_CHROMEDRIVER" || \
	if [ "$$(id -u)" = 0 ]; then apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium-driver >/dev/null; \
	else echo "chromedriver is missing: install Debian's package chromium-driver, or set MINIWOB_CHROMEDRIVER"; exit 1; fi

# MuJoCo draws without a screen through EGL and Mesa's software renderer, which are installed the same way.
EGL := libegl1 libopengl0 libgl1-mesa-dri
egl:
	@dpkg-query -W $(EGL) >/dev/null 2>&1 || \
	if [ "$$(id -u)" = 0 ]; then apt-get update -qq && apt-get install -qq -y --no-install-recommends $(EGL) >/dev/null; \
	else echo "EGL is missing: install Debian's packages $(EGL)"; exit 1; fi

# apt installs one thing after the other.
driver egl: | browser

clean:
	rm -rf .venv .venv-* $(DEMO) build dist procgen_bench/core/data docs/_build docs/generated
