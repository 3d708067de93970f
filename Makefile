# Everything a newcomer needs: make demo, make test. Both build .venv first (Python 3.11, Debian).

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO := demo

.PHONY: demo test test-slow bench lint browser driver egl clean

$(VENV)/installed: setup.cfg pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@

# A person's first five minutes: train, evaluate on held-out tasks, submit (which verifies by replay), look.
demo: $(VENV)/installed
	rm -rf $(DEMO)
	$(BIN)/procgen-bench train ppo grid-world/graded --steps 2000000 --out $(DEMO)/run
	$(BIN)/procgen-bench evaluate grid-world/graded --policy random -o $(DEMO)/random
	$(BIN)/procgen-bench evaluate grid-world/graded --policy $(DEMO)/run/policy -o $(DEMO)/submission
	$(BIN)/procgen-bench submit $(DEMO)/random --board $(DEMO)/board
	$(BIN)/procgen-bench submit $(DEMO)/submission --board $(DEMO)/board
	$(BIN)/procgen-bench leaderboard --board $(DEMO)/board --html $(DEMO)/site
	$(BIN)/procgen-bench render $(DEMO)/submission --out $(DEMO)/policy.gif
	@echo "policy:      $(DEMO)/run/policy"
	@echo "submission:  $(DEMO)/submission (verified by replay)"
	@echo "page:        $(DEMO)/site/index.html"
	@echo "GIF:         $(DEMO)/policy.gif"

# Numba's cache follows the file of a compiled function, not those of the functions that it inlines: tests start without.
# They start hundreds of processes: those keep what they compile, whatever the shell says.
test test-slow: export PYTHONDONTWRITEBYTECODE :=
test: $(VENV)/installed browser egl
	find procgen_bench tasks envs -name '*.nb[ci]' -delete
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pytest -n 2

test-slow: $(VENV)/installed browser egl
	$(BIN)/pytest -n 2 -m slow

# The peers that speeds are compared with bring JAX and Selenium, which nothing else needs.
$(VENV)/peers: $(VENV)/installed
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,peers]'
	touch $@

bench: $(VENV)/peers browser driver
	$(BIN)/pytest tests/performance/bench_*.py --benchmark-only

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# The tests open every page in Chromium; on Debian it is installed when it is missing and we are root.
browser:
	@command -v chromium >/dev/null || test -n "$$PROCGEN_BENCH_CHROMIUM" || \
	if [ "$$(id -u)" = 0 ]; then apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium >/dev/null; \
	else echo "chromium is missing: install Debian's package, or set PROCGEN_BENCH_CHROMIUM"; exit 1; fi

# MiniWoB++, a peer, steers Chromium by its driver; likewise installed.
driver:
	@command -v chromedriver >/dev/null || test -n "$$MINIWOB_CHROMEDRIVER" || \
	if [ "$$(id -u)" = 0 ]; then apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium-driver >/dev/null; \
	else echo "chromedriver is missing: install Debian's package chromium-driver, or set MINIWOB_CHROMEDRIVER"; exit 1; fi

# MuJoCo draws without a screen through EGL and Mesa's software renderer; likewise installed.
EGL := libegl1 libopengl0 libgl1-mesa-dri
egl:
	@dpkg-query -W $(EGL) >/dev/null 2>&1 || \
	if [ "$$(id -u)" = 0 ]; then apt-get update -qq && apt-get install -qq -y --no-install-recommends $(EGL) >/dev/null; \
	else echo "EGL is missing: install Debian's packages $(EGL)"; exit 1; fi

clean:
	rm -rf $(VENV) $(DEMO) build dist
