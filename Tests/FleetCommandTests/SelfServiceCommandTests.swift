import ArgumentParser
import FleetProtocol
import Foundation
import ProcessSupport
import Synchronization
import Testing

@testable import fleet

@Suite("Sign-up and password reset commands", .timeLimit(.minutes(1)))
struct SelfServiceCommandTests {
    private static let secret = "open sesame"
    private static let digits = String(repeating: "5e", count: 32)

    /// Runs a command line without a session against a scripted controller that offers this; returns the
    /// output, and the session that was stored.
    private func run(
        _ line: [String], signsUp: Bool = false, resetsPasswords: Bool = false, typed: [String] = [],
        piped: [String] = [], status expected: fleet.ExitStatus = .done,
        script: @escaping ScriptedController.Script = ScriptedController.unasked
    ) async throws -> (output: Transcript, session: StoredSession?) {
        let place = try TemporaryRunDirectory()
        let offered = SelfService(signsUp: signsUp, resetsPasswords: resetsPasswords)
        let controller = try await ScriptedController.open(in: place.directory) { body in
            body == .selfService(.availability) ? .selfService(.availability(offered)) : script(body)
        }
        let output = try await Fleet.output(
            of: line + ["--run-dir", place.directory.path], status: expected
        ) { $0.type(passwords: typed, lines: piped) }
        await controller.close()
        let text = output.results.joined() + output.talk
        #expect(!text.contains(Self.secret) && !text.contains(Self.digits))
        let file = place.directory.sessionFile
        let hasSession = FileManager.default.fileExists(atPath: file)
        return (output, hasSession ? try StoredSession.read(from: file) : nil)
    }

    @Test("a sign-up sends the email and stores the session")
    func signsUp() async throws {
        let (output, session) = try await run(
            ["signup", "Ann@example.com"], signsUp: true, typed: [Self.secret, Self.secret]
        ) { body in
            guard case .selfService(.signUp(let email, let password, nil)) = body,
                password.text == Self.secret
            else { return nil }
            let account = valid(AccountID("ann-1"))
            return .session(Session(account: account, email: email, role: .owner, isOperator: true), .sample)
        }
        #expect(output.talk.contains("signed up and logged in as ann@example.com in account ann-1"))
        #expect(session?.email == .ann && session?.account.name == "ann-1")
    }

    @Test("a sign-up that is disabled asks for no password and prints advice")
    func off() async throws {
        let (output, session) = try await run(
            ["signup", "ann@example.com"], resetsPasswords: true, status: .notPermitted)
        #expect(output.talk.contains("sign-up is disabled") && output.talk.contains("--allow-signup"))
        #expect(!output.talk.contains("password of"))
        #expect(session == nil)
    }

    @Test("a sign-up with a taken email is refused and stores no session")
    func registered() async throws {
        let line = ["signup", "ann@example.com", "--password-stdin"]
        let (output, session) = try await run(
            line, signsUp: true, resetsPasswords: true, piped: [Self.secret], status: .notPermitted
        ) { _ in .refusal(.unauthenticated) }
        #expect(output.talk.contains("ann@example.com is already registered"))
        #expect(output.talk.contains("fleet password forgot ann@example.com"))
        #expect(session == nil)
    }

    @Test("requesting a reset token prints the same message for every email")
    func resetRequested() async throws {
        let (output, _) = try await run(["password", "forgot", "ann@example.com"]) { body in
            body == .selfService(.forgotPassword(.ann)) ? .selfService(.resetRequested) : nil
        }
        let text = "if there is a user ann@example.com, a code has been sent"
        #expect(output.results.first?.hasPrefix(text) == true)
    }

    @Test("a password reset sends the token and the new password, typed or piped", arguments: [true, false])
    func resets(isPiped: Bool) async throws {
        let typed = [" \(Self.digits.uppercased()) ", Self.secret, Self.secret]
        let (output, _) = try await run(
            ["password", "reset", "--json"] + (isPiped ? ["--stdin"] : []), resetsPasswords: true,
            typed: isPiped ? [] : typed, piped: isPiped ? [Self.digits, Self.secret] : []
        ) { body in
            guard case .selfService(.resetPassword(let password, retainsKeys: false)) = body,
                password.text == Self.secret
            else { return nil }
            return .selfService(.passwordReset(.ann, sessions: 2, keys: 3))
        }
        #expect(output.results == [#"{"email":"ann@example.com","sessionsEnded":2,"keysRevoked":3}"#])
    }

    @Test(
        "a password reset without a valid token or password changes nothing",
        arguments: [
            ([], fleet.ExitStatus.refused), (["abc"], .usage), ([digits], .refused),
            ([digits, secret, "other"], .usage),
        ])
    func incomplete(typed: [String], expected: fleet.ExitStatus) async throws {
        _ = try await run(["password", "reset"], resetsPasswords: true, typed: typed, status: expected)
    }

    @Test("a password reset asks for no token where none can be sent, and prints advice")
    func noOutbox() async throws {
        let (output, _) = try await run(["password", "reset"], signsUp: true, status: .notPermitted)
        #expect(output.talk.contains("--outbox") && !output.talk.contains("code from the message"))
    }

    @Test(
        "a refused password reset prints the reason and advice",
        arguments: [
            (Refusal.unauthenticated, "has expired", "fleet password forgot EMAIL"),
            (.notAllowed("tokens are not sent here"), "password reset is disabled", "--outbox"),
        ])
    func refused(refusal: Refusal, text: String, advice: String) async throws {
        let (output, _) = try await run(
            ["password", "reset", "--stdin"], resetsPasswords: true, piped: [Self.digits, Self.secret],
            status: .notPermitted
        ) { _ in .refusal(refusal) }
        #expect(output.talk.contains(text) && output.talk.contains(advice))
    }
}
