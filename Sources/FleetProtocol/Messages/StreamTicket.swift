/// A ticket to an account's stream, and the prefix of the topics of its updates.
///
/// A peer of `stream` subscribes to both: the ticket opens the stream, and the prefix selects its updates.
///
/// Its description never shows the ticket.
public struct StreamTicket: Sendable, Equatable, CustomStringConvertible {
    /// 32 random bytes, a secret as a session's token is.
    public let ticket: Token
    /// The account's topic: 1 to ``Limits/topicBytes`` bytes.
    public let topic: [UInt8]

    /// The ticket of those parts.
    public init(ticket: Token, topic: [UInt8]) {
        self.ticket = ticket
        self.topic = topic
    }

    /// The topic; never the ticket.
    public var description: String { "ticket to \(String(decoding: topic, as: UTF8.self))" }
}
