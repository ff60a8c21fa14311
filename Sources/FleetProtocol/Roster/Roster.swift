/// The number of changes to a roster; 0 if it was never changed.
public struct RosterVersion: Ordinal {
    /// The count.
    public let value: UInt64
    /// A version with a count.
    public init(_ value: UInt64) { self.value = value }
}

/// The name and the message of the day that are shown above a plan of shifts.
public struct RosterHeading: Hashable, Sendable {
    /// The name of the team, as untrusted text: one line of at most ``Limits/nameBytes`` bytes, and empty if
    /// it is not set.
    public let name: String
    /// The message of the day, as untrusted plain text of at most ``Limits/rosterMessageBytes`` bytes; may be
    /// empty.
    public let message: String

    /// A heading with the given values.
    ///
    /// - Throws: ``LogbookTextError``.
    public init(name: String, message: String) throws(LogbookTextError) {
        self.name = name.isEmpty ? "" : try LogbookText.line(name, of: "name", bytes: Limits.nameBytes)
        self.message = try LogbookText.lines(message, of: "message", bytes: Limits.rosterMessageBytes)
    }

    private init() {
        name = ""
        message = ""
    }

    /// The size of the texts in bytes.
    public var bytes: Int { name.utf8.count + message.utf8.count }

    /// The heading of a roster that was never changed.
    public static let empty = RosterHeading()
}

extension Roster {
    /// A roster without a heading, in UTC.
    public init(version: RosterVersion, shifts: UInt32, isEnforced: Bool) {
        self.init(version: version, heading: .empty, timeZone: .utc, shifts: shifts, isEnforced: isEnforced)
    }
}

extension RosterPull {
    /// A pull of the whole plan.
    public init(cursor: UInt32 = 0) { self.init(from: WallTime(unixMilliseconds: 0), cursor: cursor) }
}

extension RosterRequest: ServiceRequest {
    /// The reply to a ``RosterRequest``.
    public typealias Reply = RosterReply

    /// The service `roster`.
    public static let service = ServiceName(constant: "roster")

    /// A change names the version that it is based on, and an import has an ID: they may be sent again.
    public var traits: RequestTraits {
        switch self {
        case .read: .read
        case .change, .stage, .replace: RequestTraits(retry: .onSilence, keyScope: nil)
        }
    }
}
