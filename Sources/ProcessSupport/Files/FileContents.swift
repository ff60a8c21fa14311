package import FoundationEssentials
import Glibc

/// Makes a system call again while signals interrupt it.
package func uninterrupted(_ call: () -> Int) -> Int {
    var result = call()
    while result < 0 && errno == EINTR { result = call() }
    return result
}

extension Encodable {
    /// The value as JSON on several lines, with sorted keys, for a file; its type always encodes.
    package func jsonLines(_ more: JSONEncoder.OutputFormatting = []) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = more.union([.prettyPrinted, .sortedKeys])
        // The error may quote a secret.
        guard let content = try? encoder.encode(self) else {
            preconditionFailure("\(Self.self) always encodes")
        }
        return Array(content) + Array("\n".utf8)
    }
}

extension KeyedDecodingContainer {
    /// Returns what is made of a member's value. Throws if it is missing, or if nothing can be made of it.
    func value<Member: Decodable, Value>(_ key: Key, _ make: (Member) -> Value?) throws -> Value {
        guard let value = make(try decode(Member.self, forKey: key)) else { throw notAllowed(key) }
        return value
    }

    /// Returns what is made of a member's value, or nil for a member that is missing or null.
    func valueIfPresent<Member: Decodable, Value>(_ key: Key, _ make: (Member) -> Value?) throws -> Value? {
        try contains(key) && !decodeNil(forKey: key) ? value(key, make) : nil
    }

    func notAllowed(_ key: Key) -> DecodingError {
        .dataCorruptedError(forKey: key, in: self, debugDescription: "not allowed")
    }
}
