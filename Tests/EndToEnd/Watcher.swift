import Foundation
import Glibc
import Testing

/// An observer that runs beside a test, with its lines at hand as they come.
actor Watcher {
    /// A test that waits for lines.
    private struct Waiting {
        let count: Int
        let matches: @Sendable (ObserverLine) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private var lines: [ObserverLine] = []
    private var waiting: [Waiting] = []
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
        for index in waiting.indices.reversed() where has(waiting[index].count, waiting[index].matches) {
            waiting.remove(at: index).continuation.resume()
        }
    }

    /// Waits for a line, or several of a kind, those that have already come included.
    func sees(_ count: Int = 1, _ matches: @escaping @Sendable (ObserverLine) -> Bool) async {
        if has(count, matches) { return }
        await withCheckedContinuation {
            waiting.append(Waiting(count: count, matches: matches, continuation: $0))
        }
    }

    private func has(_ count: Int, _ matches: (ObserverLine) -> Bool) -> Bool {
        lines.filter(matches).count >= count
    }
}
