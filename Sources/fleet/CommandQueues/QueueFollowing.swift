import FleetClient
import FleetProtocol
import Synchronization
import UserFiles
import UserText

/// Starts a command queue, and reports the end of each of its commands once, until all have ended or the user
/// stops watching. It asks the controller twice a second. While the controller does not answer, such as
/// during a restart, it keeps asking for ``absence``.
struct QueueFollowing: Sendable {
    /// The longest tolerated absence of the controller.
    static let absence: Duration = .seconds(60)
    private static let interval: Duration = .milliseconds(500)
    private static let timeout: Duration = .seconds(2)

    let id: RequestID
    let names: QueueNames
    let isJSON: Bool
    let surroundings: Surroundings

    /// Starts the command queue, or finds one that was started before, and follows it. The status is
    /// `undecided` when the user stopped watching.
    func run(_ plan: QueuePlan, with client: FleetClient) async throws -> ExitStatus {
        let hasStarted = Mutex(false)
        let status = try await surroundings.untilStopped {
            defer { surroundings.showProgress(nil) }
            let report = try await start(plan, with: client)
            hasStarted.withLock { $0 = true }
            return try await follow(report, with: client)
        }
        if let status { return status }
        let isStarted = hasStarted.withLock { $0 }
        let text = isStarted ? "the queue continues" : "the queue may or may not have been started"
        surroundings.notify("fleet: \(text); \(advice)")
        return .undecided
    }

    private func start(_ plan: QueuePlan, with client: FleetClient) async throws -> QueueReport {
        let report = try await answer { () async throws(FleetError) in
            try await client.services(timeout: Self.timeout).startCommandQueue(id, plan)
        }
        surroundings.notify(
            "queue \(id): \(Count.of(plan.commands.count, "command")); Ctrl-C leaves it running")
        return report
    }

    private func follow(_ first: QueueReport, with client: FleetClient) async throws -> ExitStatus {
        var reporter = QueueReporter(names: names, isJSON: isJSON, surroundings: surroundings)
        var report = first
        while true {
            try reporter.report(report)
            guard !report.state.isFinal else { return try reporter.conclude(report) }
            try await surroundings.pause(Self.interval)
            report = try await answer { () async throws(FleetError) in
                try await client.services(timeout: Self.timeout).commandQueue(id)
            }
        }
    }

    /// Returns the controller's answer, and asks again while there is none.
    private func answer(_ ask: () async throws(FleetError) -> QueueReport) async throws -> QueueReport {
        let began = surroundings.now().monotonic
        while true {
            do throws(FleetError) {
                return try await ask()
            } catch {
                guard error.mayPass, began.duration(to: surroundings.now().monotonic) < Self.absence else {
                    let failure = CommandFailure(error)
                    throw CommandFailure(
                        failure.status, failure.problem,
                        advice: error.mayPass ? advice : failure.advice)
                }
            }
            try await surroundings.pause(Self.interval)
        }
    }

    private var advice: String {
        "`fleet queue show \(id)` shows its state, `fleet queue cancel \(id)` ends it"
    }
}

extension FleetError {
    /// Whether a retry may succeed soon, for example when the controller restarts.
    fileprivate var mayPass: Bool {
        switch self {
        case .noReply, .noController, .refused(.busy): true
        case .refused, .badReply, .unexpectedReply, .tooManyRequests, .closed, .cancelled, .transport: false
        }
    }
}

/// Reports the progress of a command queue: the end of each command once, and the running command.
struct QueueReporter {
    let names: QueueNames
    let isJSON: Bool
    let surroundings: Surroundings
    private var printed = 0
    private var shown = ""

    init(names: QueueNames, isJSON: Bool, surroundings: Surroundings) {
        (self.names, self.isJSON, self.surroundings) = (names, isJSON, surroundings)
    }

    /// Reports the changes since the last call; commands end in order.
    mutating func report(_ report: QueueReport) throws(CommandFailure) {
        while printed < report.endedCount {
            surroundings.showProgress(nil)
            shown = ""
            try surroundings.print(
                isJSON ? report.json(ofCommandAt: printed).line : Self.line(report, printed, names))
            printed += 1
        }
        show(report)
    }

    func conclude(_ report: QueueReport) throws(CommandFailure) -> ExitStatus {
        surroundings.showProgress(nil)
        if isJSON {
            try surroundings.print(report.summary.json.line)
        } else {
            surroundings.notify("queue \(report.id) is \(report.standing)")
        }
        return ExitStatus(report)
    }

    /// The line for an ended command: its ID, and the outcome unless it was the requested one.
    private static func line(_ report: QueueReport, _ place: Int, _ names: QueueNames) -> String {
        let command = report.plan.commands[place]
        let label = SafeText.of(command.label)
        guard case .ended(_, let end) = report.progress[place], !end.kind.isSuccess else { return label }
        return "\(label): \(names[command.device]): \(SafeText.of(end.text))"
    }

    private mutating func show(_ report: QueueReport) {
        var line = ""
        if let place = report.current {
            let command = report.plan.commands[place]
            line = "\(report.state.name): \(SafeText.of(command.label)) on \(names[command.device]), "
            line += "\(place + 1) of \(report.plan.commands.count), takes \(DurationText.text(command.takes))"
        } else if !report.state.isFinal {
            line = "\(report.state.name): \(report.endedCount) of \(report.plan.commands.count) have ended"
        }
        guard line != shown else { return }
        shown = line
        surroundings.showProgress(line.isEmpty ? nil : line)
    }
}

extension ExitStatus {
    init(_ report: QueueReport) {
        self =
            switch report.state {
            case .running, .paused, .stopping, .cancelling: .undecided
            case .done: .done
            case .failed, .stopped, .cancelled: .refused
            }
    }
}

extension QueueReport {
    func lines(_ names: QueueNames) -> [String] {
        var table = TextTable([("COMMAND", .left), ("DEVICE", .left), ("TAKES", .right), ("STATE", .left)])
        for (command, progress) in zip(plan.commands, progress) {
            let state = if case .ended(_, let end) = progress { end.text } else { progress.name }
            table.add([command.label, names[command.device], DurationText.text(command.takes), state])
        }
        let head = "queue \(id) of \(author), started \(TimeText.iso8601(startedAt))"
        return [head, "is \(standing); on failure: \(plan.onFailure.name)"] + table.lines
    }
}

extension QueueSummary {
    static func columns(at now: WallTime) -> [TextTable.Column<QueueSummary>] {
        [
            ("QUEUE", .left, { $0.id.description }), ("STATE", .left, { $0.state.name }),
            ("ENDED", .right, { "\($0.ended) of \($0.commands)" }), ("FAILED", .right, { "\($0.failed)" }),
            ("AGE", .right, { TimeText.age($0.startedAt.duration(to: now)) }),
            ("BY", .left, { $0.author.address }),
        ]
    }
}

struct QueueNames: Sendable {
    private let names: [DeviceID: String]

    init(_ plan: QueuePlan, in directory: DeviceDirectory) {
        let wanted = Set(plan.commands.map(\.device))
        names = Dictionary(
            directory.devices.filter { wanted.contains($0.id) }.map { ($0.id, $0.name) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The name of a device, safe for a terminal; the ID of an unknown one.
    subscript(device: DeviceID) -> String {
        names[device].map { $0.isEmpty ? device.description : SafeText.of($0) } ?? device.description
    }
}

extension QueueFile {
    /// The plan for the devices of an account; a failure names the line of a device that is unknown or
    /// ambiguous.
    func plan(in directory: DeviceDirectory) throws(CommandFailure) -> QueuePlan {
        var planned: [QueueCommand] = []
        for command in commands {
            do throws(CommandFailure) {
                planned.append(
                    QueueCommand(
                        label: command.label, device: try directory.device(command.device).id,
                        kind: command.kind, takes: command.takes))
            } catch {
                let place = [SafeText.of(file), command.line.map(String.init)].compactMap(\.self)
                throw CommandFailure(
                    error.status, "\(place.joined(separator: ":")): \(error.problem)", advice: error.advice)
            }
        }
        do throws(QueuePlanError) {
            return try QueuePlan(commands: planned, onFailure: onFailure)
        } catch {
            throw CommandFailure(.usage, "\(SafeText.of(file)): \(error)", advice: "nothing was started")
        }
    }
}
