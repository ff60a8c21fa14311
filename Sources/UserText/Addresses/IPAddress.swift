/// An IP address: 4 bytes, or 16 for version 6.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// The bytes, the most significant first.
    public let bytes: [UInt8]

    /// Parses an address; nil for any other text. An IPv4-mapped IPv6 address becomes the IPv4 address, and a
    /// zone is dropped.
    public init?(_ text: some StringProtocol) {
        let text = text.prefix { $0 != "%" }
        guard text.contains(":") else {
            guard let bytes = Self.version4(text) else { return nil }
            self.bytes = bytes
            return
        }
        guard let bytes = Self.version6(text) else { return nil }
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
        self.bytes = bytes.starts(with: mapped) ? Array(bytes.dropFirst(mapped.count)) : bytes
    }

    public var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// Whether it is the unspecified address, which stands for all addresses of this machine.
    public var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }

    /// The range of one subscriber: the address, or the first 64 bits for version 6 (RFC 6177).
    public var subscriber: String {
        bytes.count == 16 ? network(bits: 64) : bytes.map(String.init).joined(separator: ".")
    }

    /// The range of one site of 65,536 subscriber networks: the first 48 bits for version 6 (RFC 6177); nil
    /// for version 4.
    public var site: String? { bytes.count == 16 ? network(bits: 48) : nil }

    /// The address as RFC 5952 writes it: `::` replaces the longest run of zeros.
    public var description: String {
        guard bytes.count == 16 else { return subscriber }
        let groups = groups(bits: 128)
        var (longest, start) = (0..<0, 0)
        for place in 0...groups.count where place == groups.count || groups[place] != 0 {
            if place - start > max(1, longest.count) { longest = start..<place }
            start = place + 1
        }
        guard !longest.isEmpty else { return Self.text(groups[...]) }
        return "\(Self.text(groups[..<longest.lowerBound]))::\(Self.text(groups[longest.upperBound...]))"
    }

    /// Returns the first bits of an address of version 6, in whole groups of 16.
    private func network(bits: Int) -> String { "\(Self.text(groups(bits: bits)[...]))::/\(bits)" }

    private func groups(bits: Int) -> [UInt16] {
        stride(from: 0, to: bits / 8, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
    }

    private static func text(_ groups: ArraySlice<UInt16>) -> String {
        groups.map { String($0, radix: 16) }.joined(separator: ":")
    }

    private static func version4(_ text: some StringProtocol) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let bytes = parts.compactMap { $0.allSatisfy(\.isNumber) ? UInt8($0) : nil }
        return parts.count == 4 && bytes.count == 4 ? bytes : nil
    }

    private static func version6(_ text: some StringProtocol) -> [UInt8]? {
        let text = String(text)
        guard let gap = text.firstRange(of: "::") else {
            let bytes = groups(text)
            return bytes?.count == 16 ? bytes : nil
        }
        let (left, right) = (text[..<gap.lowerBound], text[gap.upperBound...])
        guard let before = left.isEmpty ? [] : groups(left), let after = right.isEmpty ? [] : groups(right),
            before.count + after.count <= 14
        else { return nil }
        return before + [UInt8](repeating: 0, count: 16 - before.count - after.count) + after
    }

    /// Parses groups between colons; the last group may be an IPv4 address.
    private static func groups(_ text: some StringProtocol) -> [UInt8]? {
        let groups = text.split(separator: ":", omittingEmptySubsequences: false)
        var bytes: [UInt8] = []
        for (place, group) in groups.enumerated() {
            if place == groups.count - 1, group.contains("."), let last = version4(group) {
                bytes += last
            } else if (1...4).contains(group.count), group.allSatisfy(\.isHexDigit),
                let value = UInt16(group, radix: 16)
            {
                bytes += [UInt8(value >> 8), UInt8(truncatingIfNeeded: value)]
            } else {
                return nil
            }
        }
        return bytes
    }
}

/// A network: the addresses with the same first bits.
public struct IPNetwork: Hashable, Sendable, CustomStringConvertible {
    private let address: IPAddress
    private let bits: Int

    /// Parses a network, such as `10.0.0.0/8`, or a single address; nil for any other text.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first.flatMap({ IPAddress($0) }) else { return nil }
        let longest = address.bytes.count * 8
        guard let bits = parts.count == 1 ? longest : Int(parts[1]), (0...longest).contains(bits) else {
            return nil
        }
        (self.address, self.bits) = (address, bits)
    }

    /// The network, such as `10.0.0.0/8`.
    public var description: String { "\(address)/\(bits)" }

    public func contains(_ other: IPAddress) -> Bool {
        guard other.bytes.count == address.bytes.count else { return false }
        let (whole, rest) = (bits / 8, bits % 8)
        guard other.bytes.prefix(whole) == address.bytes.prefix(whole) else { return false }
        return rest == 0 || (other.bytes[whole] ^ address.bytes[whole]) >> (8 - rest) == 0
    }
}
