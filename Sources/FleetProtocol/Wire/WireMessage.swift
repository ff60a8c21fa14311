internal import SwiftProtobuf

/// A value that travels as one protobuf message.
public protocol WireMessage: Sendable {
    /// The message in these bytes.
    ///
    /// - Throws: `WireError` when they are too many, are no such message, or hold a value that is not
    ///   allowed.
    init(wireBytes bytes: [UInt8]) throws(WireError)

    /// The bytes of this message.
    var wireBytes: [UInt8] { get }
}

/// How the generated type behind a wire message is read.
protocol Versioned: SwiftProtobuf.Message {
    var `protocol`: UInt32 { get set }
}

extension Sensibus_V1_ClientRequest: Versioned {}
extension Sensibus_V1_ClientReply: Versioned {}
extension Sensibus_V1_NodeMessage: Versioned {}
extension Sensibus_V1_ControllerMessage: Versioned {}
extension Sensibus_V1_Telemetry: Versioned {}
extension Sensibus_V1_StreamUpdate: Versioned {}
extension Sensibus_V1_SupervisorRequest: Versioned {}
extension Sensibus_V1_SupervisorReply: Versioned {}

extension Versioned {
    /// The decoded message, if it is short enough, decodable and of our version.
    static func decoded(from bytes: [UInt8], limit: Int = Limits.messageBytes) throws(WireError) -> Self {
        guard bytes.count <= limit else {
            throw WireError(problem: .tooLong(bytes: bytes.count, limit: limit))
        }
        let message: Self
        do {
            message = try Self(serializedBytes: bytes)
        } catch {
            throw WireError(problem: .notDecodable)
        }
        guard message.protocol == Limits.protocolVersion else {
            throw WireError(problem: .version(message.protocol))
        }
        return message
    }

    /// A message of our version.
    static func ours(_ fill: (inout Self) -> Void) -> Self {
        var message = Self()
        message.protocol = Limits.protocolVersion
        fill(&message)
        return message
    }

    /// The message's bytes.
    var bytes: [UInt8] {
        do {
            return try serializedBytes()
        } catch {
            preconditionFailure("a proto3 message without required fields always encodes: \(error)")
        }
    }
}
