import SwiftProtobuf

@testable import FleetProtocol

/// A kind of message that has a file of vectors.
protocol Conformant: WireMessage, Equatable {
    /// The generated type behind it.
    associatedtype Generated: SwiftProtobuf.Message

    /// Every form of the kind, each with its own name.
    static func samples(_ given: Given) -> [(name: String, value: Self)]
}

extension Conformant {
    /// Its name in `proto/`: `ClientRequest`.
    static var kind: String { Generated.protoMessageName.split(separator: ".").last.map(String.init) ?? "" }

    /// The vector of a value.
    static func vector(_ name: String, _ value: Self) throws -> VectorFile.Entry {
        VectorFile.Entry(name: name, words: try words(in: value.wireBytes), bytes: value.wireBytes)
    }

    /// The values that protobuf's own library decodes from each sample, by its name.
    static func sampleWords(_ given: Given) throws -> [(name: String, words: [String])] {
        try samples(given).map { ($0.name, try words(in: $0.value.wireBytes)) }
    }

    /// The text format of protobuf for those bytes.
    static func words(in bytes: [UInt8]) throws -> [String] {
        try Generated(serializedBytes: bytes).textFormatString().split(separator: "\n").map(String.init)
    }

    /// The bytes for that text.
    static func bytes(ofWords words: [String]) throws -> [UInt8] {
        try Generated(textFormatString: words.joined(separator: "\n")).serializedBytes()
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
