import FleetProtocol
public import FleetReplica
public import Wording

/// A message of an event stream, as browsers read it (HTML, section 9.2).
public enum ServerSentEvent {
    /// A message that says nothing but that the connection lives.
    ///
    /// A comment would not do: browsers keep those from the page.
    public static let heartbeat = Array("event: beat\ndata: {}\n\n".utf8)

    /// Appends a message.
    ///
    /// - Parameters:
    ///   - name: What kind of event.
    ///   - data: What it says, which JSON puts on one line.
    ///   - position: Where in the stream one who has taken it is; nil where that is told by a later message.
    public static func append(
        _ name: StaticString, _ data: JSONValue, at position: StreamPosition? = nil, to bytes: inout [UInt8]
    ) {
        if let position { bytes += "id: \(text(of: position))\n".utf8 }
        bytes += "event: \(name)\ndata: ".utf8
        data.append(to: &bytes)
        bytes += "\n\n".utf8
    }

    /// A place in the stream, as a message's id.
    public static func text(of position: StreamPosition) -> String {
        "\(position.epoch.value)-\(position.sequence.value)"
    }

    /// The place that an id names; nil where it names none.
    public static func position(of text: some StringProtocol) -> StreamPosition? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= 40, let epoch = UInt64(parts[0]),
            let sequence = UInt64(parts[1])
        else { return nil }
        return StreamPosition(epoch: Epoch(epoch), sequence: StreamSequence(sequence))
    }
}
