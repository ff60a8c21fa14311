import SwiftProtobuf

@testable import FleetProtocol

/// A kind of message that has a file of vectors.
protocol Conformant: WireMessage, Equatable {
    /// The generated protobuf type of the message.
    associatedtype Generated: SwiftProtobuf.Message

    /// Samples of every form of the message, each with a unique name.
    static func samples(_ given: Given) -> [(name: String, value: Self)]
}

extension Conformant {
    /// The name of the message in `proto/`, such as `ClientRequest`.
    static var kind: String { Generated.protoMessageName.split(separator: ".").last.map(String.init) ?? "" }

    /// The vector of a value.
    static func vector(_ name: String, _ value: Self) throws -> VectorFile.Entry {
        VectorFile.Entry(name: name, lines: try lines(in: value.wireBytes), bytes: value.wireBytes)
    }

    /// The text format of each sample, as decoded by SwiftProtobuf, by the name of the sample.
    static func sampleLines(_ given: Given) throws -> [(name: String, lines: [String])] {
        try samples(given).map { ($0.name, try lines(in: $0.value.wireBytes)) }
    }

    /// The protobuf text format of the bytes.
    static func lines(in bytes: [UInt8]) throws -> [String] {
        try Generated(serializedBytes: bytes).textFormatString().split(separator: "\n").map(String.init)
    }

    /// The bytes of a message in protobuf text format.
    static func bytes(ofLines lines: [String]) throws -> [UInt8] {
        try Generated(textFormatString: lines.joined(separator: "\n")).serializedBytes()
    }
}

extension ClientRequest: Conformant { typealias Generated = Sensibus_V1_ClientRequest }
extension ClientReply: Conformant { typealias Generated = Sensibus_V1_ClientReply }
extension NodeMessage: Conformant { typealias Generated = Sensibus_V1_NodeMessage }
extension ControllerMessage: Conformant { typealias Generated = Sensibus_V1_ControllerMessage }
extension Telemetry: Conformant { typealias Generated = Sensibus_V1_Telemetry }
extension StreamUpdate: Conformant { typealias Generated = Sensibus_V1_StreamUpdate }
extension SupervisorRequest: Conformant { typealias Generated = Sensibus_V1_SupervisorRequest }
extension SupervisorReply: Conformant { typealias Generated = Sensibus_V1_SupervisorReply }
extension JoinRequest: Conformant { typealias Generated = Sensibus_V1_JoinRequest }
extension JoinReply: Conformant { typealias Generated = Sensibus_V1_JoinReply }
