# Sensibus: `make run` shows a live fleet, `make test` runs the tests, `make help` lists the rest.

SWIFT ?= swift
DEVICES ?= 100
SCENARIO ?= lively
SEEDS ?= 42000
TOGGLES ?= 50000
EXECUTIONS ?= 5000000
SOURCES = Package.swift Plugins Sources Tests Snippets Benchmarks/Sources Fuzz/Package.swift Fuzz/Sources Tools/Package.swift \
  Tools/Sources Tools/Tests
EXECUTABLES = fleet controller device-sim observer gateway http-load
# What `make build` adds to the executables: products of Package.swift.
PRODUCTS ?=
DEBUG = .build/debug
RELEASE = .build/release
# A debug build writes no debug information, which would take a tenth of its time: DEBUG_INFO=dwarf adds it.
DEBUG_INFO ?= none
# Tests/suites has the same flags, so that no build repeats another's work.
SWIFT_FLAGS = -debug-info-format $(DEBUG_INFO)
# A release build has TLS, whose library takes a tenth of the time, and needs no Swift where it runs. What an executable
# exports is linked even if nothing uses it.
RELEASE_FLAGS = -c release --traits TLS --static-swift-stdlib -Xlinker --no-export-dynamic -debug-info-format $(DEBUG_INFO)
export SWIFT_FLAGS RELEASE_FLAGS
PREFIX ?= /usr/local
DESTDIR ?=
BIN = $(DESTDIR)$(PREFIX)/bin
# One name is in the PATH: sensibus, which is the program fleet.
LIBEXEC = $(DESTDIR)$(PREFIX)/libexec/sensibus
# Two installations of one commit are the same.
MANUAL_DATE = $(shell date --utc --date=@$$(git log -1 --format=%ct) +%F)
MAN = $(DESTDIR)$(PREFIX)/share/man/man1
BASH = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSH = $(DESTDIR)$(PREFIX)/share/zsh/site-functions
FISH = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
REFERENCE = Tools/Tests/SwiftProtobufTests/Generated
CODEC = Sources/*/Generated

# The shell sets _ to the last command; if it differs, the package manager rebuilds everything.
unexport _

.PHONY: help run test test-long fuzz sim torture build install uninstall wheel deb counts figures format \
  check docs proto conformance dependencies

help:
	@echo 'make help                list the targets, and the scripts beside them'
	@echo 'make run                 install what is missing, build, start $(DEVICES) devices and show them live'
	@echo 'make test                install what the tests need, and run those that a change waits for; or FILTER=REGEX'
	@echo 'make test-long           run the other tests: alone, in browsers, on hosts, of a release build; needs root'
	@echo 'make fuzz                run libFuzzer on every decoder of bytes from outside, EXECUTIONS=$(EXECUTIONS) times on each'
	@echo 'make sim                 simulate SEEDS=$(SEEDS), and check that every planted bug is found'
	@echo 'make torture             kill, freeze and starve a fleet under TOGGLES=$(TOGGLES), and judge its answers'
	@echo 'make build               build the release executables into .build/release, and PRODUCTS=...'
	@echo 'make install             install executables, manual pages and completions under $(PREFIX), or PREFIX=...'
	@echo 'make uninstall           remove the installed files'
	@echo 'make wheel               build a Python wheel of the release executables and all libraries that they need'
	@echo 'make deb                 build a Debian package of the release executables, with units of systemd'
	@echo 'make counts              fail if a part of a toggle takes more allocations, instructions or system calls than its bound'
	@echo 'make figures             print figures of the structure of Sources, and fail if one is beyond its limit'
	@echo 'make format              format the sources'
	@echo 'make check               fail if sources are not formatted, a link of a document is broken, or generated files differ'
	@echo 'make docs                check the links of the documents, and build their site and the Swift API into .build/site'
	@echo 'make proto               generate the codec from proto/'
	@echo 'make conformance         compare the codec with swift-protobuf, and test its generator'
	@echo 'make dependencies        install the packages that the build needs'
	@echo
	@echo 'Scripts, each with --help:'
	@echo '  Tests/stress             tests for longer: attacks, damage, kills, hosts, cells, screens, recordings'
	@echo '  Tests/Install/{run,wheel,pytest,deb}     install, use and remove what `make install`, `make wheel` and `make deb` make'
	@echo '  Tests/Stalls/run         tests on processors that pause'
	@echo '  Tests/Sanitizers/run     tests with the thread or the address sanitizer'
	@echo '  Tests/security-figures   an attacked fleet, for docs/SECURITY-FIGURES.md'
	@echo '  Tests/openapi            50,000 requests made from the OpenAPI document, each answer checked against it'
	@echo '  Tests/EndToEnd/Clients/published_clients     clients of Sensibo, such as Home Assistant, against fresh fleets'
	@echo '  Benchmarks/run           the parts and a fleet beside other software, for docs/BENCHMARKS.md; or docs/SCALE.md'
	@echo '  Benchmarks/{http-speed,http-tools,gateway-load}     reads and toggles over HTTP'
	@echo '  Benchmarks/{network-load,several-cells}     toggles over networks and cells'
	@echo '  Benchmarks/{observer-screen,page-load}       the observer and the page of large accounts'
	@echo '  Benchmarks/{idle-fleet,load-seconds,loop-profile}     an idle fleet, the load tester, the controller'
	@echo '  deploy/check-{image,kubernetes,monitoring,systemd}    how a fleet is deployed'

# A build without optimization takes half as long; the gateway, which takes as long as all the rest, is built while the
# fleet runs.
# A build of everything would include the tools of all libraries, and the tests.
run: dependencies
	@[ -e $(DEBUG)/fleet ] || echo 'Building a fleet: about two minutes on two processors, the first time.'
	$(SWIFT) build $(SWIFT_FLAGS) --target LocalPrograms
	$(DEBUG)/fleet up --devices $(DEVICES) --scenario $(SCENARIO) \
	  --build-gateway 'exec env -u _ nice $(SWIFT) build $(SWIFT_FLAGS) --product gateway'

build: dependencies
	@[ -e $(RELEASE)/fleet ] || echo 'Building with optimization: about six minutes on two processors, the first time.'
	$(SWIFT) build $(RELEASE_FLAGS) --target TestPrograms
	set -e; for product in $(PRODUCTS); do $(SWIFT) build $(RELEASE_FLAGS) --product $$product; done

install: build
	$(SWIFT) build $(RELEASE_FLAGS) --product generate-manual
	install -d $(BIN) $(LIBEXEC) $(MAN) $(BASH) $(ZSH) $(FISH)
	install -s -m 755 $(addprefix $(RELEASE)/,$(EXECUTABLES)) $(LIBEXEC)
	ln -sf ../libexec/sensibus/fleet $(BIN)/sensibus
	set -e; for name in $(filter-out http-load,$(EXECUTABLES)); do \
	  page=$(MAN)/sensibus-$$name.1; \
	  words="sensibus $${name#fleet}"; \
	  $(RELEASE)/generate-manual $(LIBEXEC)/$$name --date $(MANUAL_DATE) --output-directory - >$$page; \
	  sed -i -e 's/^$$/.Pp/' -e 's/^\.Dt "SENSIBUS \(.*\)"/.Dt SENSIBUS-\1/' \
	    -e 's/^\.Nm "sensibus \(.*\)"$$/.Nm sensibus-\1/' -e "s/^\.Nm$$/.Nm \"$${words% }\"/" $$page; \
	done
	mv $(MAN)/sensibus-fleet.1 $(MAN)/sensibus.1
	$(BIN)/sensibus --generate-completion-script bash >$(BASH)/sensibus
	$(BIN)/sensibus --generate-completion-script zsh >$(ZSH)/_sensibus
	$(BIN)/sensibus --generate-completion-script fish >$(FISH)/sensibus.fish

uninstall:
	rm -f $(BIN)/sensibus $(BASH)/sensibus $(ZSH)/_sensibus $(FISH)/sensibus.fish
	rm -f $(MAN)/sensibus.1 $(foreach name,$(EXECUTABLES),$(LIBEXEC)/$(name) $(MAN)/sensibus-$(name).1)
	[ ! -d $(LIBEXEC) ] || rmdir $(LIBEXEC)

wheel: build
	@deploy/install-dependencies python3-venv binutils advancecomp
	deploy/build-wheel $(RELEASE)

deb: build
	deploy/build-deb

test:
	@deploy/install-dependencies --tests
	Tests/run $(if $(FILTER),'$(FILTER)')

test-long:
	@deploy/install-dependencies --tests --shells
	Tests/run-long

fuzz:
	@deploy/install-dependencies --browser python3
	Fuzz/run --executions $(EXECUTIONS)
	@test ! -x /usr/bin/chromedriver || Fuzz/html-cleaner --executions $(EXECUTIONS)

sim: dependencies
	$(SWIFT) build $(RELEASE_FLAGS) --product fleet
	$(RELEASE)/fleet simulate --seeds $(SEEDS)
	SENSIBUS_PLANTED_BUGS=1 $(SWIFT) build $(RELEASE_FLAGS) --scratch-path .build/planted --product fleet
	.build/planted/release/fleet simulate --planted

torture:
	Tests/stress torture $(TOGGLES)

counts: build
	@deploy/install-dependencies --tests
	$(SWIFT) build $(RELEASE_FLAGS) --product core-counts
	SENSIBUS_EXECUTABLES=$(CURDIR)/$(RELEASE) $(SWIFT) test $(SWIFT_FLAGS) --filter 'CountTests|SystemCallTests'

figures: dependencies
	@deploy/install-dependencies python3
	Tests/figures

format:
	$(SWIFT) format --in-place --recursive $(SOURCES)

check: dependencies
	$(SWIFT) format lint --strict --recursive $(SOURCES)
	Tests/figures --check
	deploy/check-docs
	deploy/check-commits
	$(MAKE) proto
	git diff --exit-code -- $(CODEC)

docs: dependencies
	@python3 -c 'import ensurepip' 2>/dev/null || deploy/install-dependencies python3-venv
	deploy/check-docs
	test -x .build/docs-env/bin/mkdocs || python3 -m venv .build/docs-env
	.build/docs-env/bin/pip install --quiet --disable-pip-version-check 'mkdocs-material==9.8.2'
	NO_MKDOCS_2_WARNING=1 PYTHONDONTWRITEBYTECODE=1 .build/docs-env/bin/mkdocs build --strict
	deploy/build-reference
	@echo 'The site: file://$(CURDIR)/.build/site/index.html'
	@echo 'Search and the Swift API need a server: python3 -m http.server --bind 127.0.0.1 --directory .build/site'

proto: dependencies
	@deploy/install-dependencies protobuf-compiler
	$(SWIFT) build --package-path Tools --product protoc-gen-fleetwire
	protoc --proto_path=proto --plugin=protoc-gen-fleetwire=Tools/.build/debug/protoc-gen-fleetwire \
	  --fleetwire_out=Sources --fleetwire_opt=Mapping=proto/mapping proto/sensibus/v1/*.proto

# The messages of swift-protobuf are generated for each run.
conformance: dependencies
	@deploy/install-dependencies protobuf-compiler
	$(SWIFT) build --package-path Tools --product protoc-gen-swift
	rm -rf $(REFERENCE)
	mkdir $(REFERENCE)
	protoc --proto_path=proto --plugin=protoc-gen-swift=Tools/.build/debug/protoc-gen-swift \
	  --swift_out=$(REFERENCE) --swift_opt=Visibility=Internal --swift_opt=FileNaming=DropPath \
	  --swift_opt=UseAccessLevelOnImports=true proto/sensibus/v1/*.proto
	$(SWIFT) test --package-path Tools

dependencies:
	@deploy/install-dependencies
