import ConformanceSupport
import Testing

@testable import FleetProtocol

/// A valid protobuf message in a form that the product does not write.
struct ToleratedMessage {
    let name: String
    /// The name of the message in `proto/`.
    let kind: String
    let bytes: [UInt8]
    /// The bytes that the product writes for the same message.
    let meaning: [UInt8]
    /// Whether the product decodes the bytes as that message.
    let isRead: () throws -> Bool

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
        let schema = try ProtoSchema.shared.get()
        let fields = try Dissection(of: message.wireBytes, as: NodeMessage.kind, in: schema).fields
        let rows = try #require(fields.firstIndex { $0.name == "rows" })
        let columns = fields[(rows + 1)...].filter { $0.name != "number" }
        let inside = columns.flatMap(\.bytes) + [0x60, 0xe1, 0x21]
        try #require(inside.count < 128, "a length of one byte")
        return fields[..<rows].flatMap(\.bytes) + [0x6a, UInt8(inside.count)] + inside
    }

    private static func make<Message: Conformant>(
        _ name: String, _ bytes: [UInt8], _ value: Message
    ) -> ToleratedMessage {
        ToleratedMessage(
            name: name, kind: Message.kind, bytes: bytes, meaning: value.wireBytes,
            isRead: { try Message(wireBytes: bytes) == value })
    }
}
