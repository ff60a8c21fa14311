import FleetProtocol
import Foundation
import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import ProcessSupport

@Suite("The secret of nodes")
struct NodeSecretTests {
    private let place: TemporaryDirectory

    init() throws {
        place = try TemporaryDirectory()
    }

    private func secret() throws -> NodeSecret { try RunDirectory(path: place.path).nodeSecret() }

    @Test("the node secret is created once, for its owner only, and never shown")
    func made() throws {
        let first = try secret()
        #expect(try secret().bytes == first.bytes)
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(place.path)/node-secret")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect("\(first)" == "node secret")
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == ["node-secret"])
    }

    @Test("a node secret of another length is refused, and its file stays unchanged")
    func damaged() throws {
        let file = URL(filePath: "\(place.path)/node-secret")
        try Data([1, 2, 3]).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path())
        #expect(throws: RuntimeError.damagedSecret(path: file.path())) { try secret() }
        #expect(try Data(contentsOf: file) == Data([1, 2, 3]))
    }

    @Test("a node secret makes a token for one node, one account and one range of devices")
    func bound() throws {
        let secret = try secret()
        let node = try #require(NodeName("node-1"))
        let account = try #require(AccountID("demo"))
        let range = DeviceRange(seed: 1, firstIndex: 10, count: 5)
        let grant = secret.grant(range, to: node, of: account)
        #expect(secret.made(grant, for: node, of: account))
        #expect(!secret.made(grant, for: try #require(NodeName("node-2")), of: account))
        #expect(!secret.made(grant, for: node, of: try #require(AccountID("other"))))
        for other in [
            DeviceRange(seed: 2, firstIndex: 10, count: 5), DeviceRange(seed: 1, firstIndex: 9, count: 5),
            DeviceRange(seed: 1, firstIndex: 10, count: 6),
        ] {
            #expect(!secret.made(NodeGrant(range: other, token: grant.token), for: node, of: account))
        }
        let stranger = try #require(NodeSecret([UInt8](repeating: 7, count: 32)))
        #expect(!stranger.made(grant, for: node, of: account))
    }

    @Test("the token for the example of the protocol document is the documented one")
    func documented() throws {
        let secret = try #require(NodeSecret([UInt8](0..<32)))
        let grant = secret.grant(
            DeviceRange(seed: 1, firstIndex: 0, count: 20), to: try #require(NodeName("node-1")),
            of: try #require(AccountID("demo")))
        #expect(
            grant.token.bytes.hexadecimal
                == "5553f1ebd956d19e3b6e868b79c68c82a1ea271580d3395e56a846b7bdc0781d")
    }
}

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

@Suite("The register of changed devices")
struct DeviceRegisterTests {
    private static let seed: UInt64 = 7
    private let place: TemporaryDirectory

    init() throws { place = try TemporaryDirectory() }

    private var directory: RunDirectory { RunDirectory(path: place.path) }

    private static func device(_ index: UInt64) -> DeviceID { DeviceID(fleetSeed: seed, index: index) }

    @Test("names, removed devices and additions are read as they were stored")
    func stored() throws {
        try directory.changeDevices {
            $0.names[Self.device(1)] = "Server room"
            $0.removed = [Self.device(2), Self.device(5)]
            $0.added = [4: [1, 2]]
        }
        try directory.recordStart(devices: 4)
        let register = try directory.deviceRegister()
        #expect(register.names == [Self.device(1): "Server room"])
        #expect(register.removed == [Self.device(2), Self.device(5)])
        #expect(register.started == 4)
        #expect(register.added == [4: [1, 2]])
    }

    @Test(
        "a number of devices needs an index more for each removed device among them",
        arguments: [(2, 2), (3, 4), (4, 5), (5, 7)])
    func indices(devices: Int, indices: Int) {
        var register = DeviceRegister()
        register.removed = [Self.device(2), Self.device(5)]
        #expect(register.indices(for: devices, seed: Self.seed) == indices)
        #expect(register.devices(among: indices, seed: Self.seed) == devices)
    }

    @Test("a change beyond the limit is refused, and the register stays readable and unchanged")
    func full() throws {
        let devices = (0..<UInt64(DeviceRegister.limit)).map(Self.device)
        try directory.changeDevices { $0.removed = Set(devices) }
        #expect(throws: RuntimeError.fullRegister(limit: DeviceRegister.limit)) {
            try directory.changeDevices {
                $0.removed.insert(Self.device(UInt64(DeviceRegister.limit)))
            }
        }
        #expect(try directory.deviceRegister().removed.count == DeviceRegister.limit)
    }

    @Test(
        "a damaged register is refused, and its file stays unchanged",
        arguments: ["{", #"{"names":{"x":"a"},"removed":[]}"#, #"{"names":{},"removed":["x"]}"#])
    func damaged(content: String) throws {
        let file = URL(filePath: "\(place.path)/devices.json")
        try Data(content.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path())
        #expect(throws: RuntimeError.damagedRegister(path: file.path())) { try directory.deviceRegister() }
        #expect(throws: RuntimeError.damagedRegister(path: file.path())) {
            try directory.changeDevices { $0.started = 1 }
        }
        #expect(try Data(contentsOf: file) == Data(content.utf8))
    }
}
