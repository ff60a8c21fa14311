import ArgumentParser
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
    private let ended = Mutex<fleet.ExitStatus?>(nil)

    /// The lines on standard output.
    var results: [String] { printed.withLock { $0 } }
    /// The lines on standard error.
    var talk: String { messages.withLock { $0.joined(separator: "\n") } }

    /// The exit status; nil until the command has ended.
    var status: fleet.ExitStatus? { ended.withLock { $0 } }

    func end(_ status: fleet.ExitStatus) { ended.withLock { $0 = status } }
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

extension Surroundings {
    /// Answers prompts for passwords and for lines, each once in that order; then input is at its end.
    mutating func type(passwords: [String] = [], lines: [String] = []) {
        let passwords = Mutex(passwords)
        let lines = Mutex(lines)
        terminal.readPassword = { prompt throws(CommandFailure) in
            prompt()
            return passwords.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        }
        terminal.readLine = { lines.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
    }
}

extension Fleet {
    /// The parsed command line, with words between spaces.
    static func parsed<Parsed>(_ line: String, as: Parsed.Type = Parsed.self) throws -> Parsed {
        try #require(try parseAsRoot(line.split(separator: " ").map(String.init)) as? Parsed)
    }

    /// Runs a command line, expects that exit status if one is given, and returns its output.
    @discardableResult
    static func output(
        of line: [String], stoppedBy signal: UnixSignal = .sigusr2,
        status expected: fleet.ExitStatus? = .done,
        sourceLocation: SourceLocation = #_sourceLocation,
        with change: (inout Surroundings) -> Void = { _ in }
    ) async throws -> Transcript {
        let transcript = Transcript()
        var surroundings = Surroundings.test(transcript, stoppedBy: signal)
        change(&surroundings)
        let command = try #require(try parseAsRoot(line) as? any FleetCommand)
        transcript.end(await command.status(in: surroundings))
        if let expected {
            #expect(transcript.status == expected, "\(transcript.talk)", sourceLocation: sourceLocation)
        }
        return transcript
    }

    /// The message for a command line that is a usage error.
    static func usageError(of line: [String], sourceLocation: SourceLocation = #_sourceLocation) -> String {
        let error = #expect(throws: (any Error).self, sourceLocation: sourceLocation) {
            try parseAsRoot(line)
        }
        guard let error else { return "" }
        #expect(exitCode(for: error).rawValue == 64, sourceLocation: sourceLocation)
        return fullMessage(for: error)
    }
}

extension UpCommand {
    /// The processes that the command starts.
    var processes: [ProcessPlan] {
        get throws {
            try fleet.plan.processes(
                in: RunDirectory(path: "/tmp/x"), binaries: "/bin", supervisor: 1, display: .none)
        }
    }

    /// The arguments of the first process of that role.
    func arguments(of role: ProcessRole) throws -> [String] {
        try #require(try processes.first { $0.role == role }).arguments
    }
}
