# The front door: each target runs a command of `lab` or compiles code/bench. `make` alone prints the targets.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: setup papers venv checks pins release test-quick build try run report site all submit preview-grade grade grade-class autograder grade-corpus cheats verify spot bench test options fuzz fuzz-grade fuzz-card hosts same-bytes broken-ends container doctor slurm-up slurm-down lock docs lint clean help

bin := .venv/bin
c_files := $(wildcard code/*/*.[ch] code/machine/*/*.[ch] code/card/*/*.[ch] tests/*/*.[ch] tests/release/hosts/*.[ch] tests/machine/*/*.[ch] tests/card/*/*.[ch] experiments/*/program/*.[ch] experiments/examples/*/program/*.[ch] experiments/assignments/*/program/*.[ch] experiments/assignments/*/solution/program/*.[ch])
# Real links run programs that this host compiles. The bundled compiler makes those of the exact site, so that a host
# without a real link needs no compiler.
links := $(wildcard /sys/class/infiniband/*/device hosts.toml)
programs := $(if $(links),build)

# These targets need a file or a folder.
wanted = $(if $(strip $($1)),,$(error make $2 $1=$3: name the $4))
ifneq ($(filter grade,$(MAKECMDGOALS)),)
$(call wanted,SUBMISSION,grade,ada.pdf,submission)
endif
ifneq ($(filter grade-class,$(MAKECMDGOALS)),)
$(call wanted,SUBMISSIONS,grade-class,submissions,folder of submissions)
endif

##@ Measure, and write reports

try: venv $(programs) ## Measure a small experiment and show a first figure
	$(bin)/lab try

all: $(programs) ## Measure every trial without a record and write the reports [EXPERIMENTS="a b"]
	@code/setup/setup $(if $(links),,--beside) report
	$(bin)/lab run $(EXPERIMENTS) --report

run: venv $(programs) ## Measure every trial without a record [EXPERIMENTS="a b"]
	$(bin)/lab run $(EXPERIMENTS)

report: setup ## Write the reports from the records or the reference, without measuring [EXPERIMENTS="a b"]
	$(bin)/lab report $(EXPERIMENTS)

site: setup ## Write a static site into report/site: front page, documents, reports
	$(bin)/lab site

verify: venv ## Measure everything again and compare it with results/reference
	$(bin)/lab verify

spot: venv ## Measure a random tenth and compare it with results/reference
	$(bin)/lab spot

bench: build ## Compare Verbyte's programs with ib_write_bw, iperf3 and others
	$(bin)/lab bench

doctor: venv ## Print what this host can measure, and what it lacks
	$(bin)/lab doctor

##@ Hand in

submit: papers $(programs) ## Make the PDF to hand in, or print what it still lacks [ASSIGNMENT=name] [DRAFT=1]
	$(bin)/lab submit $(ASSIGNMENT) $(if $(DRAFT),--draft)

preview-grade: papers $(programs) ## Make a draft and grade it with the public checks [ASSIGNMENT=name]
	$(bin)/lab preview-grade $(if $(ASSIGNMENT),--assignment $(ASSIGNMENT))

##@ Grade

grade: papers $(programs) ## Grade one submission: SUBMISSION=x.pdf [ASSIGNMENT=name]
	$(bin)/lab grade "$(SUBMISSION)" $(if $(ASSIGNMENT),--assignment $(ASSIGNMENT))

grade-class: papers $(programs) ## Grade a folder: SUBMISSIONS=folder [ASSIGNMENT=name] [SITE=slurm]
	$(bin)/lab grade-class "$(SUBMISSIONS)" $(if $(ASSIGNMENT),--assignment $(ASSIGNMENT)) $(if $(SITE),--site $(SITE))

autograder: setup ## Make the zip for Gradescope [ASSIGNMENT=name] [IMAGE=course.lab]
	$(bin)/lab autograder $(if $(ASSIGNMENT),--assignment $(ASSIGNMENT)) $(if $(IMAGE),--image "$(IMAGE)")

grade-corpus: checks ## Grade 505 tampered and 100 honest submissions
	$(bin)/pytest -m corpus --timeout 600

##@ Set up

setup: ## Install .venv and the packages that reports need
	@code/setup/setup report

papers: setup # what making and grading submissions needs
	@code/setup/setup grade

checks: setup # pytest, mypy and the like
	@code/setup/setup lint

venv: # enough to measure on the exact site
	@code/setup/setup

build: venv ## Compile the C programs for this host's real links
	@code/setup/setup links grade
	$(MAKE) --no-print-directory -C code/bench

container: ## Build the container image `lab` (docs/your-computer.md)
	code/container/build

slurm-up: ## Start a Slurm cluster of two nodes on this host
	code/setup/slurm up

slurm-down: ## Stop that cluster
	code/setup/slurm down

clean: ## Remove everything but the sources and the records
	rm -rf .venv .cache report

help: ## Print this list
	@echo "usage: make TARGET [VARIABLE=value]"
	@sed -n -e 's/^##@ \(.*\)/\n\1:/p' -e 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

##@ Change Verbyte (more targets: docs/CONTRIBUTING.md)

# Tests start Python a thousand times: it keeps what it has compiled, whatever a container's variable says.
test test-quick release: export PYTHONDONTWRITEBYTECODE =
test test-quick release: export PYTHONPYCACHEPREFIX = $(CURDIR)/.cache/bytecode

test: build ## Run lint and all tests: about 10 minutes
	@code/setup/setup tests
	$(MAKE) --no-print-directory --jobs=2 --output-sync=target lint $(c_tests)
	$(bin)/pytest -n 3 --no-loadscope-reorder

c_tests := $(addprefix test-in-,bench machine/pair machine/switch card/device machine/profile)
.PHONY: $(c_tests)
$(c_tests): test-in-%:
	$(MAKE) --no-print-directory -C code/$* test

test-quick: lint build ## Run lint and the unit tests: under two minutes
	$(bin)/pytest -n 2 -m "not corpus and not modules and not release and not slow" tests/lab tests/setup tests/test_makefile.py

lint: checks ## Check style, types, layers and English
	$(bin)/ruff check
	$(bin)/ruff format --check
	$(bin)/mypy
	$(bin)/lint-imports --cache-dir .cache/import-linter
	$(bin)/python -m lab.docs --check
	$(bin)/codespell Makefile README.md code docs experiments templates tests
	$(bin)/python tests/english.py
	@$(bin)/clang-format --dry-run -Werror $(c_files)

docs: setup ## Write the generated pages of docs/
	$(bin)/python -m lab.docs

options: build # Renew the table of the C programs' options, after a change of one
	$(bin)/python -m lab.options

pins: # Renew the pinned Python packages from the groups of pyproject.toml [UPGRADE=1]
	code/setup/pins $(if $(UPGRADE),--upgrade)

lock: build # Renew the exact machine's package lock together with results/reference
	$(bin)/lab lock

fuzz: checks build # Run the commands on 5,000 damaged files, other ones each time
	LAB_FUZZ_CASES=5000 $(bin)/pytest tests/release/fuzz --timeout 7200

fuzz-grade: checks papers # Grade 20,000 damaged submissions, other ones each time
	LAB_FUZZ_CASES=20000 $(bin)/pytest tests/release/fuzz/test_damaged_hand_ins.py --timeout 14400

fuzz-card: setup # Try the modelled card with 20 million commands of anything, under sanitizers: a minute or two [COUNT=n, of each half]
	$(MAKE) --no-print-directory -C code/card/device fuzz $(if $(COUNT),COUNT=$(COUNT))

release: checks build # Run the tests that take many minutes or a network (docs/CONTRIBUTING.md lists them)
	@code/setup/setup tests
	$(bin)/pytest -m release

hosts: checks build # Run the exact machine on many hosts and write docs/hosts.md: hours [HOSTS="a b"] [KINDS=no] [RUNS=n] [LOADS="0 2"] [EVERY=no]
	$(bin)/python -m tests.release.hosts $(if $(HOSTS),--hosts $(HOSTS)) $(if $(RUNS),--runs $(RUNS)) $(if $(LOADS),--loads $(LOADS)) $(if $(EVERY),--every $(EVERY)) $(if $(KINDS),--kinds $(KINDS))

same-bytes: checks # Run every program again and again, beside busy loops, on one core, frozen again: hours [RUNS=20] [BUSY=6] [ONLY="a b"] [WHERE="busy core frozen"]
	$(bin)/python -m tests.release.same_bytes $(if $(RUNS),--runs $(RUNS)) $(if $(BUSY),--busy $(BUSY)) $(if $(ONLY),--only $(ONLY)) $(if $(WHERE),--where $(WHERE))

cheats: checks # Grade every cheat by a student program and 100 honest programs, and print a table: an hour [ONLY=name]
	$(bin)/python -m tests.release.cheats $(if $(ONLY),--only "$(ONLY)")

broken-ends: checks # Kill, stop and switch off ends of 1,000 trials at random, and of 300 with four computers: a quarter of an hour
	$(bin)/python -m tests.release.broken_ends 1000
	$(bin)/python -m tests.release.broken_ends 300 4
