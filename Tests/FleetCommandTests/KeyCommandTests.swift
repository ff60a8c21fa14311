import ArgumentParser
import FleetProtocol
import Glibc
import Synchronization
import Testing

@testable import ProcessSupport
@testable import fleet

@Suite("API key commands", .timeLimit(.minutes(1)))
struct KeyCommandTests {
    private static func key(_ name: APIKey.Name, _ scope: APIKey.Scope = .switch) -> APIKey {
        APIKey(name: name, user: .demo, madeAt: WallTime(unixMilliseconds: 1_800_000_000_000), scope: scope)
    }

    private func run(
        _ line: [String], broken: TextOutput.Failure? = nil, status expected: fleet.ExitStatus = .done,
        script: @escaping ScriptedController.Script
    ) async throws -> Transcript {
        try await ScriptedController.run(["apikey"] + line, broken: broken, status: expected, script: script)
    }

    @Test("creating a key prints it once, and sends only its hash to the controller")
    func create() async throws {
        let sent = Mutex<TokenDigest?>(nil)
        let output = try await run(["create", "script"]) { body in
            guard case .addKey(let name, let digest, .switch) = body else { return nil }
            sent.withLock { $0 = digest }
            return .keyAdded(Self.key(name))
        }
        let text = try #require(output.results.first)
        let digest = try #require(sent.withLock { $0 })
        #expect(text.utf8.count == 64)
        #expect(text != digest.bytes.hexadecimal)
        #expect(!output.talk.contains(text))
    }

    @Test(
        "a key that could not be printed is revoked",
        arguments: [(ENOSPC, fleet.ExitStatus.unwritten), (EPIPE, .unread)])
    func unprinted(number: Int32, expected: fleet.ExitStatus) async throws {
        let revoked = Mutex<APIKey.Name?>(nil)
        let broken = TextOutput.Failure(errno: number)
        let output = try await run(["create", "script"], broken: broken, status: expected) { body in
            switch body {
            case .addKey(let name, _, _): return .keyAdded(Self.key(name))
            case .revokeKey(let name):
                revoked.withLock { $0 = name }
                return .keyRevoked(Self.key(name))
            default: return nil
            }
        }
        #expect(revoked.withLock { $0?.text } == "script")
        #expect(output.talk.hasPrefix("fleet: the key script could not be printed, and was revoked"))
        let complaint = "\nfleet: cannot write to standard output: No space left on device"
        #expect(output.talk.contains(complaint) == (number == ENOSPC))
    }

    @Test("a key that could neither be printed nor revoked is named as valid, with the way to revoke it")
    func unrevoked() async throws {
        let broken = TextOutput.Failure(errno: ENOSPC)
        let output = try await run(["create", "script"], broken: broken, status: .unwritten) { body in
            guard case .addKey(let name, _, _) = body else { return .refusal(.notAllowed("no")) }
            return .keyAdded(Self.key(name))
        }
        #expect(output.talk.contains("the key script could not be printed, and is still valid"))
        #expect(output.talk.contains("fleet apikey revoke script"))
    }

    @Test("a key that replaces another revokes it first, and needs none", arguments: [true, false])
    func replace(isThere: Bool) async throws {
        let order = Mutex<[String]>([])
        let output = try await run(["create", "script", "--replace"]) { body in
            switch body {
            case .revokeKey(let name):
                order.withLock { $0.append("revoke \(name)") }
                return isThere ? .keyRevoked(Self.key(name)) : .refusal(.notFound)
            case .addKey(let name, _, .switch):
                order.withLock { $0.append("add \(name)") }
                return .keyAdded(Self.key(name))
            default: return nil
            }
        }
        #expect(output.results.count == 1)
        #expect(order.withLock { $0 } == ["revoke script", "add script"])
    }

    @Test("creating a key sends and prints the given scope")
    func scope() async throws {
        let output = try await run(["create", "script", "--scope", "read", "--json"]) { body in
            guard case .addKey(let name, _, .read) = body else { return nil }
            return .keyAdded(Self.key(name, .read))
        }
        #expect(output.results.first?.contains(#""scope":"read""#) == true)
    }

    @Test("a list of keys has names and times but never a key")
    func list() async throws {
        let key = Self.key(valid(APIKey.Name("script")))
        let output = try await run(["list"]) { $0 == .keys ? .keys([key]) : nil }
        #expect(output.results == ["NAME    SCOPE   CREATED", "script  switch  2027-01-15T08:00:00.000Z"])
        let none = try await run(["list"]) { $0 == .keys ? .keys([]) : nil }
        #expect(none.results.isEmpty)
        #expect(none.talk.contains("fleet apikey create NAME"))
    }

    @Test("revoking a missing key advises to list the keys")
    func missing() async throws {
        let output = try await run(["revoke", "script"], status: .notPermitted) { body in
            if case .revokeKey = body { .refusal(.notFound) } else { nil }
        }
        #expect(output.talk.contains("fleet apikey list"))
    }
}
