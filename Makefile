# Sensibus: `make run` shows a live fleet, `make test` runs the tests, `make help` lists the rest.

SWIFT ?= swift
DEVICES ?= 100
SCENARIO ?= lively
SEEDS ?= 42000
SCREEN ?= 600
CLUSTER ?= full
TOGGLES ?= 50000
DAMAGES ?= 1000
MINUTES ?= 2
KILLS ?= 100
CLICKS ?= 200
EXECUTIONS ?= 5000000
SOURCES = Package.swift Plugins Sources Tests Snippets Benchmarks/Sources Fuzz/Package.swift Fuzz/Sources Tools/Package.swift \
  Tools/Sources Tools/Tests
EXECUTABLES = fleet controller device-sim observer gateway http-load
DEBUG = .build/debug
RELEASE = .build/release
DRIVERS = .build/peers
# A debug build writes no debug information, which would take a tenth of its time: DEBUG_INFO=dwarf adds it.
DEBUG_INFO ?= none
SWIFT_FLAGS = -debug-info-format $(DEBUG_INFO)
# A release build has TLS, whose library takes a tenth of the time, and needs no Swift where it runs.
RELEASE_FLAGS = -c release --traits TLS --static-swift-stdlib -debug-info-format $(DEBUG_INFO)
export SWIFT_FLAGS RELEASE_FLAGS
PREFIX ?= /usr/local
DESTDIR ?=
BIN = $(DESTDIR)$(PREFIX)/bin
MAN = $(DESTDIR)$(PREFIX)/share/man/man1
BASH = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSH = $(DESTDIR)$(PREFIX)/share/zsh/site-functions
FISH = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
REFERENCE = Tools/Tests/SwiftProtobufTests/Generated
CODEC = Sources/*/Generated

# Ubuntu has Chromium only as a snap, so the page is not tested in a browser there.
BROWSER = $(shell . /etc/os-release && [ "$$ID" = debian ] && echo chromium chromium-driver)
# Shells that read the completions, and what shows manual pages.
SHELLS = bsdextrautils fish man-db zsh

# The shell sets _ to the last command; if it differs, the package manager rebuilds everything.
unexport _

.PHONY: help run programs test test-long clients hostile siege security-figures sign-ups fuzz sim torture recovery gateway-kills \
  page-clicks damage test-hosts test-cluster frozen screen long-replay check-stalls check-threads check-memory \
  check-install check-image check-kubernetes check-monitoring check-systemd build install uninstall bench bench-scale \
  bench-observer bench-gateway bench-http bench-network bench-cells bench-page loop-profile load-seconds idle peers counts figures \
  format check docs proto conformance dependencies test-dependencies bench-dependencies

help:
	@echo 'make help                list the targets'
	@echo 'make run                 install what is missing, build, start $(DEVICES) devices and show them live'
	@echo 'make programs            build the executables of make run into .build/debug, without optimization'
	@echo 'make test                install what the tests need, and run those that a change waits for; or FILTER=REGEX'
	@echo 'make test-long           run the other tests: alone, in browsers, on hosts, of a release build; needs root'
	@echo 'make clients             run published clients of Sensibo'"'"'s cloud, such as Home Assistant, against fresh fleets'
	@echo 'make hostile             send 50,000 hostile messages to each socket of the controller'
	@echo 'make siege               attack a fleet with greedy peers, and with 5,000 silent connections to each socket'
	@echo 'make security-figures    attack a fleet over the network, and write docs/SECURITY-FIGURES.md; needs root'
	@echo 'make sign-ups            flood a fleet with requests from 64 accounts that have signed up'
	@echo 'make fuzz                run libFuzzer on every decoder of bytes from outside, EXECUTIONS=$(EXECUTIONS) times on each'
	@echo 'make sim                 simulate $(SEEDS) seeds, and check that every planted bug is found'
	@echo 'make torture             kill, freeze and starve a fleet under load, and compare its answers with what the devices did'
	@echo 'make recovery            kill the controller KILLS=$(KILLS) times under 2,000 toggles/s, and judge when toggles succeed again'
	@echo 'make gateway-kills       kill the gateway 50 times while users toggle devices on its page'
	@echo 'make page-clicks         click the page'"'"'s switches twice or three times, CLICKS=$(CLICKS) times without latency and with 150 ms'
	@echo 'make damage              remove, cut or change a file of a killed fleet $(DAMAGES) times, and start with the remaining files'
	@echo 'make test-hosts          run fleets over several hosts whose network loses, delays and cuts what they send; needs root'
	@echo 'make test-cluster        run three cells over several hosts, lose thirty hosts under load, and judge every toggle; needs root'
	@echo 'make frozen              stop an observer during 20,000 changes a second, and judge when it is correct again'
	@echo 'make screen              show two fleets, one under load, for SCREEN=$(SCREEN) seconds each, kill processes, and compare screens with fresh ones'
	@echo 'make long-replay         record a million updates, and replay them'
	@echo 'make check-stalls        run the tests that have sockets or processes while their processors pause for up to 0.8 s'
	@echo 'make check-threads       run the tests that have threads with the thread sanitizer'
	@echo 'make check-memory        run these tests and more with the address sanitizer'
	@echo 'make check-install       install into a directory of its own, test the installed files without Swift, and uninstall'
	@echo 'make check-image         build the container image, and run a fleet of three containers (as root)'
	@echo 'make check-kubernetes    validate the manifests for Kubernetes, and run the small fleet from them (as root)'
	@echo 'make check-monitoring    test the alert rules, the dashboard, and the metrics of a gateway and a load'
	@echo 'make check-systemd       rate the systemd units, and run a fleet with their limits'
	@echo 'make build               build the release executables into .build/release'
	@echo 'make install             install executables, manual pages and completions under $(PREFIX), or PREFIX=...'
	@echo 'make uninstall           remove the installed files'
	@echo 'make bench               measure the parts and a fleet on this machine beside other software, and write docs/BENCHMARKS.md'
	@echo 'make bench-scale         start a million devices, measure their cost, and write docs/SCALE.md'
	@echo 'make bench-observer      measure the observer'"'"'s screen beside a loaded fleet for MINUTES=$(MINUTES) minutes'
	@echo 'make bench-gateway       measure pods, toggles over HTTP, 200 pages with a stream, and 400 slow connections'
	@echo 'make bench-http          measure one gateway with fleet load, wrk and hey, without and with a stall'
	@echo 'make bench-network       measure toggles over tcp with CURVE between two hosts beside ipc; needs root'
	@echo 'make bench-cells         measure several controllers with their nodes on one machine'
	@echo 'make bench-page          measure how fast the page of 10,000 devices, 1,000 sites and 5,000 posts loads and scrolls'
	@echo 'make loop-profile        print the functions in which the controller spends most of its time under load'
	@echo 'make load-seconds        run 20 loads, and fail if the tester disturbs their first second; then run its self-test'
	@echo 'make idle                fail if an idle fleet of 100 devices with its gateway takes more than 0.4 % of a core'
	@echo 'make peers               build the other software that bench measures'
	@echo 'make counts              fail if a part of a toggle takes more allocations, instructions or system calls than its bound'
	@echo 'make figures             print figures of the structure of Sources, and fail if one is beyond its limit'
	@echo 'make format              format the sources'
	@echo 'make check               fail if sources are not formatted, a link of a document is broken, or generated files differ'
	@echo 'make docs                check the links of the documents, and build their site and the Swift API into .build/site'
	@echo 'make proto               generate the codec from proto/'
	@echo 'make conformance         compare the codec with swift-protobuf, and test its generator'
	@echo 'make dependencies        install the packages that the build needs'
	@echo 'make test-dependencies   install the packages that the tests need'
	@echo 'make bench-dependencies  install the packages that bench and counts need'

# A build without optimization takes half as long; the gateway, which takes as long as all the rest, is built while the
# fleet runs.
run: programs
	$(DEBUG)/fleet up --devices $(DEVICES) --scenario $(SCENARIO) \
	  --build-gateway 'exec env -u _ nice $(SWIFT) build $(SWIFT_FLAGS) --product gateway'

# A build of everything would include the tools of all libraries, and the tests.
programs: dependencies
	@[ -e $(DEBUG)/fleet ] || echo 'Building a fleet: about two minutes on two processors, the first time.'
	PART=local $(SWIFT) build $(SWIFT_FLAGS)

build: dependencies
	@[ -e $(RELEASE)/fleet ] || echo 'Building with optimization: about six minutes on two processors, the first time.'
	$(SWIFT) build $(RELEASE_FLAGS) --target TestPrograms

install: build
	$(SWIFT) build $(RELEASE_FLAGS) --product generate-manual
	install -d $(BIN) $(MAN) $(BASH) $(ZSH) $(FISH)
	set -e; for name in $(EXECUTABLES); do \
	  install -s -m 755 $(RELEASE)/$$name $(BIN)/$$name; \
	  $(RELEASE)/generate-manual $(RELEASE)/$$name --output-directory $(MAN); \
	  sed -i 's/^$$/.Pp/' $(MAN)/$$name.1; \
	  $(RELEASE)/$$name --generate-completion-script bash >$(BASH)/$$name; \
	  $(RELEASE)/$$name --generate-completion-script zsh >$(ZSH)/_$$name; \
	  $(RELEASE)/$$name --generate-completion-script fish >$(FISH)/$$name.fish; \
	done

uninstall:
	for name in $(EXECUTABLES); do \
	  rm -f $(BIN)/$$name $(MAN)/$$name.1 $(BASH)/$$name $(ZSH)/_$$name $(FISH)/$$name.fish; \
	done

test: test-dependencies
	Tests/run $(if $(FILTER),'$(FILTER)')

test-long: test-dependencies bench-dependencies
	@deploy/install-dependencies $(SHELLS)
	Tests/run-long

# Needs Python 3.14: PYTHON314=path, or root, to install it from Debian's development release.
clients: test-dependencies build
	@deploy/install-dependencies debootstrap git node-axios node-lodash node-typescript
	Tests/EndToEnd/Clients/published_clients $(RELEASE)

hostile: test-dependencies build
	SENSIBUS_HOSTILE=50000 SENSIBUS_EXECUTABLES=$(CURDIR)/$(RELEASE) $(SWIFT) test $(SWIFT_FLAGS) --filter HostileTests

siege: test-dependencies build
	SENSIBUS_SIEGE=60 SENSIBUS_EXECUTABLES=$(CURDIR)/$(RELEASE) $(SWIFT) test $(SWIFT_FLAGS) --filter 'BesiegedTests|SilentPeersTests'

security-figures: test-dependencies bench-dependencies build
	$(SWIFT) build $(SWIFT_FLAGS) --product sensibusPackageTests
	$(SWIFT) build $(RELEASE_FLAGS) --product core-bench
	Tests/security-figures $(RELEASE) $(RELEASE)/core-bench --write docs/SECURITY-FIGURES.md

sign-ups: test-dependencies build
	SENSIBUS_SIGN_UPS=90 SENSIBUS_EXECUTABLES=$(CURDIR)/$(RELEASE) $(SWIFT) test $(SWIFT_FLAGS) --filter HostileSignUpsTests

fuzz: dependencies
	@deploy/install-dependencies python3 $(BROWSER)
	Fuzz/run --executions $(EXECUTIONS)
	@test ! -x /usr/bin/chromedriver || Fuzz/html-cleaner --executions $(EXECUTIONS)

sim: dependencies
	$(SWIFT) build $(RELEASE_FLAGS) --product fleet
	$(RELEASE)/fleet simulate --seeds $(SEEDS)
	SENSIBUS_PLANTED_BUGS=1 $(SWIFT) build $(RELEASE_FLAGS) --scratch-path .build/planted --product fleet
	.build/planted/release/fleet simulate --planted

# The executables that people run, and the tests of a debug build.
torture: test-dependencies build
	SENSIBUS_TORTURE=$(TOGGLES) SENSIBUS_EXECUTABLES=$(CURDIR)/$(RELEASE) $(SWIFT) test $(SWIFT_FLAGS) --filter EndToEnd.TortureTests
	SENSIBUS_TORTURE=$(TOGGLES) SENSIBUS_EXECUTABLES=$(CURDIR)/$(RELEASE) \
	  Tests/in-namespaces $(SWIFT) test $(SWIFT_FLAGS) --skip-build --filter HostTortureTests/full

recovery: test-dependencies build
	SENSIBUS_KILLS=$(KILLS) SENSIBUS_EXECUTABLES=$(CURDIR)/$(RELEASE) $(SWIFT) test $(SWIFT_FLAGS) --filter RepeatedKillTests

gateway-kills: test-dependencies build
	SENSIBUS_GATEWAY_KILLS=50 SENSIBUS_EXECUTABLES=$(CURDIR)/$(RELEASE) $(SWIFT) test $(SWIFT_FLAGS) --filter TortureTests/gatewayKills

page-clicks: test-dependencies build
	SENSIBUS_CLICKS=$(CLICKS) SENSIBUS_EXECUTABLES=$(CURDIR)/$(RELEASE) $(SWIFT) test $(SWIFT_FLAGS) --filter PageTests/clicks

damage: test-dependencies build
	SENSIBUS_DAMAGE=$(DAMAGES) SENSIBUS_EXECUTABLES=$(CURDIR)/$(RELEASE) $(SWIFT) test $(SWIFT_FLAGS) --filter DamageTests

# The namespaces need root; the build before them does not.
test-hosts: test-dependencies build
	@deploy/install-dependencies tshark
	$(SWIFT) build $(SWIFT_FLAGS) --product sensibusPackageTests
	SENSIBUS_HOSTS=full SENSIBUS_EXECUTABLES=$(CURDIR)/$(RELEASE) \
	  Tests/in-namespaces $(SWIFT) test $(SWIFT_FLAGS) --skip-build --no-parallel --filter HostTests

test-cluster: test-dependencies build
	$(SWIFT) build $(SWIFT_FLAGS) --product sensibusPackageTests
	SENSIBUS_CLUSTER=$(CLUSTER) SENSIBUS_EXECUTABLES=$(CURDIR)/$(RELEASE) \
	  Tests/in-namespaces $(SWIFT) test $(SWIFT_FLAGS) --skip-build --no-parallel --filter HostTests.ClusterTests

frozen: test-dependencies build
	SENSIBUS_FREEZE=20000 SENSIBUS_EXECUTABLES=$(CURDIR)/$(RELEASE) $(SWIFT) test $(SWIFT_FLAGS) --filter FrozenObserverTests

screen: test-dependencies build
	SENSIBUS_SCREEN=$(SCREEN) SENSIBUS_EXECUTABLES=$(CURDIR)/$(RELEASE) $(SWIFT) test $(SWIFT_FLAGS) --filter LastingScreenTests

long-replay: test-dependencies
	SENSIBUS_REPLAY=1000000 $(SWIFT) test $(SWIFT_FLAGS) --filter RecordingTests/many

check-stalls: test-dependencies
	Tests/Stalls/run

check-threads: test-dependencies
	Tests/Sanitizers/run threads

check-memory: test-dependencies
	Tests/Sanitizers/run memory

check-install: test-dependencies
	@deploy/install-dependencies $(SHELLS)
	Tests/Install/run

bench: build bench-dependencies peers
	$(SWIFT) run $(RELEASE_FLAGS) core-bench write docs/BENCHMARKS.md $(RELEASE) $(DRIVERS)

# Peers that cannot be installed are not measured.
peers: dependencies
	@Benchmarks/Peers/install
	Benchmarks/Peers/build $(DRIVERS)

bench-observer: build dependencies
	@deploy/install-dependencies python3
	Benchmarks/observer-screen $(RELEASE) --minutes $(MINUTES)

bench-gateway: build dependencies
	@deploy/install-dependencies python3
	Benchmarks/gateway-load $(RELEASE)

bench-http: build dependencies
	@deploy/install-dependencies python3 wrk hey
	Benchmarks/http-tools $(RELEASE)

bench-network: build dependencies
	@deploy/install-dependencies python3
	$(SWIFT) build $(RELEASE_FLAGS) --product core-bench
	Tests/in-namespaces Benchmarks/network-load $(RELEASE) $(RELEASE)/core-bench

bench-cells: build dependencies
	@deploy/install-dependencies python3
	Benchmarks/several-cells $(RELEASE)

bench-page: build dependencies
	@deploy/install-dependencies python3 $(BROWSER)
	Benchmarks/page-load $(RELEASE)

# Needs root permissions or kernel.perf_event_paranoid <= 0.
loop-profile: build dependencies
	@deploy/install-dependencies python3 linux-perf
	Benchmarks/loop-profile $(RELEASE)

load-seconds: build dependencies
	@deploy/install-dependencies python3
	Benchmarks/load-seconds $(RELEASE)

idle: build dependencies
	@deploy/install-dependencies python3
	Benchmarks/idle-fleet $(RELEASE)

bench-scale: build dependencies
	$(SWIFT) run $(RELEASE_FLAGS) core-bench scale docs/SCALE.md $(RELEASE)

counts: test-dependencies bench-dependencies build
	$(SWIFT) build $(RELEASE_FLAGS) --product core-counts
	SENSIBUS_EXECUTABLES=$(CURDIR)/$(RELEASE) $(SWIFT) test $(SWIFT_FLAGS) --filter 'CountTests|SystemCallTests'

figures: dependencies
	@deploy/install-dependencies python3
	Tests/figures

format:
	$(SWIFT) format --in-place --recursive $(SOURCES)

check-image: build
	@deploy/install-dependencies buildah podman python3
	deploy/check-image $(RELEASE)

# kubectl comes with its cluster, or from Debian 13 (kubernetes-client).
check-kubernetes: build
	@deploy/install-dependencies buildah busybox-static catatonit iproute2 openssl podman python3 python3-venv python3-yaml
	test -x .build/kubernetes-env/bin/pip || python3 -m venv .build/kubernetes-env
	.build/kubernetes-env/bin/pip install --quiet --disable-pip-version-check 'kubernetes-validate==1.37.0'
	deploy/check-kubernetes --run $(RELEASE)

check-monitoring: build
	@deploy/install-dependencies prometheus prometheus-node-exporter prometheus-pushgateway python3
	deploy/check-monitoring --run $(RELEASE)

check-systemd: build
	@deploy/install-dependencies bubblewrap python3-seccomp systemd
	deploy/check-systemd --run $(RELEASE)

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

test-dependencies: dependencies
	@deploy/install-dependencies tmux procps python3-zmq python3-protobuf protobuf-compiler strace valgrind binutils \
	  nodejs python3-venv curl openssl iproute2 util-linux $(BROWSER)
	@Tests/EndToEnd/Clients/install

# Where the processor's counter cannot be read, valgrind counts instructions.
bench-dependencies: dependencies
	@deploy/install-dependencies valgrind binutils
