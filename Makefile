# make demo   build, then show the whole flow on a repository made for it
# make test   everything that must hold before a change is merged

GO      ?= go
PREFIX  ?= /usr/local
E2E_TIMEOUT ?= 40m
E2E_PICTURES ?= $(or $(TMPDIR),/tmp)/git-liza-e2e-pictures
# The compiler and the checks take a fifth less time where they collect their
# garbage less often.
GOGC    ?= 400
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)

# The version comes from git describe; go's own stamp would make the build
# fail in a checkout that git does not trust (safe.directory).
# Without cgo nothing is linked at each start, which is a fifth of the time of a
# short command. go install makes the same program without the version.
BUILDFLAGS = -trimpath -buildvcs=false -ldflags '-s -w -X main.version=$(VERSION)'

.DEFAULT_GOAL := build
.PHONY: build demo test check compile torture guards worlds test-gits e2e picture pictures bench size install clean

build:
	@.ci/tools go git
	CGO_ENABLED=0 $(GO) build $(BUILDFLAGS) -o git-liza ./cmd/git-liza

demo: build
	./git-liza demo

# The checks vet the tests, so go does not once more, and compiles for the tests
# beside them. What go itself writes stays out of memory. The packages in which the race
# detector has nothing to find are tested without it, compiled as the checks do; make
# torture tests them with it. It does not sleep for a second after each package; make
# torture lets it.
test:
	@.ci/tools go git cc
	@.ci/tools strace || :
	@$(MAKE) --no-print-directory -j2 check compile
	@plain=$$(.ci/concurrent no) && concurrent=$$(.ci/concurrent yes) || exit 1; \
	settings=$$(.ci/goenv) && trap 'rm "$$settings"' EXIT || exit 1; \
	unset GOTMPDIR; export GOENV="$$settings" TMPDIR="$$(.ci/scratch)" GOGC=$(GOGC) GORACE="atexit_sleep_ms=0 $$GORACE"; \
	{ CGO_ENABLED=0 GOFLAGS="$$GOFLAGS -trimpath" $(GO) test $(TESTFLAGS) $$plain; \
	$(GO) test $(RACE) $(TESTFLAGS) $$concurrent; } | awk -f .ci/tally.awk

TESTFLAGS = -vet=off -json -timeout 40m

# Nothing watches unsafe pointers, of which the program has none. Without that and
# what only debuggers read, go compiles a sixth faster.
RACE = -race -gcflags='all=-d=checkptr=0 -dwarf=false'
compile:
	@GOGC=$(GOGC) $(GO) build $(RACE) ./...

# Compiled as make build does, so that go does it once for both and for the tests.
check: export CGO_ENABLED = 0
check: export GOFLAGS += -trimpath
check: export GOGC := $(GOGC)
check:
	@.ci/tools go git cc
	@files=$$(find . -path './.*' -prune -o -name '*.go' -print | xargs gofmt -l) || exit 1; \
	if [ -n "$$files" ]; then echo "not formatted (gofmt -w):"; echo "$$files"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

# Many processes, kills and long random runs. Two packages at a time, because
# each starts as many processes as it needs. TORTURE=long kills at every file
# operation, and runs the scripts with the race detector. At the end, if there is time
# left, the packages that make test runs without the race detector, with it.
TORTURE ?= 1
torture:
	@.ci/tools go git cc
	@.ci/tools strace || :
	@plain=$$(.ci/concurrent no) || exit 1; \
	{ LIZA_TORTURE=$(TORTURE) $(GO) test $(RACE) -json -count=1 -p 2 -timeout 3h -run Torture ./...; \
	if [ "$$(date +%s)" -gt "$${LIZA_TORTURE_UNTIL:-9999999999}" ]; then echo "no time is left for the race detector in the other packages"; \
	else $(GO) test $(RACE) -vet=off -json -p 2 -timeout 25m -skip Torture $$plain; fi; } | awk -f .ci/tally.awk

# Each guard of the rules is switched off in turn, and some test has to notice: an hour or two.
# GUARDS, a pattern of files and conditions, chooses fewer.
GUARDS ?= .
guards:
	@.ci/tools go git
	@TMPDIR="$$(.ci/scratch)" CGO_ENABLED=0 GOFLAGS="$$GOFLAGS -buildvcs=false -trimpath" $(GO) run ./internal/guards -only '$(GUARDS)'

# Every move of a few actors on small boards, some minutes; then without each of eight guards,
# which has to be noticed by these worlds alone.
WORLDS = claim.go (claimable: (free|r := p.doneBy)|idle: held|ownedByOthers: refuse)|checkSave: p.facts != nil|independent: |merge.go check: (approved|tip)
worlds:
	@.ci/tools go git
	LIZA_WORLDS=12 $(GO) test -vet=off -count=1 -timeout 30m -v -run '^TestWorlds$$' ./flow
	@LIZA_WORLDS=2 TMPDIR="$$(.ci/scratch)" CGO_ENABLED=0 GOFLAGS="$$GOFLAGS -buildvcs=false -trimpath" $(GO) run ./internal/guards -tests '^TestWorlds$$' -only '$(WORLDS)'

# Which files of a room use which, in one order: an arrow to a file that stands higher points
# up. PICTURE, sets of packages joined by commas, and -files for each file, choose.
PICTURE ?=
picture:
	@.ci/tools go
	@$(GO) run ./internal/picture $(PICTURE)

# The stories with other gits than that on PATH: those of Debian 13 and of its sid, which
# .ci/gits builds. GITS, FORMS and STORIES, a pattern, choose fewer.
GITS ?= trixie sid
FORMS ?= sha1-files sha1-reftable sha256-files
STORIES ?= .
test-gits:
	@.ci/tools go git; gits=$$(.ci/gits $(GITS)) || exit 1; echo "$$gits" | { failed=; while read -r dir; do \
	case $$dir in missing:*) echo "SKIPPED: stories with another git: $$dir"; continue ;; esac; \
	for form in $(FORMS); do echo "$$("$$dir/bin/git" version), $$form"; \
		PATH="$$dir/bin:$$PATH" TMPDIR="$$(.ci/scratch)" GIT_DEFAULT_HASH=$${form%-*} GIT_DEFAULT_REF_FORMAT=$${form#*-} CGO_ENABLED=0 \
		$(GO) test $(TESTFLAGS) -trimpath -count=1 -run 'TestScripts$$/$(STORIES)' ./cmd/git-liza </dev/null | awk -f .ci/tally.awk || failed=1; \
	done; done; [ -z "$$failed" ]; }

# Real servers on loopback ports: every attack, races between clones, three
# hosts; what people and agents do to repositories; real command lines of agents
# against a stand-in for their models; the dashboards in a browser and in tmux,
# whose pictures it leaves in E2E_PICTURES. Without sshd, nginx and fcgiwrap it says so and does nothing;
# without Node.js or npm it goes on without the agents and the browser.
e2e:
	@.ci/tools go git
	@.ci/tools tmux git-lfs || :
	@if .ci/tools sshd nginx fcgiwrap; then \
		TMPDIR="$$(.ci/scratch)" LIZA_E2E=1 LIZA_E2E_AGENTS="$$(.ci/agents)" LIZA_E2E_BROWSER="$$(.ci/browser)" LIZA_E2E_PICTURES="$(E2E_PICTURES)" \
		$(GO) test -json -count=1 -timeout $(E2E_TIMEOUT) $(if $(E2EFLAGS),'$(E2EFLAGS)') ./cmd/git-liza/internal/tests/e2e | awk -f .ci/tally.awk; \
	else echo "SKIPPED: make e2e needs the servers named above, so nothing was shown with servers"; fi

# The pictures of the README, made again by a browser and tmux.
pictures:
	@.ci/tools go git tmux sshd nginx fcgiwrap
	@made=$$(mktemp -d) && \
	LIZA_E2E=1 LIZA_E2E_BROWSER="$$(.ci/browser)" LIZA_E2E_PICTURES="$$made" $(GO) test -count=1 -run 'TestPagesInABrowser|TestWatchInTmux' ./cmd/git-liza/internal/tests/e2e && \
	cp "$$made/web-board.png" "$$made/watch-100x30.svg" doc/pictures && rm -r "$$made"

# Costs beside plain git doing the same, within ten minutes; see
# doc/benchmarks.md. BENCHFLAGS=-quick takes a minute.
bench:
	@.ci/tools go git
	CGO_ENABLED=0 $(GO) run ./cmd/git-liza/internal/tests/bench $(BENCHFLAGS)

# What there is to learn and to read, and the ceilings of it: size_test.go in
# cmd/git-liza and in its tests of the house.
size: build
	@echo "$$(ls git-liza* | wc -w) programs: $$(wc -c git-liza* | tail -n 1 | awk '{print $$1}') bytes"
	@TMPDIR="$$(.ci/scratch)" $(GO) test -vet=off -count=1 -v -run '^TestSizeOf' ./cmd/git-liza/internal/tests/house ./cmd/git-liza | grep -vE '^(=== |PASS|ok )'

install: build
	install -d '$(DESTDIR)$(PREFIX)/bin'
	install -m 755 git-liza '$(DESTDIR)$(PREFIX)/bin'
	install -d '$(DESTDIR)$(PREFIX)/share/man/man1'
	install -m 644 doc/git-liza.1 '$(DESTDIR)$(PREFIX)/share/man/man1/git-liza.1'

clean:
	rm -f git-liza
