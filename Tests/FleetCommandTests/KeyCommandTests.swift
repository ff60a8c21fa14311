import ArgumentParser
import FleetProtocol
import FleetTime
import ProcessSupport
import Synchronization
import Testing

@testable import fleet

@Suite("Commands about keys", .timeLimit(.minutes(1)))
struct KeyCommandTests {
    private static func key(_ name: APIKey.Name, _ scope: APIKey.Scope = .switch) throws -> APIKey {
        APIKey(
            name: name, user: try #require(Email("demo@sensibus.local")),
            madeAt: WallTime(unixMilliseconds: 1_800_000_000_000), scope: scope)
    }

    /// Runs a command line against a scripted controller.
    private func run(
        _ line: [String], script: @escaping ScriptedController.Script
    ) async throws -> (status: fleet.ExitStatus, transcript: Transcript) {
        try await ScriptedController.run(["apikey"] + line, script: script)
    }

    @Test("show a new key once, and tell the controller only what it hashes to")
    func create() async throws {
        let sent = Mutex<TokenDigest?>(nil)
        let (status, told) = try await run(["create", "script"]) { body in
            guard case .addKey(let name, let digest, .switch) = body else { return nil }
            sent.withLock { $0 = digest }
            return (try? Self.key(name)).map { .keyAdded($0) }
        }
        #expect(status == .done)
        let text = try #require(told.results.first)
        let digest = try #require(sent.withLock { $0 })
        #expect(text.utf8.count == 64)
        #expect(text != digest.bytes.hexadecimal)
        #expect(!told.talk.contains(text))
    }

    @Test("ask for the scope that is named, and tell it")
    func scope() async throws {
        let (status, told) = try await run(["create", "script", "--scope", "read", "--json"]) { body in
            guard case .addKey(let name, _, .read) = body else { return nil }
            return (try? Self.key(name, .read)).map { .keyAdded($0) }
        }
        #expect(status == .done)
        #expect(told.results.first?.contains(#""scope":"read""#) == true)
        #expect(throws: (any Error).self) {
            try Fleet.parseAsRoot(["apikey", "create", "script", "--scope", "owner"])
        }
    }

    @Test("make another key each time")
    func different() {
        #expect(Secret().text != Secret().text)
        let secret = Secret()
        #expect(secret.digest == secret.digest)
    }

    @Test("list names and times, and never a key")
    func list() async throws {
        let key = try Self.key(try #require(APIKey.Name("script")))
        let (_, told) = try await run(["list"]) { $0 == .keys ? .keys([key]) : nil }
        #expect(
            told.results == [
                "NAME    SCOPE   MADE", "script  switch  2027-01-15T08:00:00.000Z",
            ])
        let (status, none) = try await run(["list"]) { $0 == .keys ? .keys([]) : nil }
        #expect(status == .done)
        #expect(none.results.isEmpty)
        #expect(none.talk.contains("fleet apikey create NAME"))
    }

    @Test("say which keys there are when one that is to be revoked is not there")
    func missing() async throws {
        let (status, told) = try await run(["revoke", "script"]) { body in
            if case .revokeKey = body { .refusal(.notFound) } else { nil }
        }
        #expect(status == .notPermitted)
        #expect(told.talk.contains("fleet apikey list"))
    }

    @Test("are not parsed with a name that no key can have", arguments: ["", ".x", "a b", "ä"])
    func names(name: String) {
        #expect(throws: (any Error).self) { try Fleet.parseAsRoot(["apikey", "create", name]) }
    }
}
