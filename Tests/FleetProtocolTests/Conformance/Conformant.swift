import ConformanceSupport

@testable import FleetProtocol

/// A kind of message that has a file of vectors.
protocol Conformant: WireMessage, Equatable {
    /// The name of the message in `proto/`, such as `ClientRequest`.
    static var kind: String { get }

    /// Samples of every form of the message, each with a unique name.
    static func samples(_ given: Given) -> [(name: String, value: Self)]
}

extension Conformant {
    static var kind: String { "\(Self.self)" }

    /// The bytes of each sample, with its name.
    static func encodedSamples(_ given: Given) -> [(name: String, bytes: [UInt8])] {
        samples(given).map { ($0.name, $0.value.wireBytes) }
    }

    /// Decodes bytes as a message of the kind.
    static func check(_ bytes: [UInt8]) throws(WireError) { _ = try Self(wireBytes: bytes) }
}

extension ClientRequest: Conformant {}
extension ClientReply: Conformant {}
extension NodeMessage: Conformant {}
extension ControllerMessage: Conformant {}
extension Telemetry: Conformant {}
extension StreamUpdate: Conformant {}
extension SupervisorRequest: Conformant {}
extension SupervisorReply: Conformant {}
extension JoinRequest: Conformant {}
extension JoinReply: Conformant {}

extension Batch: Conformant where Element: Conformant {
    static var kind: String { "\(Element.kind)Batch" }

    static func samples(_ given: Given) -> [(name: String, value: Batch)] {
        let samples = Element.samples(given)
        return [2, 3].map { count in
            let parts = samples.prefix(count)
            return (parts.map(\.name).joined(separator: "; "), Batch(messages: parts.map(\.value)))
        }
    }
}
