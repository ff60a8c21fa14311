import ArgumentParser
import Bus
import FleetProtocol
import Foundation
import ProcessSupport
import TestSupport
import Testing

@Suite("The peers of a fleet, and their files")
struct PeerListTests {
    private static let now = WallTime(unixMilliseconds: 1_800_000_000_000)
    private static let later = now.advanced(by: Peer.invitationTime)
    private static let digest = [UInt8](repeating: 7, count: 32)

    private func node(
        _ name: String, key: CurvePublicKey? = nil, digest: [UInt8]? = nil, range: DeviceRange? = nil
    ) throws -> Peer {
        Peer(
            name: try #require(NodeName(name)), role: .node, account: AccountID("demo"),
            range: range ?? PeerList().freeRange(of: 10, seed: 3), scenario: "lively", key: key,
            tokenDigest: digest, since: Self.now)
    }

    @Test("a name and a key belong to one peer")
    func unique() throws {
        let key = try CurveKeyPair.generate().publicKey
        var list = PeerList()
        try list.add(node("attic", key: key), at: Self.now)
        #expect(throws: RuntimeError.peerExists(name: "attic")) { try list.add(node("attic"), at: Self.now) }
        #expect(throws: RuntimeError.peerExists(name: "attic")) {
            try list.add(node("cellar", key: key), at: Self.now)
        }
        #expect(list.remove(try #require(NodeName("attic")))?.key == key)
        try list.add(node("cellar", key: key), at: Self.now)
        #expect(list.byKey.keys.map(\.self) == [key])
    }

    @Test("the keys of an account replace those that the account had, and no others")
    func moved() throws {
        let keys = try (0..<4).map { _ in try CurveKeyPair.generate().publicKey }
        let demo = try #require(AccountID("demo"))
        let other = Peer(
            name: try #require(NodeName("other")), role: .observer, account: AccountID("other"), key: keys[3],
            since: Self.now)
        var source = PeerList()
        try source.add(node("attic", key: keys[0], digest: Self.digest), at: Self.now)
        try source.add(node("invited", digest: [1]), at: Self.now)
        try source.add(other, at: Self.now)
        #expect(source[demo].peers == [try node("attic", key: keys[0])])

        var target = PeerList()
        try target.add(node("revoked", key: keys[1]), at: Self.now)
        try target.replace(peersOf: demo, with: source[demo], at: Self.now)
        #expect(target.peers.map(\.name.text) == ["attic"])
        // A list that names another account changes nothing of it.
        try target.replace(peersOf: demo, with: source, at: Self.now)
        #expect(target.peers.map(\.name.text) == ["attic"])

        target = PeerList()
        let stranger = Peer(
            name: try #require(NodeName("attic")), role: .gateway, account: nil, key: keys[2], since: Self.now
        )
        try target.add(stranger, at: Self.now)
        #expect(throws: RuntimeError.peerExists(name: "attic")) {
            try target.replace(peersOf: demo, with: source[demo], at: Self.now)
        }
    }

    @Test("a join token gives its rights to one key, which may use it again")
    func join() throws {
        let (first, second) = (try CurveKeyPair.generate().publicKey, try CurveKeyPair.generate().publicKey)
        var list = PeerList()
        try list.add(node("attic", digest: Self.digest), at: Self.now)
        #expect(list.join(first, tokenDigest: [1], at: Self.now) == nil)
        let joined = Self.now.advanced(by: .seconds(60))
        #expect(list.join(first, tokenDigest: Self.digest, at: joined)?.name.text == "attic")
        #expect(list.peers.first?.since == joined)
        #expect(list.join(first, tokenDigest: Self.digest, at: Self.later)?.name.text == "attic")
        #expect(list.join(second, tokenDigest: Self.digest, at: Self.now) == nil)
        #expect(list.byKey[first]?.range?.count == 10)
    }

    @Test("a join token expires after an hour, and is removed with the next peer")
    func expiry() throws {
        let key = try CurveKeyPair.generate().publicKey
        var list = PeerList()
        try list.add(node("attic", digest: Self.digest), at: Self.now)
        #expect(list.join(key, tokenDigest: Self.digest, at: Self.later) == nil)
        try list.add(node("cellar"), at: Self.later)
        #expect(list.peers.map(\.name.text) == ["cellar"])
    }

    @Test("the list has a limit, at which it refuses a peer and can still be read")
    func full() throws {
        let temporary = try TemporaryDirectory()
        let files = try PeerFiles(of: RunDirectory(path: temporary.path))
        var list = PeerList()
        for number in 0..<PeerList.limit {
            let key = CurvePublicKey((0..<32).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 4))) })
            let name = "a-name-of-the-greatest-length-\(number)".prefix(32)
            try list.add(
                node(String(number) + name.dropFirst(4), key: key, digest: Self.digest), at: Self.now)
        }
        #expect(throws: RuntimeError.tooManyPeers(limit: PeerList.limit)) {
            try list.add(node("one-more"), at: Self.now)
        }
        let complete = list
        try files.change { (stored) throws(RuntimeError) in stored = complete }
        #expect(try files.peers() == complete)
    }

    @Test("each node has a range of its own, beyond those of local nodes")
    func ranges() throws {
        var list = PeerList()
        #expect(list.freeRange(of: 10, seed: 3).indices == 1_000_000..<1_000_010)
        try list.add(node("attic", range: list.freeRange(of: 10, seed: 3)), at: Self.now)
        #expect(list.freeRange(of: 5, seed: 3).indices == 1_000_010..<1_000_015)
        #expect(list.freeName(for: .node).text == "remote-1")
        #expect(list.freeName(for: .observer).text == "observer-1")
    }

    @Test("a written list is read again, and only its owner can read it")
    func file() throws {
        let temporary = try TemporaryDirectory()
        let files = try PeerFiles(of: RunDirectory(path: temporary.path))
        let key = try CurveKeyPair.generate().publicKey
        let gateway = Peer(
            name: try #require(NodeName("page")), role: .gateway, account: nil, since: Self.now)
        let written = try files.change { (list) throws(RuntimeError) in
            try list.add(gateway, at: Self.now)
            return list
        }
        #expect(try files.peers() == written)
        let attic = try node("attic", key: key, digest: Self.digest)
        try files.change { (list) throws(RuntimeError) in try list.add(attic, at: Self.now) }
        #expect(try files.peers().byKey == [key: attic])
        #expect(try TemporaryDirectory.permissions(of: files.listFile) == 0o600)
        #expect(try files.serverKeys() == files.serverKeys())
    }

    @Test("a value that is null is missing")
    func null() throws {
        let text = #"{"name":"page","role":"gateway","account":null,"key":null,"tokenDigest":null,"since":1}"#
        let peer = try JSONDecoder().decode(Peer.self, from: Data(text.utf8))
        #expect(peer.account == nil && peer.key == nil && peer.tokenDigest == nil)
    }

    @Test(
        "a damaged list names its file",
        arguments: [
            "", "{}x", #"{"peers":[{"name":"a"}]}"#, #"{"peers":[{"name":"/","role":"node","since":1}]}"#,
        ])
    func damaged(content: String) throws {
        let temporary = try TemporaryDirectory()
        let files = try PeerFiles(of: RunDirectory(path: temporary.path))
        try Data(content.utf8).write(to: URL(filePath: files.listFile))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: files.listFile)
        #expect(throws: RuntimeError.damagedKey(path: files.listFile)) { try files.peers() }
    }

    @Test("an address has a host and a port below those that the system gives to clients")
    func address() throws {
        for text in ["tcp://0.0.0.0:7600", "tcp://[::1]:1", "tcp://fleet.example.org:32763", "tcp://*:80"] {
            #expect(try NetworkAddress(text).description == text)
        }
        for text in [
            "0.0.0.0:7600", "tcp://host", "tcp://host:0", "tcp://host:32764", "ipc:///x:7600", "tcp://:1",
        ] {
            #expect(throws: RuntimeError.invalidNetworkAddress(text: text)) { try NetworkAddress(text) }
        }
        let address = try NetworkAddress("tcp://[::]:7600")
        #expect(address.reached.description == "tcp://[::1]:7600")
        let zeros = try NetworkAddress("tcp://[0:0::0]:7600")
        #expect(zeros.isEveryInterface && zeros.reached == address.reached)
        #expect(try address.endpoint(of: .telemetry).description == "tcp://[::]:7603")
    }
}

@Suite("The membership of a machine")
struct NetworkMembershipTests {
    private func membership() throws -> NetworkMembership {
        let range = DeviceRange(seed: 3, firstIndex: 1_000_000, count: 10)
        let token = try #require(Token([UInt8](repeating: 9, count: 32)))
        return NetworkMembership(
            address: try NetworkAddress("tcp://10.0.0.1:7600"),
            serverKey: try CurveKeyPair.generate().publicKey, keys: try CurveKeyPair.generate(),
            rights: Membership(
                name: try #require(NodeName("attic")), role: .node, account: AccountID("demo"),
                grant: NodeGrant(range: range, token: token), scenario: "lively"))
    }

    @Test("a written membership is read again, and only its owner can read it")
    func roundTrip() throws {
        let temporary = try TemporaryDirectory()
        let directory = RunDirectory(path: temporary.path)
        let path = NetworkMembership.file(in: directory)
        #expect(try NetworkMembership.read(from: path) == nil)
        let written = try membership()
        try written.write(to: path)
        #expect(try NetworkMembership.read(from: path) == written)
        #expect(try TemporaryDirectory.permissions(of: path) == 0o600)
        #expect(try FleetConnection(directory).membership == written)
    }

    @Test("a membership is read with a byte order mark and with line ends of Windows")
    func editor() throws {
        let temporary = try TemporaryDirectory()
        let path = "\(temporary.path)/key.json"
        let written = try membership()
        let text = "\u{feff}" + written.text.replacing("\n", with: "\r\n")
        try PrivateFile(path: path).replace(with: Array(text.utf8))
        #expect(try NetworkMembership.read(from: path, isGiven: true) == written)
    }

    @Test("an address comes from the option, then the environment, then the file")
    func precedence() throws {
        let temporary = try TemporaryDirectory()
        let directory = RunDirectory(path: temporary.path)
        let variables = [NetworkOptions.addressVariable: "tcp://10.0.0.3:7600"]
        func address(
            _ connect: String? = nil, keyFile: String? = nil, _ variables: [String: String] = [:]
        ) throws -> String? {
            try NetworkOptions(connect: try connect.map { try NetworkAddress($0) }, keyFile: keyFile)
                .connection(of: directory, environment: variables).membership?.address.description
        }
        #expect(try address() == nil)
        let file = NetworkMembership.file(in: directory)
        #expect(throws: RuntimeError.noKey(path: file)) { try address(nil, variables) }
        try membership().write(to: file)
        #expect(try address() == "tcp://10.0.0.1:7600")
        #expect(try address(nil, variables) == "tcp://10.0.0.3:7600")
        #expect(try address("tcp://10.0.0.2:7600", variables) == "tcp://10.0.0.2:7600")
        let other = "\(temporary.path)/other.json"
        #expect(throws: RuntimeError.noKey(path: other)) { try address(keyFile: other) }
    }
}
