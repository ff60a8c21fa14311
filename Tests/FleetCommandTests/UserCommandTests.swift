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
    @discardableResult
    private func run(
        _ line: [String], typed: [String] = [], piped: String? = nil,
        status expected: fleet.ExitStatus? = .done,
        script: @escaping ScriptedController.Script = ScriptedController.unasked
    ) async throws -> Transcript {
        let output = try await ScriptedController.run(
            ["user"] + line, passwords: typed, lines: piped.map { [$0] } ?? [], status: expected,
            script: script)
        #expect(!(output.results.joined() + output.talk).contains(Self.secret))
        return output
    }

    @Test("adding a user sends the email, the role and the password that was typed twice")
    func add() async throws {
        let line = ["add", "Ann@example.com", "--role", "viewer", "--operator", "--json"]
        let output = try await run(line, typed: [Self.secret, Self.secret]) { body in
            guard case .addUser(let user, let password) = body else { return nil }
            #expect(password.text == Self.secret)
            return .userAdded(user)
        }
        #expect(output.results == [#"{"email":"ann@example.com","role":"viewer","operator":true}"#])
    }

    @Test("a user added without options is a member and not an operator")
    func defaults() async throws {
        let line = ["add", "ann@example.com", "--password-stdin"]
        try await run(line, piped: Self.secret) { body in
            guard case .addUser(let user, _) = body else { return nil }
            #expect(user.role == .member)
            #expect(!user.isOperator)
            return .userAdded(user)
        }
    }

    @Test("the password is the first line of a file, unless others can read that file")
    func passwordFile() async throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/password"
        try "\(Self.secret)\n".write(toFile: path, atomically: false, encoding: .utf8)
        let line = ["add", "ann@example.com", "--password-file", path]
        chmod(path, 0o600)
        try await run(line) { body in
            guard case .addUser(let user, let password) = body else { return nil }
            #expect(password.text == Self.secret)
            return .userAdded(user)
        }
        chmod(path, 0o644)
        for path in [path, "\(path).missing"] {
            let output = try await run(["add", "ann@example.com", "--password-file", path], status: nil)
            #expect(output.status != .done && output.talk.contains(path))
        }
    }

    @Test(
        "no request is sent without a password, or with two that differ",
        arguments: [([], fleet.ExitStatus.refused), ([secret, "other"], .usage), ([""], .usage)])
    func noPassword(typed: [String], expected: fleet.ExitStatus) async throws {
        for line in [["add", "ann@example.com"], ["password", "ann@example.com"]] {
            let output = try await run(line, typed: typed, status: expected)
            #expect(output.results.isEmpty)
        }
    }

    @Test("users are listed in a table with headings")
    func list() async throws {
        let ann = User(email: .ann, role: .member, isOperator: false)
        let output = try await run(["list"]) { $0 == .users ? .users([ann]) : nil }
        #expect(output.results == ["EMAIL            ROLE    OPERATOR", "ann@example.com  member  no"])
    }

    @Test("a change of role sends the user and the role")
    func role() async throws {
        let output = try await run(["role", "ann@example.com", "viewer"]) { body in
            guard case .changeRole(let email, .viewer) = body else { return nil }
            return .userChanged(User(email: email, role: .viewer, isOperator: false))
        }
        #expect(output.results == ["ann@example.com now has the role viewer"])
    }

    @Test("removing a user or changing a password prints how many sessions ended")
    func ended() async throws {
        let removed = try await run(["remove", "ann@example.com"]) { body in
            if case .removeUser = body { .userRemoved(sessions: 2) } else { nil }
        }
        #expect(removed.results == ["ann@example.com was removed; 2 sessions ended"])
        let line = ["password", "ann@example.com", "--password-stdin", "--json"]
        let changed = try await run(line, piped: Self.secret) { body in
            if case .changePassword = body { .passwordChanged(sessions: 1) } else { nil }
        }
        #expect(changed.results == [#"{"email":"ann@example.com","sessionsEnded":1,"keysRevoked":0}"#])
    }

    @Test(
        "a new password revokes the user's keys unless --keep-keys is given, and prints how many",
        arguments: [false, true])
    func keys(areRetained: Bool) async throws {
        let line = ["password", "ann@example.com", "--password-stdin"] + (areRetained ? ["--keep-keys"] : [])
        let output = try await run(line, piped: Self.secret) { body in
            guard case .changePassword(_, _, let retainsKeys) = body else { return nil }
            #expect(retainsKeys == areRetained)
            return .passwordChanged(sessions: 1, keys: retainsKeys ? 0 : 1)
        }
        let keys = areRetained ? "0 keys were revoked" : "1 key was revoked"
        #expect(output.results == ["password of ann@example.com changed; 1 session ended, \(keys)"])
    }

    @Test("a password of fewer than 8 bytes is refused before a request is sent")
    func short() async throws {
        for line in [["password", "ann@example.com"], ["add", "ann@example.com"]] {
            let output = try await run(line + ["--password-stdin"], piped: "7 bytes", status: .usage)
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
        let output = try await run(["remove", "ann@example.com"], status: expected) { _ in .refusal(refusal) }
        #expect(output.talk.contains(text))
    }
}
