import FleetProtocol
import ProcessSupport
import Testing
import UnixSignals

@testable import fleet

extension ScriptedController {
    /// Runs a command line of `fleet` as a logged-in owner, against a controller that gives the closure's
    /// replies; expects the exit status, and returns the output.
    ///
    /// - Parameter broken: The error of standard output; nil for an output that works.
    @discardableResult
    static func run(
        _ line: [String], broken: TextOutput.Failure? = nil, passwords: [String] = [], lines: [String] = [],
        stoppedBy signal: UnixSignal = .sigusr2, status expected: fleet.ExitStatus? = .done,
        sourceLocation: SourceLocation = #_sourceLocation, script: @escaping Script
    ) async throws -> Transcript {
        let place = try TemporaryRunDirectory()
        try StoredSession.sample.write(to: place.directory.sessionFile)
        let controller = try await ScriptedController.open(in: place.directory, script: script)
        let output = try await Fleet.output(
            of: line + ["--run-dir", place.directory.path], stoppedBy: signal, status: expected,
            sourceLocation: sourceLocation
        ) { surroundings in
            surroundings.type(passwords: passwords, lines: lines)
            guard let broken else { return }
            surroundings.terminal.print = { _ throws(CommandFailure) in throw CommandFailure(broken) }
        }
        await controller.close()
        return output
    }

    /// A script of a command that must not send a request.
    static let unasked: Script = { body in
        Issue.record("asked: \(body)")
        return nil
    }
}
