extension StreamTicket: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (ticket, topic) = ([UInt8](), "")
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&ticket)
            case 2: try fields.read(&topic)
            default: break
            }
        }
        guard let ticket = Token(ticket) else {
            throw .malformed("stream_ticket.ticket", "\(Token.length) bytes")
        }
        guard (1...Limits.topicBytes).contains(topic.utf8.count) else {
            throw .malformed("stream_ticket.topic", "1 to \(Limits.topicBytes) bytes")
        }
        self.init(ticket: ticket, topic: Array(topic.utf8))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, ticket.bytes)
        fields.put(2, String(decoding: topic, as: UTF8.self))
    }
}
