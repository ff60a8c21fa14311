import FleetTime
import Foundation
import Testing

@testable import FleetProtocol

/// `proto/vectors` and the exchange in `docs/reference/protocol.md`, held against the code, both ways.
///
/// `SENSIBUS_WRITE_VECTORS=1 swift test --filter ConformanceTests` rewrites them.
@Suite("Conformance")
struct ConformanceTests {
    private static let made = "Made by ConformanceTests: change that, never this."

    static let kinds: [any Conformant.Type] = [
        ClientRequest.self, ClientReply.self, NodeMessage.self, ControllerMessage.self, Telemetry.self,
        StreamUpdate.self, SupervisorRequest.self, SupervisorReply.self, LogbookRequest.self,
        LogbookReply.self,
        SiteRequest.self, SiteReply.self, RosterRequest.self, RosterReply.self, SequenceRequest.self,
        SequenceReply.self, LabelRequest.self, LabelReply.self, LabelUpdate.self, DeviceLabels.self,
    ]

    @Test(
        "vectors are decoded as their values, and values are encoded as their vectors",
        arguments: kinds.indices)
    func vectors(index: Int) throws {
        try check(Self.kinds[index])
    }

    private func check<Message: Conformant>(_ type: Message.Type) throws {
        let samples = type.samples(try Given())
        let schema = try ProtoSchema()
        let file = try VectorFile.read(
            type.kind,
            writing: VectorFile(
                heading: [
                    "\(type.kind): a name, the fields in protobuf's text format, the bytes.", Self.made,
                ],
                entries: try samples.map { try type.vector($0.name, $0.value) }))
        #expect(Set(file.entries.map(\.name)).count == file.entries.count)
        try #require(file.entries.map(\.name) == samples.map(\.name))
        for (entry, sample) in zip(file.entries, samples) {
            #expect(try type.init(wireBytes: entry.bytes) == sample.value, "\(type.kind): \(entry.name)")
            #expect(sample.value.wireBytes == entry.bytes, "\(type.kind): \(entry.name)")
            #expect(try type.bytes(ofWords: entry.words) == entry.bytes, "\(type.kind): \(entry.name)")
            let fields = try Dissection(of: entry.bytes, as: type.kind, in: schema).fields
            #expect(fields.map(\.name) == entry.fieldNames, "proto/ itself, \(type.kind): \(entry.name)")
        }
    }

    @Test("the times in samples are plausible: a number in another unit would not be")
    func times() throws {
        let given = try Given()
        let known = given.at.unixMilliseconds - 3_600_000...given.at.unixMilliseconds + 3_600_000
        var read = 0
        for kind in Self.kinds {
            for (name, words) in try kind.sampleWords(given) {
                for word in words where word.contains("_ms: ") {
                    // Smaller numbers are durations.
                    guard let number = word.split(separator: " ").last.flatMap({ Int64($0) }),
                        number > 1_000_000_000_000
                    else { continue }
                    #expect(known.contains(number), "\(kind.kind), \(name): \(word)")
                    read += 1
                }
            }
        }
        #expect(read > 100)
    }

    @Test("a malformed message is refused for the reason in its vector")
    func malformed() throws {
        let messages = try MalformedMessage.all()
        let file = try VectorFile.read(
            "malformed",
            writing: VectorFile(
                heading: [
                    "Bytes that are no message of their kind, and what is said of them.",
                    "After the bytes come as many zero bytes as `zeros` says.", Self.made,
                ], entries: messages.map(\.entry)))
        #expect(file.entries == messages.map(\.entry))
        for (entry, message) in zip(file.entries, messages) {
            let bytes = entry.bytes + [UInt8](repeating: 0, count: message.zeros)
            #expect(throws: message.error, "\(message.name)") { try message.read(bytes) }
        }
    }

    @Test("unknown fields, another order and unpacked columns decode to the same message")
    func tolerated() throws {
        let messages = try ToleratedMessage.all()
        let file = try VectorFile.read(
            "tolerated",
            writing: VectorFile(
                heading: [
                    "Bytes that nobody of us writes, and everybody must read as what the words say.",
                    Self.made,
                ],
                entries: try messages.map { try $0.entry() }))
        try #require(file.entries.map(\.name) == messages.map(\.name))
        for (entry, message) in zip(file.entries, messages) {
            #expect(try message.isRead(entry), "\(message.name)")
        }
    }

    @Test("the exchange in the document equals the code's bytes")
    func exchange() throws {
        let exchange = try Exchange(try Given())
        #expect(exchange.steps.filter { !$0.isReadBack }.map(\.title) == [])
        let entries = exchange.steps.enumerated().map { $1.entry(number: $0 + 1) }
        let heading = ["One toggle, frame by frame; docs/reference/protocol.md takes it apart.", Self.made]
        let file = try VectorFile.read("exchange", writing: VectorFile(heading: heading, entries: entries))
        #expect(file.entries == entries)
        let schema = try ProtoSchema()
        let lines = try exchange.steps.enumerated().flatMap { try $1.lines(number: $0 + 1, schema) }
        let document = try Document.read(writing: lines)
        #expect(document.exchange == lines)
    }
}
