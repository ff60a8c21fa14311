import ArgumentParser
import FleetProtocol
import Foundation
import ProcessSupport
import Synchronization
import TestSupport
import Testing

@testable import fleet

@Suite("User commands", .timeLimit(.minutes(1)))
struct UserCommandTests {
    private static let secret = "open sesame"

    /// Runs an operator's command line against a scripted controller.
    private func run(
        _ line: [String], typed: [String] = [], piped: String? = nil,
        script: @escaping ScriptedController.Script
    ) async throws -> (status: fleet.ExitStatus, transcript: Transcript) {
        let place = try TemporaryRunDirectory()
        try StoredSession(
            email: try #require(Email("demo@sensibus.local")), account: try #require(AccountID("demo")),
            role: .owner, token: try #require(Token(Array(repeating: 7, count: Token.length)))
        ).write(to: place.directory.sessionFile)
        let controller = try await ScriptedController.open(in: place.directory, script: script)
        let transcript = Transcript()
        var surroundings = Surroundings.test(transcript)
        let keys = Mutex(typed)
        surroundings.terminal.readPassword = { prompt throws(CommandFailure) in
            prompt()
            return keys.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        }
        surroundings.terminal.readLine = { piped }
        let parsed = try Fleet.parseAsRoot(["user"] + line + ["--run-dir", place.directory.path])
        let command = try #require(parsed as? any FleetCommand)
        let status = await command.status(in: surroundings)
        await controller.close()
        #expect(!(transcript.results.joined() + transcript.talk).contains(Self.secret))
        return (status, transcript)
    }

    @Test("adding a user sends the email, the role and the password that was typed twice")
    func add() async throws {
        let line = ["add", "Ann@example.com", "--role", "viewer", "--operator", "--json"]
        let (status, output) = try await run(line, typed: [Self.secret, Self.secret]) { body in
            guard case .addUser(let user, let password) = body else { return nil }
            #expect(password.text == Self.secret)
            return .userAdded(user)
        }
        #expect(status == .done)
        #expect(output.results == [#"{"email":"ann@example.com","role":"viewer","operator":true}"#])
    }

    @Test("a user added without options is a member and not an operator")
    func defaults() async throws {
        let line = ["add", "ann@example.com", "--password-stdin"]
        let (status, _) = try await run(line, piped: Self.secret) { body in
            guard case .addUser(let user, _) = body else { return nil }
            #expect(user.role == .member)
            #expect(!user.isOperator)
            return .userAdded(user)
        }
        #expect(status == .done)
    }

    @Test("the password is the first line of a file, unless others can read that file")
    func passwordFile() async throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/password"
        try "\(Self.secret)\n".write(toFile: path, atomically: false, encoding: .utf8)
        let line = ["add", "ann@example.com", "--password-file", path]
        chmod(path, 0o600)
        let (status, _) = try await run(line) { body in
            guard case .addUser(let user, let password) = body else { return nil }
            #expect(password.text == Self.secret)
            return .userAdded(user)
        }
        #expect(status == .done)
        chmod(path, 0o644)
        for path in [path, "\(path).missing"] {
            let (status, output) = try await run(["add", "ann@example.com", "--password-file", path]) {
                body in
                Issue.record("asked: \(body)")
                return nil
            }
            #expect(status != .done && output.talk.contains(path))
        }
        #expect(throws: (any Error).self) {
            try Fleet.parseAsRoot(["login", "ann@example.com", "--password-stdin", "--password-file", path])
        }
    }

    @Test(
        "no request is sent without a password, or with two that differ",
        arguments: [([], fleet.ExitStatus.refused), ([secret, "other"], .usage), ([""], .usage)])
    func noPassword(typed: [String], expected: fleet.ExitStatus) async throws {
        for line in [["add", "ann@example.com"], ["password", "ann@example.com"]] {
            let (status, output) = try await run(line, typed: typed) { body in
                Issue.record("asked: \(body)")
                return nil
            }
            #expect(status == expected)
            #expect(output.results.isEmpty)
        }
    }

    @Test("users are listed in a table with headings")
    func list() async throws {
        let ann = User(email: try #require(Email("ann@example.com")), role: .member, isOperator: false)
        let (status, output) = try await run(["list"]) { $0 == .users ? .users([ann]) : nil }
        #expect(status == .done)
        #expect(output.results == ["EMAIL            ROLE    OPERATOR", "ann@example.com  member  no"])
    }

    @Test("a change of role sends the user and the role")
    func role() async throws {
        let (status, output) = try await run(["role", "ann@example.com", "viewer"]) { body in
            guard case .changeRole(let email, .viewer) = body else { return nil }
            return .userChanged(User(email: email, role: .viewer, isOperator: false))
        }
        #expect(status == .done)
        #expect(output.results == ["ann@example.com now has the role viewer"])
    }

    @Test("removing a user or changing a password prints how many sessions ended")
    func ended() async throws {
        let (_, removed) = try await run(["remove", "ann@example.com"]) { body in
            if case .removeUser = body { .userRemoved(sessions: 2) } else { nil }
        }
        #expect(removed.results == ["ann@example.com was removed; 2 sessions ended"])
        let line = ["password", "ann@example.com", "--password-stdin", "--json"]
        let (_, changed) = try await run(line, piped: Self.secret) { body in
            if case .changePassword = body { .passwordChanged(sessions: 1) } else { nil }
        }
        #expect(changed.results == [#"{"email":"ann@example.com","sessionsEnded":1,"keysRevoked":0}"#])
    }

    @Test(
        "a new password revokes the user's keys unless --keep-keys is given, and prints how many",
        arguments: [false, true])
    func keys(areRetained: Bool) async throws {
        let line = ["password", "ann@example.com", "--password-stdin"] + (areRetained ? ["--keep-keys"] : [])
        let (status, output) = try await run(line, piped: Self.secret) { body in
            guard case .changePassword(_, _, let retainsKeys) = body else { return nil }
            #expect(retainsKeys == areRetained)
            return .passwordChanged(sessions: 1, keys: retainsKeys ? 0 : 1)
        }
        #expect(status == .done)
        let keys = areRetained ? "0 keys were revoked" : "1 key was revoked"
        #expect(output.results == ["password of ann@example.com changed; 1 session ended, \(keys)"])
    }

    @Test("a password of fewer than 8 bytes is refused before a request is sent")
    func short() async throws {
        for line in [["password", "ann@example.com"], ["add", "ann@example.com"]] {
            let (status, output) = try await run(line + ["--password-stdin"], piped: "7 bytes") { body in
                Issue.record("asked: \(body)")
                return nil
            }
            #expect(status == .usage)
            #expect(output.talk.contains("8 to 256 bytes"))
        }
    }

    @Test(
        "a refused user command prints the reason and has its exit status",
        arguments: [
            (Refusal.notFound, fleet.ExitStatus.notPermitted, "fleet user list"),
            (.notAllowed("only operators can manage users"), .notPermitted, "operators"),
            (.busy(retryAfter: .seconds(60)), .undecided, "try again"),
        ])
    func refused(refusal: Refusal, expected: fleet.ExitStatus, text: String) async throws {
        let (status, output) = try await run(["remove", "ann@example.com"]) { _ in .refusal(refusal) }
        #expect(status == expected)
        #expect(output.talk.contains(text))
    }

    @Test(
        "invalid emails and roles are usage errors",
        arguments: [
            "user add nobody", "user add a@b --role king", "user remove", "user password a@b c",
            "user role a@b king",
        ])
    func usage(line: String) {
        let error = #expect(throws: (any Error).self) {
            try Fleet.parseAsRoot(line.split(separator: " ").map(String.init))
        }
        if let error { #expect(Fleet.exitCode(for: error).rawValue == 64) }
    }
}
