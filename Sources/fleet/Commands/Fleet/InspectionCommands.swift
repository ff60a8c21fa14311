import ArgumentParser
import FleetClient
import FleetProtocol
import ProcessSupport
import UserText

struct DoctorCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check libraries, limits, permissions and processes, and suggest fixes.",
        discussion: """
            Each line begins with ok, warning or problem. The command changes nothing. It exits \
            with 1 if there is a problem, and with 0 otherwise.

            EXAMPLES
              fleet doctor
              fleet doctor --json | jq -r 'select(.level != "ok") | .advice'
            """)

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    var startsPrograms: Bool { true }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let directory: RunDirectory?
        do throws(RuntimeError) {
            // The directory is not checked here: unsafe permissions become a finding.
            directory = try surroundings.uncheckedRunDirectory(runDirectory)
        } catch {
            // Before the first `fleet up` the default run directory does not exist; a named one must.
            guard case .noFleet = error, runDirectory.path == nil else { throw error }
            directory = nil
        }
        let examination = Examination(surroundings: surroundings)
        let machine = await examination.machine(for: directory)
        var fleet: FleetFacts?
        if let directory { fleet = await examination.fleet(in: directory) }
        let findings = Checkup.findings(machine, fleet)
        for finding in findings {
            for line in json.isWanted ? [finding.json.line] : finding.lines { try surroundings.print(line) }
        }
        return findings.contains { $0.level == .problem } ? .refused : .done
    }
}

struct LogsCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs", abstract: "Show the logs of the fleet's processes.",
        discussion: """
            Without a NAME it merges the logs of all processes by time, and prefixes each line \
            with the process's name. It also shows the logs of a fleet that has stopped. With \
            --follow it runs until Ctrl-C. The gateway's log has the requests that it refused, those for \
            changes, and those that a cloud fault affected.

            EXAMPLES
              fleet logs
              fleet logs controller --lines 200
              fleet logs node-1 --follow
            """)

    /// The maximum of `--lines`; lines that `--follow` adds are not limited.
    static let lineLimit = 10_000
    /// The interval at which `--follow` reads new lines.
    private static let interval: Duration = .milliseconds(100)

    @Argument(help: "controller, supervisor, node-1, node-2, … (default: all)", completion: .processes)
    var name: String?

    @Flag(name: [.customShort("f"), .long], help: "Keep printing new lines until Ctrl-C.") var follow = false
    @Option(help: .value("count", "The number of last lines: 0 to \(Self.lineLimit).")) var lines = 50
    @OptionGroup var runDirectory: RunDirectoryOption

    func validate() throws {
        try require(
            (0...Self.lineLimit).contains(lines), "--lines \(lines): 0 to \(Self.lineLimit) are possible")
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let directory = try surroundings.runDirectory(runDirectory)
        let names = LogReader.names(in: directory)
        if let name, !names.contains(name) { throw unknown(name, among: names, in: directory) }
        let width = names.map(\.count).max() ?? 0
        var reader = LogReader(directory, of: name)
        guard follow else {
            try printEntries(reader.tail(lines, moreIsToCome: false), width: width, in: surroundings)
            return .done
        }
        let start = reader
        try await surroundings.untilStopped { try await follow(start, width: width, in: surroundings) }
        return .done
    }

    private func follow(_ start: LogReader, width: Int, in surroundings: Surroundings) async throws {
        var reader = start
        try printEntries(reader.tail(lines, moreIsToCome: true), width: width, in: surroundings)
        while true {
            try await surroundings.pause(Self.interval)
            try printEntries(reader.added(), width: width, in: surroundings)
        }
    }

    private func printEntries(_ entries: [LogEntry], width: Int, in surroundings: Surroundings) throws {
        for entry in entries {
            let line = SafeText.of(entry.text)
            guard name == nil else {
                try surroundings.print(line)
                continue
            }
            let padding = String(repeating: " ", count: max(0, width - entry.name.count))
            try surroundings.print("\(SafeText.of(entry.name))\(padding)  \(line)")
        }
    }

    private func unknown(_ name: String, among names: [String], in directory: RunDirectory) -> CommandFailure
    {
        CommandFailure(
            .usage, "no log of '\(SafeText.of(name))' in \(directory)",
            advice: names.isEmpty
                ? "there are no logs yet: start a fleet with `fleet up`"
                : "logs: \(names.map(SafeText.of).joined(separator: ", "))")
    }
}
