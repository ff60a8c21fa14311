/// Which devices of a fleet a node may host: those of some indices.
public struct DeviceRange: Hashable, Sendable {
    /// The seed from which ids follow.
    public let seed: UInt64
    /// The index of the first device over the whole fleet, at most ``Limits/largestOrdinal``.
    public let firstIndex: UInt64
    /// How many devices, at most ``Limits/nodeDevices``.
    public let count: UInt32

    /// The devices of those indices.
    public init(seed: UInt64, firstIndex: UInt64, count: UInt32) {
        self.seed = seed
        self.firstIndex = firstIndex
        self.count = count
    }

    /// The indices over the whole fleet.
    public var indices: Range<UInt64> { firstIndex..<firstIndex + UInt64(count) }
}

/// A node's proof that it may host devices: a token that the fleet's launcher has made for its name, its
/// account and that range.
public struct NodeGrant: Sendable, Equatable {
    /// The devices.
    public let range: DeviceRange
    /// The proof.
    public let token: Token

    /// The proof for those devices.
    public init(range: DeviceRange, token: Token) {
        self.range = range
        self.token = token
    }
}
