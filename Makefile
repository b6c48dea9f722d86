# Two commands on a bare machine with Python >= 3.11: `make run` and `make test`.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
CAD    := .venv-cad
WIRING := .venv-hardware
FIRMWARE := $(VENV)/.firmware
API    := $(VENV)/.api
TESTED   := .coverage-lines
ARGS   ?=
# A lock file is the whole closure with its hashes: nothing is left to resolve, so no release of tomorrow can break a clone of
# today (pip before 24 asked for "coverage[toml]", which a pin of "coverage" does not satisfy once there is a newer one).
LOCKED := -m pip install -q --disable-pip-version-check --no-deps --require-hashes -r
TOGETHER := -n auto --dist worksteal
ROUNDS ?= 10
HANDS  ?= 300
SEED   ?= 1
SINCE  ?= HEAD~20

.PHONY: help run test transitions busy check explore campaign pairs evening-damage power-cuts format docs goldens rig rig-powercut bench mutants mutants-changed firmware-check pod-emulated browser api-check browser-tools hardware hardware-check hardware-tools board deb offline deb-check deb-boot deb-tools lock clean

run: $(READY)  ## the device at a simulated table; prints the address of its page
	$(BIN)/python -m referee run --simulate $(ARGS)

test: $(READY)  ## the whole suite, a process for each core: no root, no network but the package index
	$(BIN)/python -m pytest $(TOGETHER) $(ARGS)

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/ /' | awk '{ t = $$1; $$1 = ""; printf "%-17s%s\n", t, $$0 }'

busy: $(READY)  ## tests with every core kept busy, ROUNDS times; ARGS="--whole": all, else those that start processes
	$(BIN)/python -m tests.busy --rounds $(ROUNDS) $(ARGS)

check: $(READY)  ## format, lint, types, imports, documents in step, coverage of the core
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.docs --check
	$(BIN)/python -m tests.language.catalogues
	$(BIN)/python -m pytest $(TOGETHER) -p tests.lines tests/core --cov --cov-report=term -q

explore: $(READY)  ## the property tests with new random examples, ROUNDS times or until one fails
	for round in $$(seq $(ROUNDS)); do \
	    echo "round $$round"; $(BIN)/python -m pytest -q -x -m hypothesis --hypothesis-profile=explore $(ARGS) || exit 1; done

campaign: $(READY)  ## whole evenings at random, HANDS of them from SEED: faults, restarts, companies, presets, options
	$(BIN)/python -m tests.campaign --hands $(HANDS) --seed $(SEED) $(ARGS)

pairs: $(READY)  ## a hand at every preset with every value of its options in every company
	$(BIN)/python -m tests.campaign.pairs --all

evening-damage: $(READY)  ## every single flipped bit of an evening of 200 rows, 200 of them by starts of the program
	$(BIN)/python -m tests.drivers.evenings.flips $(ARGS)

power-cuts: $(READY)  ## 2,000 power cuts in recorded evenings: torn and missing writes, and no durable row or record lost
	$(BIN)/python -m tests.drivers.evenings.cuts $(ARGS)

format: $(READY)  ## put the code into the house's form
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(READY)  ## generate the README's picture
	$(BIN)/python -m tests.docs --update

transitions: $(READY)  ## print the transition table with a diagram for each game
	$(BIN)/python -m tests.transitions

goldens: $(READY)  ## accept the screens as drawn now
	$(BIN)/python -m tests.screens.goldens --update

rig: $(READY)  ## a real kernel with simulated pins (root, Debian; installs what it needs)
	tests/rig/run $(ARGS)

rig-powercut: $(READY)  ## power cuts of a running match, in the record of its disk's writes (ARGS="--cuts 20 --seconds 90")
	tests/rig/run powercut $(ARGS)

bench: $(READY)  ## figures, as ratios within one run
	$(BIN)/python -m tests.benchmarks $(ARGS)

mutants: $(READY) $(TESTED)  ## mutation tests of the core, hours; ARGS="--sample 200", "--since COMMIT" or modules: fewer
	$(BIN)/python -m tests.mutants --lines $(TESTED) $(ARGS)

# Which test goes through which line of the core, recorded once, for mutants: a tenth of the examples shows it.
$(TESTED): $(READY)
	EXPLORE=0.1 COVERAGE_FILE=$@ $(BIN)/python -m pytest $(TOGETHER) -p tests.lines --lines-of-all tests/core --cov --cov-report= --cov-fail-under=0 -q

mutants-changed: $(READY) $(TESTED)  ## at most 200 of them, in those of the core's modules that have changed since SINCE
	$(BIN)/python -m tests.mutants --lines $(TESTED) --sample 200 --since $(SINCE) $(ARGS)

firmware-check: $(READY) $(FIRMWARE)  ## the pod's firmware on MicroPython itself (node 20 or newer, npm) and in emulators
	$(BIN)/python -m pytest $(TOGETHER) tests/firmware tests/core/pods tests/drivers/pods/test_lines.py \
	    tests/drivers/pods/test_install.py tests/commands/test_pod.py tests/test_daemon_pods.py $(ARGS)

pod-emulated: $(READY) $(FIRMWARE)  ## the whole firmware on an emulated Pico, also what takes long (POD_IMAGE=PATH: MicroPython's image)
	POD_FULL=1 $(BIN)/python -m pytest $(TOGETHER) tests/firmware/emulated $(ARGS)

browser: $(READY)  ## the page in Chromium, a whole match in Firefox and WebKitGTK, too (needs browser-tools; root for the match)
	$(BIN)/python -m pytest tests/web/browser $(ARGS)

api-check: $(READY) $(API)  ## every call that /api/openapi.json describes, by schemathesis (API_EXAMPLES=300: more of each)
	$(BIN)/python -m pytest tests/web/api $(ARGS)

browser-tools:  ## what it needs: Chromium, Firefox, WebKitGTK with its driver, Xvfb (root, Debian), axe-core (npm)
	tests/web/browser/tools.sh

hardware: $(READY) $(WIRING)/.ready  ## generate schematics, drawings, lists, printed parts and guide (needs hardware-tools)
	$(BIN)/python -m hardware.make
	$(CAD)/bin/python -m hardware.enclosure build
	$(WIRING)/bin/python -m hardware.guide

hardware-check: $(READY) $(WIRING)/.ready  ## generated files up to date, rules and netlists clean (needs hardware-tools)
	$(BIN)/python -m hardware.make --check
	test -e $(CAD)/.ready || { echo "the CAD tool is not installed: make hardware-tools"; exit 2; }
	$(BIN)/python -m pytest tests/hardware $(ARGS)

board: $(READY) $(WIRING)/.ready  ## after a change of schematic or places: netlist, tracks of what is new, copper, drawings
	$(BIN)/python -m hardware.make --pure
	$(BIN)/python -m hardware.make.reroute $(ARGS)
	$(BIN)/python -m hardware.make

hardware-tools: $(CAD)/.ready  ## what the two need: KiCad 9, Graphviz (root, Debian), and the CAD tool (1 GB)
	hardware/tools.sh

deb: $(READY)  ## the Debian package, into dist/; runs anywhere
	$(BIN)/python -m systemd.debian

offline: $(READY)  ## the package with all that it needs, to be installed without a network (needs apt); ARGS="arm64": one
	$(BIN)/python -m systemd.debian.offline $(ARGS)

deb-check: $(READY)  ## the package installed, upgraded, removed and purged in a Debian 13 of its own (needs deb-tools)
	$(BIN)/python -m pytest tests/packaging/installed $(ARGS)

deb-boot: $(READY)  ## the package in a booted Debian 13 with systemd, on an emulated machine (root, Debian 12, x86-64)
	$(BIN)/python -m tests.packaging.booted $(ARGS)

deb-tools:  ## what it needs (root, Debian)
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends mmdebstrap debian-archive-keyring lintian dosfstools mtools


$(WIRING)/.ready: hardware/requirements.lock
	test -x $(WIRING)/bin/python || $(PYTHON) -m venv $(WIRING)
	$(WIRING)/bin/python $(LOCKED) $<
	touch $@

$(CAD)/.ready: hardware/enclosure/requirements.lock
	test -x $(CAD)/bin/python || $(PYTHON) -m venv $(CAD)
	$(CAD)/bin/python $(LOCKED) $<
	touch $@

lock: $(READY)  ## pin what pyproject.toml asks for, for every platform at once
	$(BIN)/pip install -q uv
	$(BIN)/uv pip compile -q --universal --generate-hashes --extra dev --python-version 3.11 \
	    --no-emit-index-url --no-header -o requirements.lock pyproject.toml
	$(BIN)/uv pip compile -q --universal --generate-hashes --python-version 3.11 --no-emit-index-url --no-header \
	    -o hardware/requirements.lock hardware/requirements.in
	$(BIN)/uv pip compile -q --universal --generate-hashes --python-version 3.11 --no-emit-index-url --no-header \
	    -o hardware/enclosure/requirements.lock hardware/enclosure/requirements.in
	$(BIN)/uv pip compile -q --universal --generate-hashes --python-version 3.11 --no-emit-index-url --no-header \
	    -c requirements.lock -o tests/web/api/requirements.lock tests/web/api/requirements.in

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version.split()[0])'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python $(LOCKED) requirements.lock
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	$(BIN)/python -m pip check -q --disable-pip-version-check
	touch $@

$(API): $(READY) tests/web/api/requirements.lock
	$(BIN)/python $(LOCKED) tests/web/api/requirements.lock
	touch $@

$(FIRMWARE): $(READY) tests/firmware/requirements.txt tests/firmware/package-lock.json
	$(BIN)/python $(LOCKED) tests/firmware/requirements.txt
	npm ci --prefix tests/firmware --silent
	touch $@

clean:
	rm -rf $(VENV) $(CAD) $(WIRING) tests/firmware/node_modules .mypy_cache .ruff_cache .hypothesis .coverage $(TESTED) mutants
