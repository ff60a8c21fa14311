public import FleetProtocol

/// An entry of `malformed.txt`: bytes that are not a valid message of their kind, and the expected error.
public struct RefusedBytes: Sendable {
    /// The kind of message, such as `ClientRequest`.
    public let kind: String
    /// The first bytes.
    public let bytes: [UInt8]
    /// The number of zero bytes that follow; a number, so that the file does not contain them.
    public let zeros: Int

    /// Bytes that are invalid for that kind.
    public init(kind: String, bytes: [UInt8], zeros: Int) {
        (self.kind, self.bytes, self.zeros) = (kind, bytes, zeros)
    }

    /// The bytes of an entry; nil if it has no kind.
    public init?(_ entry: VectorFile.Entry) {
        guard let kind = entry.value(of: "message") else { return nil }
        self.init(kind: kind, bytes: entry.bytes, zeros: entry.value(of: "zeros").flatMap(Int.init) ?? 0)
    }

    /// All bytes.
    public var message: [UInt8] { bytes + [UInt8](repeating: 0, count: zeros) }

    /// The entry of the bytes and the error that a decoder throws for them.
    public func entry(named name: String, _ error: WireError) -> VectorFile.Entry {
        var lines = ["message: \(kind)", "bytes: \(bytes.count + zeros)"]
        if zeros > 0 { lines.append("zeros: \(zeros)") }
        lines += error.problem.lines + ["correlation: \(error.correlation)", "says: \(error)"]
        return VectorFile.Entry(name: name, lines: lines, bytes: bytes)
    }
}

extension VectorFile.Entry {
    /// The text behind `KEY: ` in the first line that begins so.
    public func value(of key: String) -> String? {
        lines.first { $0.hasPrefix("\(key): ") }.map { String($0.dropFirst(key.count + 2)) }
    }
}

extension WireError.Problem {
    fileprivate var lines: [String] {
        switch self {
        case .tooLong(_, let limit): ["problem: tooLong", "limit: \(limit)"]
        case .notDecodable: ["problem: notDecodable"]
        case .version(let version): ["problem: version", "version: \(version)"]
        case .missing(let field): ["problem: missing", "field: \(field)"]
        case .malformed(let field, let expected):
            ["problem: malformed", "field: \(field)", "expected: \(expected)"]
        }
    }
}
