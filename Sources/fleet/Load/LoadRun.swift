import Bus
import FleetProtocol
import LoadCore
import ProcessSupport
import UserFiles
import UserText

/// A run of `fleet load`, from the selection of devices to the report.
struct LoadRun: Sendable {
    enum Target: Equatable, Sendable {
        case runningFleet
        case testers(Int)
        case ownFleet(FleetPlan)
        /// An echo server, to measure the tester itself.
        case echo
    }

    /// The number of device IDs in requests to an echo server.
    private static let echoDevices: UInt64 = 1_000

    let plans: [LoadPlan]
    let objectives: [Objective]
    let abortConditions: [AbortCondition]
    let selectors: [String]
    let target: Target
    /// The gateway of a load over HTTP; nil for one over the bus.
    let gateway: LoadedGateway?
    let user: UserOption
    let runDirectory: RunDirectoryOption
    let outputs: LoadOutputs
    let export: LoadExport
    let isScreenWanted: Bool
    let surroundings: Surroundings

    private let interruption = LoadInterruption()

    /// Runs the loads, and reports the results; `done` if the objectives were met and toggles were applied.
    func run() async throws -> ExitStatus {
        try outputs.check()
        try export.check()
        if gateway != nil { try HTTPLoadProgram(in: surroundings).check() }
        let earlier = try outputs.earlier()
        var current = LoadEnvironment.current(in: surroundings)
        guard let loaded = try await surroundings.untilStopped({ await loadedFleet() }) else {
            throw CommandFailure.interrupted
        }
        (current.fleetVersion, current.scenario) = (loaded.version, loaded.scenario)
        let environment = current
        if ProgramVersion.isDebugBuild {
            surroundings.notify(
                "fleet: this is a debug build, several times slower than the release build of `make build`")
        }
        let signals = await surroundings.stopSignals()
        return try await interruption.count(signals, pausing: startsPrograms ? surroundings.pause : nil) {
            if let baseline = outputs.baseline {
                let pairs = try await measure(beside: baseline)
                return try printSummary(
                    pairs.map(\.now), beside: pairs.map(\.before), in: environment, against: nil)
            }
            var measured = try await export.during(interruption) { try await measure() }
            // The load that was running is the last one that was measured.
            if let last = measured.indices.last {
                measured[last].result.details.abortedBy = interruption.reason
            }
            return try printSummary(measured, in: environment, against: earlier)
        }
    }

    private var startsPrograms: Bool {
        if case .ownFleet = target { return true }
        return gateway != nil || export.isUsed
    }

    // MARK: Measuring

    private func measure() async throws -> [LoadMeasurement] {
        switch target {
        case .runningFleet: return try await measure(over: accessToLoad())
        case .testers(let count):
            let coordinator = LoadCoordinator(
                testers: count, objectives: objectives, selectors: selectors, surroundings: surroundings,
                interruption: interruption, watch: watch(isShared: true))
            return try await coordinator.measure(plans, with: accessToLoad())
        case .ownFleet(let plan):
            let fleet = OwnFleet(plan: plan, surroundings: surroundings, interruption: interruption)
            surroundings.notify(
                "fleet: starting \(Count.of(plan.devices, "device")) for this load, scenario "
                    + SafeText.of(plan.scenario))
            return try await fleet.use {
                try await measure(over: ControllerAccess(to: $0, in: surroundings))
            }
        case .echo: return try await measureEcho()
        }
    }

    private func measure(beside baseline: String) async throws -> [AlternatingLoad.Pair] {
        guard gateway == nil else {
            throw CommandFailure(
                .usage, "--compare names a directory, and versions are compared over the bus only",
                advice: "over HTTP, give the JSON of an earlier result")
        }
        let isRamp = if case .ramp = plans[0].demand { true } else { false }
        guard !isRamp, plans.allSatisfy({ $0.demand == plans[0].demand }) else {
            throw CommandFailure(
                .usage, "--compare names a directory, so two versions are compared at one rate",
                advice: "give --rate in place of \(isRamp ? "--ramp" : "--sweep")")
        }
        guard !export.isUsed else {
            throw CommandFailure(
                .usage, "--compare names a directory, and a comparison of versions has no metrics",
                advice: "leave --metrics-file and --metrics-push out")
        }
        guard case .ownFleet(let fleetPlan) = target else {
            throw CommandFailure(
                .usage, "--compare names a directory, so two versions are compared",
                advice: "add --with-fleet, and --repeat 7 to see whether a change is more than noise")
        }
        return try await AlternatingLoad(
            plans: plans, objectives: objectives, selectors: selectors, fleetPlan: fleetPlan,
            baseline: baseline, surroundings: surroundings, interruption: interruption
        ).measure()
    }

    /// The version of the fleet and the scenario of its devices, as far as they are known. The executable of
    /// a running fleet is that of the process, which may be older than the file beside `fleet`.
    private func loadedFleet() async -> (version: String?, scenario: String?) {
        let examination = Examination(surroundings: surroundings)
        switch target {
        case .echo: return (nil, nil)
        case .ownFleet(let plan):
            let controller = "\(surroundings.executableDirectory)/controller"
            return (await examination.fleetVersion(printedBy: controller), plan.scenario)
        case .runningFleet, .testers:
            guard let directory = try? surroundings.runDirectory(runDirectory),
                let reply = try? await SupervisorAccess(directory: directory).ask(.processes)
            else { return (nil, nil) }
            let scenario = reply.fleet?.scenario
            guard let id = reply.processes.first(where: { $0.name == "controller" })?.processID else {
                return (nil, scenario)
            }
            return (await examination.fleetVersion(printedBy: "/proc/\(id)/exe"), scenario)
        }
    }

    private func accessToLoad() throws -> ControllerAccess {
        try ControllerAccess(runDirectory, as: user, in: surroundings).allowingLoad()
    }

    private func measure(over access: ControllerAccess) async throws -> [LoadMeasurement] {
        let devices = try await access.withSession {
            try await LoadDevices.find(selectors, with: $0, in: surroundings)
        }
        let session = try access.session
        guard let gateway else {
            return try await load(devices.map(\.id), as: session.token, over: access.connection)
        }
        return try await HTTPLoadProcess(
            plans: plans, objectives: objectives, surroundings: surroundings, interruption: interruption,
            watch: watch()
        ).measure(
            on: devices, of: gateway.url(in: access.directory), trusting: gateway.certificates,
            as: session)
    }

    private func watch(isShared: Bool = false) -> LoadWatch {
        LoadWatch(
            abortConditions, isLive: isScreenWanted && !outputs.isJSONPrinted, isShared: isShared,
            exportingTo: export, stopping: interruption, in: surroundings)
    }

    private func measureEcho() async throws -> [LoadMeasurement] {
        guard let token = Token([UInt8](repeating: 0, count: Token.length)) else {
            preconditionFailure("a token has \(Token.length) bytes")
        }
        let devices = (0..<Self.echoDevices).map { DeviceID(fleetSeed: 1, index: $0) }
        surroundings.notify("fleet: self-test, a server in this process replaces the fleet")
        return try await TemporaryRunDirectory(purpose: "load", surroundings: surroundings).use { directory in
            try directory.create()
            let connection = FleetConnection(of: directory, as: nil)
            return try await EchoFleet.use(at: connection.endpoint(.clients)) {
                try await load(devices, as: token, over: connection)
            }
        }
    }

    private func load(
        _ devices: [DeviceID], as token: Token, over connection: FleetConnection
    ) async throws -> [LoadMeasurement] {
        let (progress, progressFeed) = AsyncStream.makeStream(
            of: LoadProgress.self, bufferingPolicy: .bufferingNewest(1))
        let watch = self.watch()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            // A slow reader of the terminal must not slow the load.
            group.addTask {
                for await step in progress { await watch.follow(step) }
                watch.end()
            }
            defer { progressFeed.finish() }
            return try await Loop.withThread(name: "load", precision: .exact) { loop in
                let driver = LoadDriver(
                    on: loop, token: token, surroundings: surroundings, progressFeed: progressFeed)
                await interruption.handle { await driver.interrupt() }
                try await driver.connect(plans[0].connections, over: connection)
                return try await carryOut(on: devices, with: driver, watch)
            }
        }
    }

    private func carryOut(
        on devices: [DeviceID], with driver: LoadDriver, _ watch: LoadWatch
    ) async throws -> [LoadMeasurement] {
        var measured: [LoadMeasurement] = []
        for plan in plans where measured.isEmpty || !interruption.hasCome {
            watch.begin(plan, measured.count, of: plans.count)
            surroundings.notify("fleet: \(LoadSummary.text(for: plan, devices: devices.count))")
            measured.append(try await driver.run(plan, on: devices).measurement(against: objectives))
        }
        return measured
    }

    // MARK: Reporting

    private func printSummary(
        _ measured: [LoadMeasurement], beside baseline: [LoadMeasurement] = [],
        in environment: LoadEnvironment, against earlier: LoadReport?
    ) throws -> ExitStatus {
        guard !measured.isEmpty else { throw LoadSummary.interrupted }
        let report = LoadReport(
            steps: measured.map { .init(result: $0.result, objectiveResults: $0.objectiveResults) },
            baseline: baseline.map { .init(result: $0.result, objectiveResults: $0.objectiveResults) },
            environment: environment,
            target: target == .echo ? .echo : gateway == nil ? .fleet : .http)
        let comparison = earlier.map { LoadComparison(of: report, with: $0) } ?? LoadComparison(of: report)
        try outputs.write(
            report, percentileFile: measured[measured.count - 1].percentileFile, comparison: comparison)
        for line in LoadSummary(report: report, comparison: comparison).lines {
            if outputs.isJSONPrinted { surroundings.notify(line) } else { try surroundings.print(line) }
        }
        if outputs.isJSONPrinted { try surroundings.print(report.json) }
        if measured.allSatisfy({ $0.result.applied == 0 }) {
            throw LoadSummary.failure(of: report)
        }
        return report.isMet && (measured.count == plans.count || interruption.hasCome) ? .done : .refused
    }
}
