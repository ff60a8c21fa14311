/// An address of the Internet Protocol: 4 bytes, or 16 of version 6.
public struct IPAddress: Hashable, Sendable {
    /// The bytes, the most significant first.
    public let bytes: [UInt8]

    /// The address that a text spells; nil for any other text.
    ///
    /// An IPv4 address in the form of an IPv6 address is the IPv4 address, and a zone is left out.
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

    /// Whether it is this machine, to itself.
    public var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// Whether it stands for every address of this machine.
    public var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }

    /// What one subscriber of a network has: the address, or 64 bits of one of version 6 (RFC 6177).
    public var subscriber: String {
        bytes.count == 16 ? network(bits: 64) : bytes.map(String.init).joined(separator: ".")
    }

    /// What one site may have, 65,536 subscribers' networks: 48 bits of an address of version 6 (RFC 6177).
    public var site: String? { bytes.count == 16 ? network(bits: 48) : nil }

    /// The first bits of an address of version 6, whole groups of 16.
    private func network(bits: Int) -> String {
        let groups = stride(from: 0, to: bits / 8, by: 2).map {
            UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        return groups.map { String($0, radix: 16) }.joined(separator: ":") + "::/\(bits)"
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

    /// The bytes of groups between colons; the last group may be an IPv4 address.
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
