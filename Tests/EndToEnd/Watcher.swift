import Foundation
import Glibc
import Testing

/// An observer that runs beside a test, with its lines at hand as they come.
actor Watcher {
    private var lines: [ObserverLine] = []
    private var waiting:
        [(matches: @Sendable (ObserverLine) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    private(set) var processID: Int32?

    /// Runs an observer for as long as the body runs, and ends it in order.
    static func with(_ lab: Lab, _ body: @escaping @Sendable (Watcher) async throws -> Void) async throws {
        let watcher = Watcher()
        let output = try LiveOutput()
        let status = try await lab.run("observer", ["--json"], output: output.writing) { processID in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await line in output.lines { await watcher.take(line) }
                }
                await watcher.began(processID)
                defer { kill(processID, SIGTERM) }
                try await body(watcher)
            }
        }
        #expect([0, 128 + SIGKILL].contains(status))
    }

    private func began(_ processID: Int32) {
        self.processID = processID
    }

    private func take(_ text: String) {
        guard let line = try? JSONDecoder().decode(ObserverLine.self, from: Data(text.utf8)) else {
            Issue.record("the observer wrote no JSON object: \(text)")
            return
        }
        lines.append(line)
        for index in waiting.indices.reversed() where waiting[index].matches(line) {
            waiting.remove(at: index).continuation.resume()
        }
    }

    /// Waits for a line, those that have already come included.
    func sees(_ matches: @escaping @Sendable (ObserverLine) -> Bool) async {
        if lines.contains(where: matches) { return }
        await withCheckedContinuation { waiting.append((matches, $0)) }
    }

    /// How many lines there are of some kind.
    func count(_ matches: (ObserverLine) -> Bool) -> Int {
        lines.filter(matches).count
    }
}
