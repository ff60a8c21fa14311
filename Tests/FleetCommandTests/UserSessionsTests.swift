import ArgumentParser
import FleetProtocol
import Foundation
import ProcessSupport
import Testing

@testable import fleet

@Suite("Sessions of several users", .timeLimit(.minutes(1)))
struct UserSessionsTests {
    private let place: TemporaryRunDirectory
    private let sessions: UserSessions

    init() throws {
        place = try TemporaryRunDirectory()
        sessions = UserSessions(directory: place.directory)
    }

    private func session(_ name: String, _ byte: UInt8 = 7) -> StoredSession {
        StoredSession(
            email: valid(Email("\(name)@example.com")), account: .demo, role: .owner,
            token: valid(Token(Array(repeating: byte, count: Token.length))))
    }

    @Test("a log-in of another user keeps the earlier session, and each user has one")
    func keeps() throws {
        let (ann, bob, newer) = (session("ann"), session("bob"), session("ann", 9))
        for session in [ann, bob, newer] { try sessions.store(session) }
        #expect(sessions.users == [newer.email, bob.email])
        #expect(try StoredSession.read(from: sessions.file(of: nil)) == newer)
        #expect(try StoredSession.read(from: sessions.file(of: newer.email)) == newer)
        #expect(try StoredSession.read(from: sessions.file(of: bob.email)) == bob)
        let attributes = try FileManager.default.attributesOfItem(atPath: sessions.file(of: bob.email))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("a user without a session is refused, with the users who have one")
    func unknown() throws {
        for name in ["ann", "bob"] { try sessions.store(session(name)) }
        let failure = #expect(throws: CommandFailure.self) {
            try sessions.file(of: session("eve").email)
        }
        #expect(failure?.status == .notPermitted)
        #expect(
            failure?.advice
                == "run `fleet login eve@example.com`; logged in: bob@example.com, ann@example.com")
    }

    @Test("a run directory keeps a limited number of sessions")
    func limit() throws {
        for number in 0...(UserSessions.limit + 3) { try sessions.store(session("user\(number)")) }
        #expect(sessions.users.count == UserSessions.limit + 1)
    }

    @Test("a command with --as uses the session of that user")
    func command() async throws {
        let line = ["whoami", "--as", "eve@example.com"]
        let output = try await ScriptedController.run(line, status: .notPermitted) { _ in nil }
        #expect(output.talk.contains("no session of eve@example.com"))
        try await ScriptedController.run(["devices", "--as", "demo@sensibus.local"]) { body in
            if case .snapshot = body { .snapshot(.sample()) } else { nil }
        }
    }

    @Test("completions have plain names, and IDs for names that a shell would not take literally")
    func plainNames() {
        #expect(KnownNames.isPlain("Bedroom 7"))
        for name in ["", "$(date)", "`date`", "a\"b", "a'b", "a\\b", "a:b", "a\nb", "-x"] {
            #expect(!KnownNames.isPlain(name), "\(name)")
        }
    }

    @Test("without a fleet, a completion has no names and prints nothing")
    func noFleet() async {
        let transcript = Transcript()
        let words = ["---completion", "toggle", "--", "positional@0", "2", "0", "fleet", "toggle", ""]
        #expect(await KnownNames.load(for: words, in: .test(transcript)) == KnownNames())
        #expect(transcript.results.isEmpty && transcript.talk.isEmpty)
    }
}
