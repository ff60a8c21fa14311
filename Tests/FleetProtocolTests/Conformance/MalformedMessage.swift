import SwiftProtobuf
import Testing

@testable import FleetProtocol

/// Bytes that are invalid for their kind, and the error.
struct MalformedMessage {
    let name: String
    let kind: String
    /// The first bytes.
    let bytes: [UInt8]
    /// The number of zero bytes that follow; a number, so that the file does not contain them.
    let zeros: Int
    let error: WireError
    /// Decodes bytes as a message of the kind.
    let read: ([UInt8]) throws(WireError) -> Void

    /// Creates a malformed message from its bytes.
    static func bytes<Message: Conformant>(
        _ type: Message.Type, _ name: String, _ bytes: [UInt8], zeros: Int = 0, _ problem: WireError.Problem,
        correlation: UInt64 = 0
    ) -> MalformedMessage {
        MalformedMessage(
            name: "\(type.kind): \(name)", kind: type.kind, bytes: bytes, zeros: zeros,
            error: WireError(problem: problem, correlation: correlation)
        ) { (bytes: [UInt8]) throws(WireError) in _ = try Message(wireBytes: bytes) }
    }

    /// Creates a malformed message from a valid sample with one change.
    static func changed<Message: Conformant>(
        _ type: Message.Type, _ name: String, from sample: String, _ problem: WireError.Problem,
        correlation: UInt64 = 0, _ change: (inout Message.Generated) -> Void
    ) throws -> MalformedMessage {
        let samples = type.samples(try Given())
        let value = try #require(samples.first { $0.name == sample }?.value, "no sample is called \(sample)")
        var message = try Message.Generated(serializedBytes: value.wireBytes)
        change(&message)
        return bytes(type, name, try message.serializedBytes(), problem, correlation: correlation)
    }

    /// All malformed messages.
    static func all() throws -> [MalformedMessage] {
        try unreadable() + logins() + commands() + settings() + otherRequests() + logbook() + sites()
            + commandQueues()
            + roster() + labels() + loadTests() + replies() + outcomes()
            + cancelsAndSnapshots() + nodes() + orders() + updates() + batches()
    }

    /// The entry in the vector file.
    var entry: VectorFile.Entry {
        var lines = ["message: \(kind)", "bytes: \(bytes.count + zeros)"]
        if zeros > 0 { lines.append("zeros: \(zeros)") }
        lines += error.problem.lines + ["correlation: \(error.correlation)", "says: \(error)"]
        return VectorFile.Entry(name: name, lines: lines, bytes: bytes)
    }
}

extension WireError.Problem {
    /// A field's value that is not allowed.
    static func wrong(_ field: String, _ expected: String) -> Self {
        .malformed(field: field, expected: expected)
    }

    /// A missing field.
    static func absent(_ field: String) -> Self { .missing(field: field) }

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
