import ArgumentParser
import FleetClient
import FleetProtocol
import ProcessSupport
import UserFiles

/// The names that a shell completes: those of devices and processes, and the IDs of recent requests.
struct KnownNames: Equatable, Sendable {
    /// The names of this completion; empty outside one.
    @TaskLocal static var current = KnownNames()

    static let limit = 1_000
    /// The time to ask the fleet: a shell waits for its completions.
    static let timeout: Duration = .milliseconds(200)
    private static let period: Duration = .seconds(600)

    /// The names of devices; the ID of a device whose name a shell could not take literally.
    var devices: [String] = []
    var processes: [String] = []
    /// The IDs of requests, the latest first.
    var requests: [String] = []

    static func areWanted(by words: [String]) -> Bool { words.first == "---completion" }

    /// Asks the fleet that the words of a command line name; without an answer in time, there are no names.
    static func load(for words: [String], in surroundings: Surroundings) async -> KnownNames {
        var quiet = surroundings
        quiet.terminal.notify = { _ in }
        let asking = quiet
        return await asking.within(timeout) { await ask(for: words, in: asking) } ?? KnownNames()
    }

    private static func ask(for words: [String], in surroundings: Surroundings) async -> KnownNames {
        var names = KnownNames()
        do {
            let access = try ControllerAccess(
                try .parse(option("--run-dir", in: words)), as: try .parse(option("--as", in: words)),
                in: surroundings)
            names.processes =
                try await SupervisorAccess(directory: access.directory).ask(.processes, timeout: timeout)?
                .processes.map(\.name) ?? []
            let wantsRequests = words.contains { $0 == "outcome" || $0 == "cancel" }
            guard !wantsRequests else {
                names.requests = try await access.withSession { client in
                    let collected = RecentRequests()
                    try await client.readHistory(back: period, timeout: timeout) { chunk in
                        await collected.add(chunk)
                    }
                    return await collected.latest
                }
                return names
            }
            let snapshot = try await access.withSession { try await $0.devices() }
            names.devices = snapshot.rows.prefix(limit).map { isPlain($0.name) ? $0.name : "\($0.device)" }
        } catch {
            // A shell must not show an error in the middle of a line that the user types.
            return names
        }
        return names
    }

    /// The option with its value, if the words have both.
    private static func option(_ name: String, in words: [String]) -> [String] {
        guard let place = words.lastIndex(of: name), words.indices.contains(place + 1) else { return [] }
        return [name, words[place + 1]]
    }

    /// Whether shells take a name literally: some expand `$` and backquotes in completions.
    static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && !name.hasPrefix("-")
            && name.allSatisfy { $0.isLetter || $0.isNumber || " -_.,+#/".contains($0) }
    }
}

private actor RecentRequests {
    private var ids: [String] = []

    var latest: [String] { ids.reversed() }

    func add(_ chunk: HistoryChunk) {
        ids = (ids + chunk.outcomes.map { $0.report.requestID.description }).suffix(KnownNames.limit)
    }
}

extension CompletionKind {
    static let devices = CompletionKind.custom { _, _, _ in KnownNames.current.devices }
    static let processes = CompletionKind.custom { _, _, _ in KnownNames.current.processes }
    static let requests = CompletionKind.custom { _, _, _ in KnownNames.current.requests }
    static let scenarios = CompletionKind.list(ReadyMadeScenario.allCases.map(\.rawValue))
}
