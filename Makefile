# The front door: every target here is a command of `lab` or of code/bench. `make` alone says what there is.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: setup papers venv checks pins release test-quick build try run report site all submit preview-grade grade grade-class autograder grade-corpus verify bench test options fuzz fuzz-grade fuzz-card compilers hosts same-bytes broken-ends container doctor slurm-up slurm-down lock docs lint clean help

bin := .venv/bin
c_files := $(wildcard code/*/*.[ch] code/machine/*/*.[ch] code/card/*/*.[ch] tests/*/*.[ch] tests/release/hosts/*.[ch] tests/machine/*/*.[ch] tests/card/*/*.[ch] experiments/examples/*/program/*.[ch] experiments/assignments/*/program/*.[ch] experiments/assignments/*/solution/program/*.[ch])
# Trials over real links take programs that are compiled here. The exact site's come from its own compiler: where no such
# link is known, this computer needs none.
links := $(wildcard /sys/class/infiniband/*/device hosts.toml)
programs := $(if $(links),build)

# These targets need a name: without it, the first file that comes along would be graded.
wanted = $(if $(strip $($1)),,$(error make $2 $1=$3: which $4?))
ifneq ($(filter grade,$(MAKECMDGOALS)),)
$(call wanted,SUBMISSION,grade,ada.pdf,hand-in)
endif
ifneq ($(filter grade-class,$(MAKECMDGOALS)),)
$(call wanted,SUBMISSIONS,grade-class,hand-ins,folder of hand-ins)
endif

##@ Measure, and write reports

try: venv $(programs) ## Measure a small experiment and show a first figure: about five minutes the first time
	$(bin)/lab try

all: setup $(programs) ## Measure all trials that have no record; each report is written as soon as its trials are over
	$(bin)/lab run --report

run: venv $(programs) ## Measure all trials that have no record
	$(bin)/lab run

report: setup ## Write the reports from the records: this needs no machine and no compiler
	$(bin)/lab report

site: setup ## Write the front page, the documents and all reports as a static site: report/site
	$(bin)/lab site

verify: venv ## Measure again from nothing and compare with results/reference
	$(bin)/lab verify

bench: build ## Compare our programs with ib_write_bw, iperf3 and others, as ratios
	$(bin)/lab bench

doctor: venv ## Say what this computer can measure and what is in the way
	$(bin)/lab doctor

##@ Hand in

submit: papers $(programs) ## Make the file to hand in, or say why it can't be handed in yet [ASSIGNMENT=name] [DRAFT=1]
	$(bin)/lab submit $(ASSIGNMENT) $(if $(DRAFT),--draft)

preview-grade: papers $(programs) ## Make a draft and grade it by the public checks [ASSIGNMENT=name]
	$(bin)/lab preview-grade $(if $(ASSIGNMENT),--assignment $(ASSIGNMENT))

##@ Grade

grade: papers $(programs) ## Grade one hand-in: SUBMISSION=x.pdf [ASSIGNMENT=name, for another than it names]
	$(bin)/lab grade "$(SUBMISSION)" $(if $(ASSIGNMENT),--assignment $(ASSIGNMENT))

grade-class: papers $(programs) ## Grade a folder of hand-ins: SUBMISSIONS=dir [ASSIGNMENT=name] [SITE=slurm on a cluster]
	$(bin)/lab grade-class "$(SUBMISSIONS)" $(if $(ASSIGNMENT),--assignment $(ASSIGNMENT)) $(if $(SITE),--site $(SITE))

autograder: setup ## Make the zip with which Gradescope grades an assignment [ASSIGNMENT=name] [IMAGE=course.lab]
	$(bin)/lab autograder $(if $(ASSIGNMENT),--assignment $(ASSIGNMENT)) $(if $(IMAGE),--image "$(IMAGE)")

grade-corpus: checks ## Try the grader on 505 tampered and 100 honest hand-ins
	$(bin)/pytest -m corpus --timeout 600

##@ Set up

setup: ## Install what is missing: .venv, and the packages that reports need
	@code/setup/setup report

papers: setup # what hand-ins are made and graded with
	@code/setup/setup grade

checks: setup # pytest, mypy and the like
	@code/setup/setup lint

venv: # measuring on the exact site needs nothing else
	@code/setup/setup

build: venv ## Compile the C programs for this computer's own links, into .cache/bench
	@code/setup/setup links grade
	$(MAKE) --no-print-directory -C code/bench

container: ## Build the container image `lab`, in which `make all` and `make test` work: docs/your-computer.md
	code/container/build

slurm-up: ## Start a Slurm cluster of two nodes on this computer, to try the site slurm
	code/setup/slurm up

slurm-down: ## End that cluster and all that runs there
	code/setup/slurm down

clean: ## Remove all that can be made again; the records in results stay
	rm -rf .venv .cache report

help: ## Print this list
	@echo "usage: make TARGET [VARIABLE=value]"
	@sed -n -e 's/^##@ \(.*\)/\n\1:/p' -e 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

##@ Change Verbyte

test: lint build ## Check everything: lint, the C tests, the Python tests, the exact machine
	@code/setup/setup tests
	$(MAKE) --no-print-directory -C code/bench test
	$(MAKE) --no-print-directory -C code/machine/pair test
	$(MAKE) --no-print-directory -C code/machine/switch test
	$(MAKE) --no-print-directory -C code/card/device test
	$(MAKE) --no-print-directory -C code/machine/profile test
	$(bin)/pytest -n 3 --no-loadscope-reorder

test-quick: lint ## Run lint and the unit tests that need neither a compiler, LaTeX nor the exact machine
	$(bin)/pytest -n 2 -m "not corpus and not modules and not release and not slow" tests/lab tests/setup tests/test_makefile.py

lint: checks ## Check style, types and which stage imports which
	$(bin)/ruff check
	$(bin)/ruff format --check
	$(bin)/mypy
	$(bin)/lint-imports --cache-dir .cache/import-linter
	$(bin)/python -m lab.docs --check
	@$(bin)/clang-format --dry-run -Werror $(c_files)

docs: setup ## Write the pages of docs/ that are made from the code
	$(bin)/python -m lab.docs

options: build ## Renew the table of the C programs' options, after a change of one
	$(bin)/python -m lab.options

pins: ## Renew the pinned Python packages from the groups of pyproject.toml [UPGRADE=1]
	code/setup/pins $(if $(UPGRADE),--upgrade)

lock: build ## Renew the exact machine's package lock together with results/reference
	$(bin)/lab lock

fuzz: checks build ## Run the commands on 5,000 damaged files, other ones each time
	LAB_FUZZ_CASES=5000 $(bin)/pytest tests/release/fuzz --timeout 7200

fuzz-grade: checks papers ## Grade 20,000 damaged hand-ins, other ones each time
	LAB_FUZZ_CASES=20000 $(bin)/pytest tests/release/fuzz/test_damaged_hand_ins.py --timeout 14400

fuzz-card: setup ## Try the modelled card with 20 million commands of anything, under sanitizers: a minute or two [COUNT=n, of each half]
	$(MAKE) --no-print-directory -C code/card/device fuzz $(if $(COUNT),COUNT=$(COUNT))

release: checks build ## Run the tests that take many minutes or a network: the container over a new Debian, all of another kernel
	@code/setup/setup tests
	$(bin)/pytest -m release

compilers: checks ## Compile the C programs with every gcc and clang of Debian's suites, for three processors: 1.3 GB once
	$(bin)/python tests/bench/compilers.py

hosts: checks build ## Run the exact machine on many hosts and write docs/hosts.md: hours [HOSTS="a b"] [KINDS=no] [RUNS=n] [LOADS="0 2"] [BUSY=n] [EVERY=no]
	$(bin)/python -m tests.release.hosts $(if $(HOSTS),--hosts $(HOSTS)) $(if $(RUNS),--runs $(RUNS)) $(if $(LOADS),--loads $(LOADS)) $(if $(EVERY),--every $(EVERY)) $(if $(KINDS),--kinds $(KINDS)) $(if $(BUSY),--busy $(BUSY))

same-bytes: checks ## Run every program again and again, beside busy loops, on one core, frozen again: hours [RUNS=20] [BUSY=6] [ONLY="a b"] [WHERE=further]
	$(bin)/python -m tests.release.same_bytes $(if $(RUNS),--runs $(RUNS)) $(if $(BUSY),--busy $(BUSY)) $(if $(ONLY),--only $(ONLY)) $(if $(WHERE),--where "$(WHERE)")

broken-ends: checks ## Kill, stop and switch off ends of 1,000 trials at random: a quarter of an hour
	$(bin)/python -m tests.release.broken_ends 1000
