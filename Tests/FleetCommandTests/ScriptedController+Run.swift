import ArgumentParser
import FleetProtocol
import ProcessSupport
import Testing

@testable import fleet

extension ScriptedController {
    /// Runs a command line of `fleet` as a logged-in owner, against a controller that gives the closure's
    /// replies.
    ///
    /// - Parameter broken: The error of standard output; nil for an output that works.
    static func run(
        _ line: [String], broken: TextOutput.Failure? = nil, script: @escaping Script
    ) async throws -> (status: fleet.ExitStatus, transcript: Transcript) {
        let place = try TemporaryRunDirectory()
        try StoredSession(
            email: try #require(Email("demo@sensibus.local")), account: try #require(AccountID("demo")),
            role: .owner, token: try #require(Token(Array(repeating: 7, count: Token.length)))
        ).write(to: place.directory.sessionFile)
        let controller = try await ScriptedController.open(in: place.directory, script: script)
        let transcript = Transcript()
        let parsed = try Fleet.parseAsRoot(line + ["--run-dir", place.directory.path])
        let command = try #require(parsed as? any FleetCommand)
        var surroundings = Surroundings.test(transcript)
        if let broken {
            surroundings.terminal.print = { _ throws(CommandFailure) in throw CommandFailure(broken) }
        }
        let status = await command.status(in: surroundings)
        await controller.close()
        return (status, transcript)
    }
}
