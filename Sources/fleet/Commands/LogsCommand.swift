import ArgumentParser
import FleetProtocol
import Runtime
import UnixSignals
import Wording

/// `fleet logs`: what the processes say.
struct LogsCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs",
        abstract: "Show what the processes of the fleet have logged.",
        discussion: """
            Without a NAME the lines of all are in the order of their times, with the \
            process's name in front. It shows the logs of a fleet that has ended, too. With \
            --follow it goes on until Ctrl-C.

            EXAMPLES
              fleet logs
              fleet logs controller --lines 200
              fleet logs node-1 --follow
            """)

    /// Lines shown at most before what is followed.
    static let lineLimit = 10_000
    /// How often it is looked whether there is more.
    private static let interval: Duration = .milliseconds(100)

    @Argument(help: "controller, supervisor, node-1, node-2, … (default: all)")
    var name: String?

    @Flag(name: [.customShort("f"), .long], help: "Show what is added, until Ctrl-C.")
    var follow = false

    @Option(help: ArgumentHelp("How many of the last lines: 0 to \(Self.lineLimit).", valueName: "count"))
    var lines = 50

    @OptionGroup var runDirectory: RunDirectoryOption

    func validate() throws {
        guard (0...Self.lineLimit).contains(lines) else {
            throw ValidationError("--lines \(lines): 0 to \(Self.lineLimit) can be shown")
        }
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let directory = try surroundings.runDirectory(runDirectory)
        let names = LogReader.names(in: directory)
        if let name, !names.contains(name) { throw unknown(name, among: names, in: directory) }
        let width = names.map(\.count).max() ?? 0
        var reader = LogReader(directory, of: name)
        guard follow else {
            tell(reader.tail(lines, moreIsToCome: false), width: width, in: surroundings)
            return .done
        }
        let signals = await surroundings.stopSignals()
        tell(reader.tail(lines, moreIsToCome: true), width: width, in: surroundings)
        let start = reader
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in signals { break } }
            group.addTask { try await follow(start, width: width, in: surroundings) }
            // The first to end is the signal: following ends only when it is cancelled.
            try await group.next()
            group.cancelAll()
        }
        return .done
    }

    private func follow(_ start: LogReader, width: Int, in surroundings: Surroundings) async throws {
        var reader = start
        while true {
            try await surroundings.pause(Self.interval)
            tell(reader.added(), width: width, in: surroundings)
        }
    }

    private func tell(_ entries: [LogEntry], width: Int, in surroundings: Surroundings) {
        for entry in entries {
            let line = SafeText.of(entry.text)
            guard name == nil else {
                surroundings.print(line)
                continue
            }
            let padding = String(repeating: " ", count: max(0, width - entry.name.count))
            surroundings.print("\(SafeText.of(entry.name))\(padding)  \(line)")
        }
    }

    private func unknown(_ name: String, among names: [String], in directory: RunDirectory) -> CommandFailure
    {
        CommandFailure(
            .usage, "there is no log of '\(SafeText.of(name))' in \(directory)",
            advice: names.isEmpty
                ? "there are none yet: start a fleet with `fleet up`"
                : "there are those of \(names.map(SafeText.of).joined(separator: ", "))")
    }
}
