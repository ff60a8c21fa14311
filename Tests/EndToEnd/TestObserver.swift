import Foundation
import Glibc
import Subprocess
import SystemPackage
import Testing

/// An observer that runs beside a test; its lines are available as they come.
actor TestObserver {
    private struct Wait {
        let times: Int
        let sourceLocation: SourceLocation
        let matches: @Sendable (ObserverLine) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private var lines: [ObserverLine] = []
    private var waiting: [Wait] = []
    private(set) var processID: Int32?

    /// Runs an observer during the body, which begins when the observer has joined, and ends it in order.
    ///
    /// - Parameters:
    ///   - filter: The devices that it shows; empty for all.
    ///   - session: The file of its session; nil for the fleet's own.
    @discardableResult
    static func with<Value: Sendable>(
        _ lab: Lab, filter: String = "", session: String? = nil,
        _ body: @escaping @Sendable (TestObserver) async throws -> Value
    ) async throws -> Value {
        try Lab.require("observer")
        let observer = TestObserver()
        let output = try LiveOutput()
        let result = try await Subprocess.run(
            .path(Lab.products.appending("observer")),
            arguments: Arguments(
                ["--json", "--filter", filter] + (session.map { ["--session", $0] } ?? [])),
            workingDirectory: FilePath(lab.directory), input: .none,
            output: .fileDescriptor(output.writing, closeAfterSpawningProcess: true), error: .discarded
        ) { execution in
            try await withThrowingTaskGroup(of: Void.self) { group -> Value in
                group.addTask {
                    for await line in output.lines { await observer.receive(line) }
                }
                await observer.began(execution.processIdentifier.value)
                defer { kill(execution.processIdentifier.value, SIGTERM) }
                await observer.sees { $0.kind == "resync" }
                return try await body(observer)
            }
        }
        #expect(result.terminationStatus == .exited(0) || result.terminationStatus == .signaled(SIGKILL))
        return result.closureResult
    }

    private func began(_ processID: Int32) {
        self.processID = processID
    }

    private func receive(_ text: String) {
        guard let line = try? JSONDecoder().decode(ObserverLine.self, from: Data(text.utf8)) else {
            Issue.record("the observer wrote no JSON object: \(text)")
            return
        }
        lines.append(line)
        for index in waiting.indices.reversed() where isFulfilled(waiting[index]) {
            waiting.remove(at: index).continuation.resume()
        }
    }

    /// Waits for a number of lines, including earlier ones; ends early if its test has ended.
    func sees(
        _ times: Int = 1, sourceLocation: SourceLocation = #_sourceLocation,
        _ matches: @escaping @Sendable (ObserverLine) -> Bool
    ) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let wait = Wait(
                    times: times, sourceLocation: sourceLocation, matches: matches,
                    continuation: continuation)
                if isFulfilled(wait) || Task.isCancelled {
                    continuation.resume()
                } else {
                    waiting.append(wait)
                }
            }
        } onCancel: {
            Task { await giveUp() }
        }
    }

    /// The number of such lines so far.
    func count(_ matches: (ObserverLine) -> Bool) -> Int { lines.count(where: matches) }

    private func giveUp() {
        let text = "the observer did not say it; its last: \(lines.suffix(20).map(\.kind))"
        for wait in waiting {
            Issue.record("\(text)", sourceLocation: wait.sourceLocation)
            wait.continuation.resume()
        }
        waiting = []
    }

    private func isFulfilled(_ wait: Wait) -> Bool {
        lines.count(where: wait.matches) >= wait.times
    }
}
