import ArgumentParser
import FleetProtocol
import ProcessSupport
import Testing

@testable import fleet

extension ScriptedController {
    /// Runs a command line of `fleet` as a logged-in owner, against a controller that gives the closure's
    /// replies.
    static func run(
        _ line: [String], script: @escaping Script
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
        let status = await command.status(in: Surroundings.test(transcript))
        await controller.close()
        return (status, transcript)
    }
}
