import ArgumentParser
import DeviceCore
import FleetProtocol
import Glibc
import ProcessSupport
import UserFiles
import UserText

/// `device-sim rehearse`: runs a scenario from its start, as fast as the machine can.
struct Rehearse: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run a scenario as fast as possible, without a fleet.",
        discussion: """
            Prints an hourly table, every event, or a plot. The result depends only on scenario, devices \
            and seed, so a run can be repeated exactly. A node that the scenario crashes restarts at once.

            EXAMPLES
              device-sim rehearse --scenario worst-day --for 6h
              device-sim rehearse --scenario office-day --devices 10000 --svg
              device-sim rehearse --scenario lively --devices 10 --for 1h --events
            """)

    enum Output: String, EnumerableFlag {
        /// A table with a row an hour.
        case table
        case events
        /// A plot of rooms and devices over time.
        case svg

        static func help(for value: Output) -> ArgumentHelp? {
            switch value {
            case .table: "Print an hourly table."
            case .events: "Print all events, a JSON object a line."
            case .svg: "Print a plot of three rooms and of the devices on and online."
            }
        }
    }

    /// The longest rehearsal, simulated time.
    private static let longest: Duration = .seconds(7 * 86_400)

    @Option(
        help: ArgumentHelp("The scenario: \(ReadyMadeScenario.names); or a file.", valueName: "name|file"),
        transform: { try ScenarioChoice($0, zones: Environment.timeZones).scenario })
    var scenario: Scenario

    @Option(help: "The number of devices, 1 to \(Limits.nodeDevices).") var devices = 100

    @Option(help: "The random seed for names, IDs and events.") var seed: UInt64 = 1

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("The simulated time, up to 168h (default: 24h).", valueName: "duration"),
        transform: Rehearse.duration(of:))
    var duration: Duration = .seconds(86_400)

    @Flag(exclusivity: .exclusive) var output = Output.table

    private static func duration(of text: String) throws -> Duration {
        let allowed = "a rehearsal is above 0s and at most \(DurationText.text(longest))"
        do {
            let duration = try DurationText.parse(text)
            guard duration > .zero, duration <= longest else { throw ValidationError(allowed) }
            return duration
        } catch let error as DurationText.Invalid {
            throw ValidationError("\(error); \(allowed)")
        }
    }

    func validate() throws { try checkDeviceCount(devices) }

    func run() throws {
        let rehearsal = Rehearsal(
            NodeConfiguration(name: .first, account: .demo, devices: devices, seed: seed, scenario: scenario))
        switch output {
        case .events: try printEvents(of: rehearsal)
        case .table: try write(RehearsalTable(try record(rehearsal), of: scenario).lines)
        case .svg: try write([RehearsalPicture(try record(rehearsal), of: scenario).svg])
        }
    }

    private var endMs: Int64 { duration.wholeMilliseconds }

    private func printEvents(of rehearsal: Rehearsal) throws {
        var rehearsal = rehearsal
        let lines = RehearsalEvents(startingAt: scenario.clock.start)
        var bytes: [UInt8] = []
        try rehearsal.run(untilMs: endMs) { rehearsal, effect in
            lines.append(effect, of: rehearsal, to: &bytes)
            guard bytes.count > 1 << 16 else { return }
            try TextOutput.standardOutput.write(bytes)
            bytes.removeAll(keepingCapacity: true)
        }
        try TextOutput.standardOutput.write(bytes)
    }

    /// Runs the whole rehearsal, and prints the progress to a terminal.
    private func record(_ rehearsal: Rehearsal) throws -> RehearsalRecord {
        var (rehearsal, record) = (rehearsal, RehearsalRecord(of: rehearsal.node))
        let (clock, isWatched) = (SystemClock(), isatty(STDERR_FILENO) == 1)
        var reportedAt = clock.now().monotonic
        for end in RehearsalRecord.sampleTimesMs(until: endMs) {
            rehearsal.run(untilMs: end) { record.add($1) }
            record.sample(rehearsal)
            let now = clock.now().monotonic
            guard isWatched, reportedAt.duration(to: now) >= .seconds(1) else { continue }
            reportedAt = now
            TextOutput.standardError.writeIgnoringErrors("\rrehearsed \(end * 100 / endMs) % ")
        }
        if isWatched { TextOutput.standardError.writeIgnoringErrors("\r\u{1b}[K") }
        return record
    }

    private func write(_ lines: [String]) throws {
        try TextOutput.standardOutput.writeLine(lines.joined(separator: "\n"))
    }
}

/// `device-sim explain`: describes the effect of a scenario on a fleet, in words and numbers.
struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check a scenario, and describe its effect on a fleet.",
        discussion: """
            For an invalid file it exits with status 64, and lists all errors with their lines, the values \
            that were found and those that are allowed.

            EXAMPLES
              device-sim explain --scenario office-day
              device-sim explain --scenario worst-day --devices 10000 --json
            """)

    @Option(
        help: ArgumentHelp("The scenario: \(ReadyMadeScenario.names); or a file.", valueName: "name|file"),
        transform: { try ScenarioChoice($0, zones: Environment.timeZones).scenario })
    var scenario: Scenario

    @Option(help: "The number of devices in the fleet, 1 to \(Limits.nodeDevices).") var devices = 100

    @Flag(help: "Print one JSON object.") var json = false

    func validate() throws { try checkDeviceCount(devices) }

    func run() throws {
        let preview = ScenarioPreview(of: scenario, devices: devices)
        let lines = json ? [preview.json.line] : preview.lines
        try TextOutput.standardOutput.writeLine(lines.joined(separator: "\n"))
    }
}

private func checkDeviceCount(_ devices: Int) throws(ValidationError) {
    guard (1...Limits.nodeDevices).contains(devices) else {
        throw ValidationError("--devices \(devices): expected 1 to \(Limits.nodeDevices)")
    }
}
