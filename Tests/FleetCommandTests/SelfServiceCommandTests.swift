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

    /// Runs a command line without a session against a scripted controller.
    ///
    /// - Returns: The status, the output, and the session that was stored.
    private func run(
        _ line: [String], typed: [String] = [], piped: [String] = [],
        script: @escaping ScriptedController.Script
    ) async throws -> (status: fleet.ExitStatus, transcript: Transcript, session: StoredSession?) {
        let place = try TemporaryRunDirectory()
        let controller = try await ScriptedController.open(in: place.directory, script: script)
        let transcript = Transcript()
        var surroundings = Surroundings.test(transcript)
        let keys = Mutex(typed)
        let lines = Mutex(piped)
        surroundings.terminal.readPassword = { prompt throws(CommandFailure) in
            prompt()
            return keys.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        }
        surroundings.terminal.readLine = { lines.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
        let parsed = try Fleet.parseAsRoot(line + ["--run-dir", place.directory.path])
        let command = try #require(parsed as? any FleetCommand)
        let status = await command.status(in: surroundings)
        await controller.close()
        let text = transcript.results.joined() + transcript.talk
        #expect(!text.contains(Self.secret) && !text.contains(Self.digits))
        let file = place.directory.sessionFile
        let hasSession = FileManager.default.fileExists(atPath: file)
        return (status, transcript, hasSession ? try StoredSession.read(from: file) : nil)
    }

    private static func session(_ email: Email) -> ClientReply.Body {
        guard let account = AccountID("ann-1"), let token = Token([UInt8](repeating: 7, count: 32)) else {
            preconditionFailure("an account and a token that are valid")
        }
        return .session(Session(account: account, email: email, role: .owner, isOperator: true), token)
    }

    @Test("a sign-up sends the email and stores the session")
    func signsUp() async throws {
        let line = ["signup", "Ann@example.com"]
        let (status, output, session) = try await run(line, typed: [Self.secret, Self.secret]) { body in
            switch body {
            case .selfService(.availability):
                .selfService(.availability(SelfService(signsUp: true, resetsPasswords: false)))
            case .selfService(.signUp(let email, let password, nil)):
                password.text == Self.secret ? Self.session(email) : nil
            default: nil
            }
        }
        #expect(status == .done)
        #expect(output.talk.contains("signed up and logged in as ann@example.com in account ann-1"))
        #expect(session?.email.address == "ann@example.com" && session?.account.name == "ann-1")
    }

    @Test("a sign-up that is disabled asks for no password and prints advice")
    func off() async throws {
        let (status, output, session) = try await run(["signup", "ann@example.com"]) { body in
            body == .selfService(.availability)
                ? .selfService(.availability(SelfService(signsUp: false, resetsPasswords: true))) : nil
        }
        #expect(status == .notPermitted)
        #expect(output.talk.contains("sign-up is disabled") && output.talk.contains("--allow-signup"))
        #expect(!output.talk.contains("password of"))
        #expect(session == nil)
    }

    @Test("a sign-up with a taken email is refused and stores no session")
    func registered() async throws {
        let line = ["signup", "ann@example.com", "--password-stdin"]
        let (status, output, session) = try await run(line, piped: [Self.secret]) { body in
            body == .selfService(.availability)
                ? .selfService(.availability(SelfService(signsUp: true, resetsPasswords: true)))
                : .refusal(.unauthenticated)
        }
        #expect(status == .notPermitted)
        #expect(output.talk.contains("ann@example.com is already registered"))
        #expect(output.talk.contains("fleet password forgot ann@example.com"))
        #expect(session == nil)
    }

    @Test("requesting a reset token prints the same message for every email")
    func resetRequested() async throws {
        let (status, output, _) = try await run(["password", "forgot", "ann@example.com"]) { body in
            guard case .selfService(.forgotPassword(let email, nil)) = body else { return nil }
            return email.address == "ann@example.com" ? .selfService(.resetRequested) : nil
        }
        #expect(status == .done)
        let text = "if there is a user ann@example.com, a code has been sent"
        #expect(output.results.first?.hasPrefix(text) == true)
    }

    @Test("a password reset sends the token and the new password, typed or piped", arguments: [true, false])
    func resets(isPiped: Bool) async throws {
        let typed = [" \(Self.digits.uppercased()) ", Self.secret, Self.secret]
        let line = ["password", "reset", "--json"] + (isPiped ? ["--stdin"] : [])
        let (status, output, _) = try await run(
            line, typed: isPiped ? [] : typed, piped: isPiped ? [Self.digits, Self.secret] : []
        ) { body in
            guard let ann = Email("ann@example.com") else { return nil }
            return switch body {
            case .selfService(.availability):
                .selfService(.availability(SelfService(signsUp: false, resetsPasswords: true)))
            case .selfService(.resetPassword(let password, retainsKeys: false)):
                password.text == Self.secret ? .selfService(.passwordReset(ann, sessions: 2, keys: 3)) : nil
            default: nil
            }
        }
        #expect(status == .done, "\(output.talk)")
        #expect(output.results == [#"{"email":"ann@example.com","sessionsEnded":2,"keysRevoked":3}"#])
    }

    @Test(
        "a password reset without a valid token or password changes nothing",
        arguments: [
            ([], fleet.ExitStatus.refused), (["abc"], .usage), ([digits], .refused),
            ([digits, secret, "other"], .usage),
        ])
    func incomplete(typed: [String], expected: fleet.ExitStatus) async throws {
        let (status, _, _) = try await run(["password", "reset"], typed: typed) { body in
            guard body == .selfService(.availability) else {
                Issue.record("asked: \(body)")
                return nil
            }
            return .selfService(.availability(SelfService(signsUp: false, resetsPasswords: true)))
        }
        #expect(status == expected)
    }

    @Test("a password reset asks for no token where none can be sent, and prints advice")
    func noOutbox() async throws {
        let (status, output, _) = try await run(["password", "reset"]) { body in
            body == .selfService(.availability)
                ? .selfService(.availability(SelfService(signsUp: true, resetsPasswords: false))) : nil
        }
        #expect(status == .notPermitted)
        #expect(output.talk.contains("--outbox") && !output.talk.contains("code from the message"))
    }

    @Test(
        "a refused password reset prints the reason and advice",
        arguments: [
            (Refusal.unauthenticated, "has expired", "fleet password forgot EMAIL"),
            (.notAllowed("tokens are not sent here"), "password reset is disabled", "--outbox"),
        ])
    func refused(refusal: Refusal, text: String, advice: String) async throws {
        let lines = [Self.digits, Self.secret]
        let (status, output, _) = try await run(["password", "reset", "--stdin"], piped: lines) { body in
            body == .selfService(.availability)
                ? .selfService(.availability(SelfService(signsUp: false, resetsPasswords: true)))
                : .refusal(refusal)
        }
        #expect(status == .notPermitted)
        #expect(output.talk.contains(text) && output.talk.contains(advice))
    }

    @Test("sign-up and outbox options are passed to the controller, also to one started later")
    func handedOn() throws {
        let outbox = ["--allow-signup", "--outbox", "/tmp/outbox"]
        for options in [outbox, ["--outbox-command", "/usr/sbin/sendmail -t"], []] {
            let up = try #require(try Fleet.parseAsRoot(["up"] + options) as? UpCommand)
            let controller = try #require(
                try up.fleet.plan.processes(
                    in: RunDirectory(path: "/tmp/x"), binaries: "/bin", supervisor: 1, display: .none
                ).first { $0.role == .controller })
            #expect(controller.arguments.contains(options))
            #expect(controller.arguments.contains("--allow-signup") == options.contains("--allow-signup"))
            #expect(try up.fleet.arguments.contains(options))
        }
    }

    @Test(
        "invalid sign-up, reset and outbox arguments are usage errors",
        arguments: [
            "signup", "signup nobody", "password forgot", "password reset a@b",
            "up --outbox a --outbox-command /b", "up --outbox-command sendmail",
        ])
    func usage(line: String) {
        let error = #expect(throws: (any Error).self) {
            try Fleet.parseAsRoot(line.split(separator: " ").map(String.init))
        }
        if let error { #expect(Fleet.exitCode(for: error).rawValue == 64) }
    }
}
