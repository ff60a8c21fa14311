import FleetProtocol
import FoundationEssentials
import Glibc
import ProcessSupport
import TestSupport
import Testing

@Suite("StoredSession")
struct StoredSessionTests {
    private func session(_ byte: UInt8 = 0xab) throws -> StoredSession {
        StoredSession(
            email: try #require(Email("ada@example.org")), account: try #require(AccountID("demo")),
            role: .member, token: try #require(Token([UInt8](repeating: byte, count: Token.length))))
    }

    @Test("a session is read as it was written, for its owner only, and replaces another one")
    func roundTrip() throws {
        let temporary = try TemporaryDirectory()
        let path = "\(temporary.path)/session.json"
        try session(1).write(to: path)
        try session(2).write(to: path)
        #expect(try StoredSession.read(from: path) == session(2))
        #expect(try TemporaryDirectory.permissions(of: path) == 0o600)
        let files = try FileManager.default.contentsOfDirectory(atPath: temporary.path)
        #expect(files == ["session.json"])
    }

    @Test("a session's file has four texts, the token in hexadecimal")
    func form() throws {
        let temporary = try TemporaryDirectory()
        let path = "\(temporary.path)/session.json"
        try session().write(to: path)
        let content = try #require(FileManager.default.contents(atPath: path))
        let texts = try JSONDecoder().decode([String: String].self, from: content)
        #expect(
            texts == [
                "email": "ada@example.org", "account": "demo", "role": "member",
                "token": String(repeating: "ab", count: 32),
            ])
    }

    @Test("a missing session is an error, and removing a session twice is allowed")
    func missing() throws {
        let temporary = try TemporaryDirectory()
        let path = "\(temporary.path)/session.json"
        try session().write(to: path)
        for _ in 0..<2 { try StoredSession.remove(at: path) }
        let error = #expect(throws: RuntimeError.noSession(path: path)) { try StoredSession.read(from: path) }
        #expect(error?.description == "no session at \(path)")
    }

    @Test(
        "the error for a damaged session file shows nothing of its content",
        arguments: [
            "", "{}", "secret",
            #"{"email":"ada@example.org","account":"demo","role":"member","token":"secret"}"#,
            #"{"email":"secret","account":"demo","role":"member","token":""}"#,
            #"{"email":"ada@example.org","account":"demo","role":"secret","token":""}"#,
        ])
    func damaged(content: String) throws {
        let temporary = try TemporaryDirectory()
        let path = "\(temporary.path)/session.json"
        try #require(FileManager.default.createFile(atPath: path, contents: Data(content.utf8)))
        try #require(chmod(path, 0o600) == 0)
        let error = #expect(throws: RuntimeError.damagedSession(path: path)) {
            try StoredSession.read(from: path)
        }
        #expect(error?.description.contains("secret") == false)
    }

    @Test("a session is not read from a file that others can read, or through a symbolic link")
    func unsafeFile() throws {
        let temporary = try TemporaryDirectory()
        let path = "\(temporary.path)/session.json"
        try session().write(to: path)
        try #require(symlink(path, "\(temporary.path)/link.json") == 0)
        #expect(throws: RuntimeError.symbolicLink(path: "\(temporary.path)/link.json")) {
            try StoredSession.read(from: "\(temporary.path)/link.json")
        }
        try #require(chmod(path, 0o640) == 0)
        let error = #expect(throws: RuntimeError.fileOpenToOthers(path: path, mode: 0o640)) {
            try StoredSession.read(from: path)
        }
        #expect(error?.description.hasSuffix("chmod 600 \(path)") == true)
    }

    @Test("a session's description has the user and not the token")
    func description() throws {
        #expect(try session().description == "ada@example.org in account demo, member")
    }

    @Test("a session in a directory that cannot be written is a system error, without a partial file")
    func unwritable() throws {
        let error = #expect(throws: RuntimeError.self) {
            try session().write(to: "/nonexistent/session.json")
        }
        guard case .system("create", _, ENOENT) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
