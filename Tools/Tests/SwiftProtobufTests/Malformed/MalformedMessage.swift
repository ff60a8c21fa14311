import ConformanceSupport
import FleetProtocol
import SwiftProtobuf
import Testing

/// Bytes that are invalid for their kind, and the reason.
struct MalformedMessage {
    let name: String
    let bytes: RefusedBytes
    let problem: WireError.Problem
    let correlation: UInt64
    /// Decodes the bytes as a message of the kind.
    private let read: ([UInt8]) throws(WireError) -> Void

    /// Creates a malformed message from its bytes.
    static func bytes<Message: Referenced>(
        _ type: Message.Type, _ name: String, _ bytes: [UInt8], zeros: Int = 0, _ problem: WireError.Problem,
        correlation: UInt64 = 0
    ) -> MalformedMessage {
        MalformedMessage(
            name: "\(type.kind): \(name)", bytes: RefusedBytes(kind: type.kind, bytes: bytes, zeros: zeros),
            problem: problem, correlation: correlation
        ) { (bytes: [UInt8]) throws(WireError) in _ = try Message(wireBytes: bytes) }
    }

    /// Creates a malformed message from a sample, which is the vector of that name, with one change.
    static func changed<Message: Referenced>(
        _ type: Message.Type, _ name: String, from sample: String, _ problem: WireError.Problem,
        correlation: UInt64 = 0, _ change: (inout Message.Reference) -> Void
    ) throws -> MalformedMessage {
        let samples = try VectorFile.read(type.kind).entries
        let sample = try #require(samples.first { $0.name == sample }, "no vector is called \(sample)")
        var message = try Message.Reference(serializedBytes: sample.bytes)
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

    /// The error of the decoder; nil if it accepts the bytes.
    var refusal: WireError? {
        do throws(WireError) {
            try read(bytes.message)
            return nil
        } catch {
            return error
        }
    }
}

extension WireError.Problem {
    /// A field's value that is not allowed.
    static func wrong(_ field: String, _ expected: String) -> Self {
        .malformed(field: field, expected: expected)
    }

    /// A missing field.
    static func absent(_ field: String) -> Self { .missing(field: field) }
}
