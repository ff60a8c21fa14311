public import FleetProtocol
public import FleetTime

/// What the controller must not forget of requests, in the order in which it happened.
///
/// An entry is an effect that stands before every effect that depends on it.
public enum JournalEntry: Sendable, Equatable {
    /// A request waits in its device's lane.
    case admitted(RequestRecord)
    /// A request's command is about to leave; with the request itself, which may never have waited.
    case dispatched(RequestRecord, DispatchRecord)
    /// Somebody took a request back before it ended: no command of it leaves again.
    case cancelRequested(AccountID, RequestID)
    /// A request has ended; its content is nil where only a cancel of it ever arrived.
    case ended(AccountID, OutcomeReport, content: RequestContent?, at: WallTime)
    /// Results of an account, or of all, with ids up to this time are forgotten; it only ever rises.
    case horizonRaised(WallTime, of: AccountID? = nil)
    /// Segments before this one are not needed: their remembered ends were written to later ones as well.
    case segmentsForgotten(before: Int)
    /// A segment begins: with this, with every open request, and with the horizons, so that of the earlier
    /// segments, which these are, only the ends are needed.
    case segmentBegan(after: [JournalSegment])
}

/// What a request asks: the same id with another content is another request.
public struct RequestContent: Hashable, Sendable {
    /// The device.
    public let device: DeviceID
    /// What shall be done.
    public let kind: Command.Kind
    /// The state that the client saw.
    public let expected: Expectation?

    /// The content of those parts.
    public init(device: DeviceID, kind: Command.Kind, expected: Expectation? = nil) {
        self.device = device
        self.kind = kind
        self.expected = expected
    }

    init(_ command: Command) {
        self.init(device: command.device, kind: command.kind, expected: command.expected)
    }
}

/// An admitted request, with all that is needed to go on with it after a restart.
public struct RequestRecord: Hashable, Sendable {
    /// Whose it is.
    public let account: AccountID
    /// Its identity.
    public let requestID: RequestID
    /// What it asks.
    public let content: RequestContent
    /// Who asked.
    public let actor: Email
    /// When it arrived.
    public let arrivedAt: WallTime
    /// Until when its client waits.
    public let deadline: WallTime
}

/// A request made absolute for its device, with all that is needed to send the very same again.
public struct DispatchRecord: Hashable, Sendable {
    /// Which command it is.
    public let identity: CommandIdentity
    /// What shall be set.
    public let change: ACStateChange
    /// The version that it holds for; nil: whatever the device is at.
    public let base: Version?
    /// The version that was reported when it was resolved.
    public let versionBefore: Version
    /// How often the request was resolved, this time included.
    public let resolution: UInt32
}
