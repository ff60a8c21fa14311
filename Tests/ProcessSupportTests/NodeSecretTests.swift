import FleetProtocol
import Foundation
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
