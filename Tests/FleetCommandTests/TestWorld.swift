import FleetProtocol
import Foundation
import Glibc
import ProcessSupport
import Synchronization
import Testing
import UnixSignals

@testable import fleet

/// A run directory that is removed after the test.
final class TemporaryRunDirectory {
    let directory: RunDirectory

    init() throws {
        directory = RunDirectory(path: FileManager.default.temporaryDirectory.path + "/fleet-\(UUID())")
        try directory.create()
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: directory.path)
        } catch {
            Issue.record("\(directory) cannot be removed: \(error)")
        }
    }
}

/// The output of a command.
final class Transcript: Sendable {
    private let printed = Mutex<[String]>([])
    private let messages = Mutex<[String]>([])

    /// The lines on standard output.
    var results: [String] { printed.withLock { $0 } }
    /// The lines on standard error.
    var talk: String { messages.withLock { $0.joined(separator: "\n") } }

    func print(_ line: String) { printed.withLock { $0.append(line) } }
    func notify(_ line: String) { messages.withLock { $0.append(line) } }
}

extension Surroundings {
    /// The machine's surroundings, except for output, typed input and the stop signal.
    ///
    /// Tests run in parallel, and a signal reaches all of them.
    static func test(_ transcript: Transcript, stoppedBy signal: UnixSignal = .sigusr2) -> Surroundings {
        let clock = SystemClock()
        return Surroundings(
            environment: [:], workingDirectory: "/", executable: "/nowhere/fleet", processID: getpid(),
            terminal: Terminal(
                canDraw: false, columns: { nil }, print: { transcript.print($0) },
                notify: { transcript.notify($0) },
                showProgress: { if let line = $0 { transcript.notify(line) } },
                readPassword: { _ throws(CommandFailure) in nil }, readLine: { nil },
                redirectOutput: { _ throws(CommandFailure) in }),
            limits: { .current() }, now: { clock.now() },
            threadTime: { clock.threadTime() }, pause: wait(for:),
            makeRequestID: {
                var generator = SystemRandomNumberGenerator()
                return .init(at: clock.now().wall, using: &generator)
            },
            randomBits: { 1 }, stopSignals: { await UnixSignalsSequence(trapping: signal) },
            leave: { Glibc.exit($0.rawValue) })
    }
}
