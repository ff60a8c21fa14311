import ControllerSupport
import FleetProtocol
import Logging
import ProcessSupport
import TestSupport
import Testing

@testable import Bus
@testable import ControllerCore
@testable import controller

@Suite("The rights of peers at the controller")
struct PeerRegistryTests {
    private static let now = WallTime(unixMilliseconds: 1_800_000_000_000)
    private static let range = DeviceRange(seed: 1, firstIndex: 1_000_000, count: 10)
    private static let token = PeerFiles.makeToken()

    private let temporary: TemporaryDirectory
    private let registry: PeerRegistry
    private let keys: [PeerRole: CurvePublicKey]

    init() throws {
        temporary = try TemporaryDirectory()
        let directory = RunDirectory(path: temporary.path)
        let files = try PeerFiles(of: directory)
        var keys: [PeerRole: CurvePublicKey] = [:]
        for role in PeerRole.allCases { keys[role] = try CurveKeyPair.generate().publicKey }
        self.keys = keys
        let demo = AccountID.demo
        var list = PeerList()
        for role in PeerRole.allCases {
            let name = valid(NodeName(role.name))
            try list.add(
                Peer(
                    name: name, role: role, account: demo, range: role == .node ? Self.range : nil,
                    key: keys[role], since: Self.now),
                at: Self.now)
        }
        let guest = Peer(
            name: valid(NodeName("guest")), role: .client, account: demo,
            tokenDigest: PeerFiles.digest(of: Self.token), since: Self.now)
        try list.add(guest, at: Self.now)
        let complete = list
        try files.change { (stored) throws(RuntimeError) in stored = complete }
        registry = try PeerRegistry(
            files, secret: directory.nodeSecret(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func peer(_ role: PeerRole) throws -> Peer {
        try #require(registry[keys[role], at: role == .node ? .devices : .clients])
    }

    private func admits(_ key: CurvePublicKey, to domain: String) -> Bool {
        registry.admits(Authenticator.Peer(domain: domain, address: "10.0.0.2", key: key))
    }

    @Test("each role connects to its own sockets, and strangers only to `join`")
    func sockets() throws {
        for role in PeerRole.allCases {
            let key = try #require(keys[role])
            for socket in ["devices", "telemetry"] { #expect(admits(key, to: socket) == (role == .node)) }
            for socket in ["clients", "stream"] { #expect(admits(key, to: socket) == (role != .node)) }
            #expect(!admits(key, to: "supervisor") && !admits(key, to: "") && !admits(key, to: "x"))
        }
        let stranger = try CurveKeyPair.generate().publicKey
        for socket in ["devices", "telemetry", "clients", "stream"] { #expect(!admits(stranger, to: socket)) }
        #expect(admits(stranger, to: "join"))
    }

    private func hello(
        _ name: String = "node", account: AccountID = .demo, range: DeviceRange = Self.range, boot: UInt64 = 1
    ) -> NodeMessage {
        let token = valid(Token([UInt8](repeating: 1, count: 32)))
        let hello = NodeHello(
            node: valid(NodeName(name)), account: account, devices: 10,
            grant: NodeGrant(range: range, token: token))
        return NodeMessage(bootID: BootID(bits: boot), lastNumber: ChangeNumber(0), body: .hello(hello))
    }

    @Test("a node says hello with the name, the account and the devices of its key only")
    func hellos() throws {
        let node = try peer(.node)
        #expect(registry.refusal(ofHello: hello(), from: node) == nil)
        #expect(registry.refusal(ofHello: hello("node-1"), from: node) != nil)
        #expect(registry.refusal(ofHello: hello(account: .other), from: node) != nil)
        let wider = DeviceRange(seed: 1, firstIndex: 1_000_000, count: 11)
        #expect(registry.refusal(ofHello: hello(range: wider), from: node) != nil)
    }

    @Test("telemetry has the boot ID of its sender's hello")
    func telemetry() throws {
        let node = try peer(.node)
        #expect(!registry.owns(BootID(bits: 1), node))
        #expect(registry.refusal(ofHello: hello(boot: 1), from: node) == nil)
        #expect(registry.owns(BootID(bits: 1), node))
        #expect(!registry.owns(BootID(bits: 2), node))
        // Hellos of other processes with the key do not displace the first one.
        for boot in 2..<200 as Range<UInt64> {
            #expect(registry.refusal(ofHello: hello(boot: boot), from: node) == nil)
            #expect(registry.owns(BootID(bits: 1), node))
        }
        #expect(!registry.owns(BootID(bits: 2), node))
    }

    @Test("a token joins one key, whose rights hold at once")
    func join() throws {
        let (key, other) = (try CurveKeyPair.generate().publicKey, try CurveKeyPair.generate().publicKey)
        #expect(registry.join(key, with: PeerFiles.makeToken(), at: Self.now) == .refusal(.unknownToken))
        guard case .membership(let rights) = registry.join(key, with: Self.token, at: Self.now) else {
            Issue.record("the token was refused")
            return
        }
        #expect(rights.role == .client && rights.name.text == "guest")
        #expect(admits(key, to: "clients") && !admits(key, to: "devices"))
        #expect(registry.join(key, with: Self.token, at: Self.now) == .membership(rights))
        #expect(registry.join(other, with: Self.token, at: Self.now) == .refusal(.unknownToken))
    }

    @Test("a request of another account, and a change by an observer, are refused before anything else")
    func requests() throws {
        let controller = Controller(
            ControllerConfiguration(epoch: Epoch(1), users: [], sessions: [], seed: 1),
            at: Moment(monotonic: .zero, wall: Self.now))
        let digest = Self.token.digest
        func refusal(_ role: PeerRole, _ body: ClientRequest.Body) throws -> Refusal? {
            let request = ClientRequest(correlation: 1, token: Self.token, body: body)
            return try peer(role).refusal(of: request, digest: digest, in: controller)
        }
        // No session of the account exists, so every token is of another one.
        #expect(try refusal(.client, .status) == .unauthenticated)
        #expect(try refusal(.gateway, .selfService(.availability)) == nil)
        let unlimited = Peer(name: valid(NodeName("wall")), role: .observer, account: nil, since: Self.now)
        func answer(_ body: ClientRequest.Body) -> Refusal? {
            unlimited.refusal(
                of: ClientRequest(correlation: 1, token: Self.token, body: body), digest: digest,
                in: controller)
        }
        #expect(answer(.status) == nil && answer(.streamTicket) == nil)
        #expect(answer(.logout(everywhere: false)) == nil)
        #expect(answer(.heal([])) != nil)
    }
}

extension Refusal {
    /// The refusal of a join token.
    static let unknownToken = Refusal.notAllowed("the join token is unknown, has expired, or was used")
}
