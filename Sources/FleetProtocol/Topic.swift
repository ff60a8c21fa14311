/// Topics on the two publishing sockets: at most ``Limits/topicBytes`` bytes by construction.
public enum Topic {
    /// What nodes publish.
    public static let telemetry = Array("t/".utf8)

    /// What the topics of all streams begin with.
    public static let streams = Array("u/".utf8)

    /// What the topics of all streams of an account begin with.
    public static func stream(of account: AccountID) -> [UInt8] {
        Array("u/\(account.name)/".utf8)
    }
}

/// The topic of one stream: the account's topic and the stream's number, unique in a controller's life.
public struct StreamTopic: Hashable, Sendable {
    /// Above 0; a later stream has a higher one.
    public let number: UInt64
    /// The topic; never a prefix of another stream's topic.
    public let bytes: [UInt8]

    /// The topic of an account's stream.
    public init(account: AccountID, number: UInt64) {
        self.number = number
        bytes = Topic.stream(of: account) + Array("\(number)/".utf8)
    }
}
