import SwiftProtobuf
import Testing

@testable import FleetProtocol

/// A valid protobuf message in a form that the product does not write.
struct ToleratedMessage {
    let name: String
    private let bytes: [UInt8]
    private let lines: () throws -> [String]
    private let hasMeaning: ([UInt8]) throws -> Bool

    static func all() throws -> [ToleratedMessage] {
        let given = try Given()
        let status = ClientRequest(correlation: 14, token: nil, body: .status)
        let page = ClientRequest(correlation: 14, token: nil, body: .snapshot(cursor: 3, end: 5))
        let rows = RowChunk(
            since: .zero, cursor: 0, nextCursor: 1, isLast: true,
            rows: [RowChunk.Row(device: given.row, name: "Attic 1")])
        let message = NodeMessage(bootID: given.bootID, lastNumber: .zero, body: .rows(rows))
        return [
            make("ClientRequest: an unknown field", status.wireBytes + [0xa0, 0x06, 0x01], status),
            make(
                "ClientRequest: fields in another order", [0x82, 0x01, 0x00, 0x10, 0x0e, 0x08, 0x01], status),
            make(
                "ClientRequest: a repeated field, whose last value counts",
                [0x08, 0x02] + status.wireBytes, status),
            make(
                "ClientRequest: a varint with a redundant byte",
                [0x08, 0x81, 0x00, 0x10, 0x0e, 0x82, 0x01, 0x00], status),
            make(
                "ClientRequest: a body in two parts",
                [0x08, 0x01, 0x10, 0x0e, 0x7a, 0x02, 0x08, 0x03, 0x7a, 0x02, 0x10, 0x05], page),
            make("NodeMessage: unpacked columns", try unpacked(message), message),
        ]
    }

    /// Encodes a message of one row, with the column `number` as a separate field after the packed columns.
    private static func unpacked(_ message: NodeMessage) throws -> [UInt8] {
        var wire = try Sensibus_V1_NodeMessage(serializedBytes: message.wireBytes)
        var rows = wire.rows
        rows.number = []
        let inside: [UInt8] = try rows.serializedBytes() + [0x60, 0xe1, 0x21]
        try #require(inside.count < 128, "a length of one byte")
        wire.body = nil
        return try wire.serializedBytes() + [0x6a, UInt8(inside.count)] + inside
    }

    private static func make<Message: Conformant>(
        _ name: String, _ bytes: [UInt8], _ value: Message
    ) -> ToleratedMessage {
        ToleratedMessage(
            name: name, bytes: bytes, lines: { try Message.lines(in: value.wireBytes) },
            hasMeaning: { bytes in try bytes != value.wireBytes && Message(wireBytes: bytes) == value })
    }

    /// The entry in the vector file.
    func entry() throws -> VectorFile.Entry {
        VectorFile.Entry(name: name, lines: try lines(), bytes: bytes)
    }

    /// Whether an entry of the file has these bytes and this text, and is decoded as their meaning.
    func isRead(_ entry: VectorFile.Entry) throws -> Bool {
        let isSame = try entry == self.entry()
        return try isSame && hasMeaning(entry.bytes)
    }
}
