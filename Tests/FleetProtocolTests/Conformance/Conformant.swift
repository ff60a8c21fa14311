import ConformanceSupport

@testable import FleetProtocol

/// A kind of message that has a file of vectors.
typealias Conformant = Equatable & WireMessage

extension WireMessage where Self: Equatable {
    /// The name of the message in `proto/`, such as `ClientRequest` or `ClientRequestBatch`.
    static var kind: String { "\(Self.self)".replacing(/Batch<(\w+)>/) { "\($0.1)Batch" } }

    static func vectors() throws -> [VectorFile.Entry] { try VectorFile.read(kind).entries }

    /// Decodes bytes as a message of the kind.
    static func check(_ bytes: [UInt8]) throws(WireError) { _ = try Self(wireBytes: bytes) }
}

/// A kind of message whose vectors are made from values of the code, because a file of `proto/mapping` names
/// the properties of its values.
protocol Sampled: Conformant {
    /// Samples of every form of the message, each with a unique name.
    static func samples(_ given: Given) -> [(name: String, value: Self)]
}

extension Sampled {
    static func encodedSamples(_ given: Given) -> [[UInt8]] { samples(given).map(\.value.wireBytes) }
}

extension ClientRequest: Sampled {}
extension ClientReply: Sampled {}
extension NodeMessage: Sampled {}
extension ControllerMessage: Sampled {}
extension Telemetry: Sampled {}
extension StreamUpdate: Sampled {}

extension Batch: Sampled where Element: Sampled {
    static func samples(_ given: Given) -> [(name: String, value: Batch)] {
        let samples = Element.samples(given)
        return [2, 3].map { count in
            let parts = samples.prefix(count)
            return (parts.map(\.name).joined(separator: "; "), Batch(messages: parts.map(\.value)))
        }
    }
}
