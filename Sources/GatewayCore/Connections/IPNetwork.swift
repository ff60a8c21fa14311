/// Addresses that begin with the same bits.
public struct IPNetwork: Hashable, Sendable {
    private let address: IPAddress
    private let bits: Int

    /// The network that a text spells, as `10.0.0.0/8`, or the single address; nil when it is neither.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first.flatMap({ IPAddress($0) }) else { return nil }
        let longest = address.bytes.count * 8
        guard let bits = parts.count == 1 ? longest : Int(parts[1]), (0...longest).contains(bits) else {
            return nil
        }
        (self.address, self.bits) = (address, bits)
    }

    /// Whether an address is one of them.
    public func contains(_ other: IPAddress) -> Bool {
        guard other.bytes.count == address.bytes.count else { return false }
        let (whole, rest) = (bits / 8, bits % 8)
        guard other.bytes.prefix(whole) == address.bytes.prefix(whole) else { return false }
        return rest == 0 || (other.bytes[whole] ^ address.bytes[whole]) >> (8 - rest) == 0
    }
}

extension IPAddress {
    /// Whose request it is that came from an address: the peer's own, or where that is a trusted proxy the
    /// last entry of `X-Forwarded-For` that names no trusted proxy.
    ///
    /// Anything further to the left may be made up by the sender.
    public static func client(
        behind peer: IPAddress, forwarded: [String], trusting proxies: [IPNetwork]
    ) -> IPAddress {
        var client = peer
        for text in forwarded.flatMap({ $0.split(separator: ",") }).reversed() {
            guard proxies.contains(where: { $0.contains(client) }),
                let next = IPAddress(text.filter { $0 != " " })
            else { break }
            client = next
        }
        return client
    }
}
