public import Bus
public import FleetProtocol
import FoundationEssentials

/// A program on another machine that may connect, or that was invited to.
public struct Peer: Hashable, Sendable {
    /// Its name, unique among the peers of a fleet; of a node, also the node's name.
    public let name: NodeName
    public let role: PeerRole
    /// The account to which it is limited; nil for all accounts.
    public let account: AccountID?
    /// The devices that a node may host; nil for other roles.
    public let range: DeviceRange?
    /// The scenario with which a node begins.
    public let scenario: String
    /// Its public key; nil until it has joined.
    public var key: CurvePublicKey?
    /// The BLAKE2b digest of its join token; nil for a key that was added without one.
    public var tokenDigest: [UInt8]?
    /// When its key was added; before that, when it was invited.
    public var since: WallTime

    /// How long a join token is valid.
    public static let invitationTime = Duration.seconds(3_600)

    /// A peer with the given rights; a node has an account and a range.
    public init(
        name: NodeName, role: PeerRole, account: AccountID?, range: DeviceRange? = nil, scenario: String = "",
        key: CurvePublicKey? = nil, tokenDigest: [UInt8]? = nil, since: WallTime
    ) {
        precondition(role != .node || (account != nil && range != nil), "a node has an account and devices")
        (self.name, self.role, self.account, self.range) = (name, role, account, range)
        (self.scenario, self.key, self.tokenDigest, self.since) = (scenario, key, tokenDigest, since)
    }

    /// The rights of its key, with the token of a node.
    public func rights(with secret: NodeSecret) -> Membership {
        var grant: NodeGrant?
        if let account, let range { grant = secret.grant(range, to: name, of: account) }
        return Membership(name: name, role: role, account: account, grant: grant, scenario: scenario)
    }

    /// Whether its join token can no longer be used.
    public func isExpired(at now: WallTime) -> Bool {
        key == nil && since.advanced(by: Self.invitationTime) <= now
    }
}

/// The peers of a fleet, as a value.
public struct PeerList: Equatable, Sendable {
    /// The peers in the order in which they were added.
    public private(set) var peers: [Peer] = []
    /// The maximum number of peers, as many as a controller has nodes.
    public static let limit = Limits.controllerNodes
    /// The index of the first device that a peer may host; smaller ones belong to the nodes of `fleet up`.
    public static let firstIndex: UInt64 = 1_000_000

    public init() {}

    /// The peers whose keys may connect, by key.
    public var byKey: [CurvePublicKey: Peer] {
        Dictionary(peers.compactMap { peer in peer.key.map { ($0, peer) } }, uniquingKeysWith: { $1 })
    }

    /// The digests of all join tokens, used or not.
    public var tokenDigests: Set<[UInt8]> { Set(peers.compactMap(\.tokenDigest)) }

    public subscript(name: NodeName) -> Peer? { peers.first { $0.name == name } }

    /// Adds a peer, and removes invitations that have expired. Throws `peerExists` if a peer has that name or
    /// key.
    public mutating func add(_ peer: Peer, at now: WallTime) throws(RuntimeError) {
        peers.removeAll { $0.isExpired(at: now) }
        let other = peers.first { $0.name == peer.name || ($0.key != nil && $0.key == peer.key) }
        if let other { throw .peerExists(name: other.name.text) }
        guard peers.count < Self.limit else { throw .tooManyPeers(limit: Self.limit) }
        peers.append(peer)
    }

    /// Removes and returns the peer with a name; nil for an unknown name.
    public mutating func remove(_ name: NodeName) -> Peer? {
        guard let place = peers.firstIndex(where: { $0.name == name }) else { return nil }
        return peers.remove(at: place)
    }

    /// Gives the rights of an invitation to a key; the same key may repeat it. Returns the peer; nil if the
    /// token is unknown, has expired, or was used by another key, or if the key belongs to another peer.
    public mutating func join(_ key: CurvePublicKey, tokenDigest: [UInt8], at now: WallTime) -> Peer? {
        guard let place = peers.firstIndex(where: { $0.tokenDigest == tokenDigest }) else { return nil }
        if peers[place].key == key { return peers[place] }
        guard peers[place].key == nil, !peers[place].isExpired(at: now), byKey[key] == nil else { return nil }
        (peers[place].key, peers[place].since) = (key, now)
        return peers[place]
    }

    /// The peers that have joined and are limited to an account, without their join tokens.
    public subscript(account: AccountID) -> PeerList {
        var list = PeerList()
        list.peers = peers.filter { $0.account == account && $0.key != nil }
        for place in list.peers.indices { list.peers[place].tokenDigest = nil }
        return list
    }

    /// Replaces the peers of an account, which is moved here from another fleet: a key that was revoked there
    /// is not admitted. Throws `peerExists` if a peer that remains has such a name or key.
    public mutating func replace(
        peersOf account: AccountID, with others: PeerList, at now: WallTime
    ) throws(RuntimeError) {
        peers.removeAll { $0.account == account }
        for peer in others.peers where peer.account == account && peer.key != nil {
            try add(peer, at: now)
        }
    }

    /// A free range of that many devices, after those of all peers.
    public func freeRange(of count: UInt32, seed: UInt64) -> DeviceRange {
        let end = peers.compactMap { $0.range?.indices.upperBound }.max() ?? Self.firstIndex
        return DeviceRange(seed: seed, firstIndex: max(Self.firstIndex, end), count: count)
    }

    /// A free name: the role and a number.
    public func freeName(for role: PeerRole) -> NodeName {
        let prefix = role == .node ? "remote" : role.name
        for number in 1... {
            guard let name = NodeName("\(prefix)-\(number)") else { break }
            if self[name] == nil { return name }
        }
        preconditionFailure("there are fewer peers than numbers")
    }
}

extension PeerList: Codable {
    private enum CodingKeys: CodingKey { case peers }
}

extension Peer: Codable {
    private enum CodingKeys: CodingKey {
        case name, role, account, seed, firstIndex, devices, scenario, key, tokenDigest, since
    }

    /// Decodes what ``encode(to:)`` writes.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        name = try values.value(.name) { NodeName($0) }
        role = try values.value(.role) { name in PeerRole.allCases.first { $0.name == name } }
        account = try values.valueIfPresent(.account) { AccountID($0) }
        scenario = try values.decodeIfPresent(String.self, forKey: .scenario) ?? ""
        key = try values.valueIfPresent(.key) { CurvePublicKey(hexadecimal: $0) }
        tokenDigest = try values.valueIfPresent(.tokenDigest) { Token(hexadecimal: $0)?.bytes }
        since = WallTime(
            unixMilliseconds: 1_000
                * (try values.value(.since) { (seconds: Int64) in
                    0...Int64(UInt32.max) ~= seconds ? seconds : nil
                }))
        guard role == .node else {
            range = nil
            return
        }
        let first = try values.value(.firstIndex) { (first: UInt64) in
            first <= Limits.largestOrdinal ? first : nil
        }
        let count = try values.value(.devices) { (count: UInt32) in
            1...UInt32(Limits.nodeDevices) ~= count ? count : nil
        }
        guard account != nil else { throw values.notAllowed(.account) }
        range = DeviceRange(
            seed: try values.decode(UInt64.self, forKey: .seed), firstIndex: first, count: count)
    }

    /// Encodes texts, numbers, and the time in seconds since 1970.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(name.text, forKey: .name)
        try values.encode(role.name, forKey: .role)
        try values.encodeIfPresent(account?.name, forKey: .account)
        try values.encodeIfPresent(range?.seed, forKey: .seed)
        try values.encodeIfPresent(range?.firstIndex, forKey: .firstIndex)
        try values.encodeIfPresent(range?.count, forKey: .devices)
        try values.encodeIfPresent(scenario.isEmpty ? nil : scenario, forKey: .scenario)
        try values.encodeIfPresent(key?.description, forKey: .key)
        try values.encodeIfPresent(tokenDigest?.hexadecimal, forKey: .tokenDigest)
        try values.encode(since.unixMilliseconds / 1_000, forKey: .since)
    }
}
