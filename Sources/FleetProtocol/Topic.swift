/// Topics on the two publishing sockets: at most ``Limits/topicBytes`` bytes by construction.
public enum Topic {
    /// The topic on which nodes publish.
    public static let telemetry = Array("t/".utf8)

    /// The prefix of the topics of all streams.
    public static let streams = Array("u/".utf8)

    /// Returns the prefix of the topics of all streams of an account.
    public static func stream(of account: AccountID) -> [UInt8] { Array("u/\(account.name)/".utf8) }
}

/// The topic of one stream: the account's topic and the stream's number, unique in one run of a controller.
public struct StreamTopic: Hashable, Sendable {
    /// The number, above 0; a later stream has a higher one.
    public let number: UInt64
    /// The topic; never a prefix of another stream's topic.
    public let bytes: [UInt8]

    /// The topic of an account's stream.
    public init(account: AccountID, number: UInt64) {
        self.number = number
        bytes = Topic.stream(of: account) + Array("\(number)/".utf8)
    }
}
