/// An IP address: 4 bytes, or 16 for version 6.
public struct IPAddress: Hashable, Sendable {
    /// The bytes, the most significant first.
    public let bytes: [UInt8]

    /// Parses an address; nil for any other text.
    ///
    /// An IPv4-mapped IPv6 address becomes the IPv4 address, and a zone is dropped.
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

    /// Whether it is a loopback address.
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

    /// Returns the first bits of an address of version 6, in whole groups of 16.
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
public struct IPNetwork: Hashable, Sendable {
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

    /// Whether the network contains an address.
    public func contains(_ other: IPAddress) -> Bool {
        guard other.bytes.count == address.bytes.count else { return false }
        let (whole, rest) = (bits / 8, bits % 8)
        guard other.bytes.prefix(whole) == address.bytes.prefix(whole) else { return false }
        return rest == 0 || (other.bytes[whole] ^ address.bytes[whole]) >> (8 - rest) == 0
    }
}

extension IPAddress {
    /// Returns the client's address of a request: the peer's, or, for a trusted proxy, the last entry of
    /// `X-Forwarded-For` that is not a trusted proxy.
    ///
    /// The client can forge all entries further to the left.
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

/// The host names for which the gateway answers requests.
///
/// This prevents DNS rebinding: a web page whose name resolves to this machine is of the gateway's origin to
/// a browser, but has its own name in `Host`. An address in `Host` cannot be forged in this way.
public struct AllowedHosts: Sendable {
    private let bound: IPAddress?
    private let names: Set<String>

    /// Creates the set of the loopback names, the bound address and the public names.
    ///
    /// - Parameter bound: The address or name that the gateway listens on; the unspecified address allows any
    ///   address.
    public init(bound: String, publicNames: [String]) {
        let address = IPAddress(bound)
        self.bound = address
        names = Set(((address == nil ? [bound] : []) + publicNames).map { Self.host(of: $0) ?? $0 })
    }

    /// Whether requests for a host are allowed, with or without a port.
    public func allows(_ field: String) -> Bool {
        guard let host = Self.host(of: field) else { return false }
        if names.contains(host) || host == "localhost" || host.hasSuffix(".localhost") { return true }
        guard let address = IPAddress(host) else { return false }
        return address.isLoopback || address == bound || bound?.isUnspecified ?? false
    }

    /// Returns the host of a header `Host`, in lower case; nil unless that is one name or address, with a
    /// port or without.
    public static func host(of field: String) -> String? {
        let isAddress = field.hasPrefix("[")
        let end = isAddress ? field.firstIndex(of: "]") : field.firstIndex(of: ":") ?? field.endIndex
        guard let end else { return nil }
        let host = field[..<end].dropFirst(isAddress ? 1 : 0)
        let port = field[end...].dropFirst(isAddress ? 1 : 0)
        let isHost = host.allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber || ".-_".contains($0) || isAddress && $0 == ":")
        }
        let number = port.contains("+") ? nil : UInt16(port.dropFirst())
        let isPort = port.isEmpty || port.first == ":" && number != nil
        guard !host.isEmpty, isHost, isPort else { return nil }
        return (host.hasSuffix(".") ? host.dropLast() : host).lowercased()
    }

    /// Whether the target of a request is a path, `*`, or an absolute URI with the authority of its `Host`.
    public static func isTarget(_ target: String, of field: String) -> Bool {
        if target.hasPrefix("/") || target == "*" { return true }
        let target = target.lowercased()
        let scheme = ["http://", "https://"].first { target.hasPrefix($0) }
        guard let scheme else { return false }
        return target.dropFirst(scheme.count).prefix { !"/?#".contains($0) } == field.lowercased()
    }
}
