/// How a request ended, as its client, every repeat and every observer hear it.
public struct OutcomeReport: Hashable, Sendable {
    /// Where the time went, in microseconds.
    public struct Timing: Hashable, Sendable {
        /// From the request's arrival at the controller to its end.
        public var totalUs: UInt64
        /// In the lane, until the first command left.
        public var queueUs: UInt64
        /// From the last command's leaving to its answer, less the device's part.
        public var wireUs: UInt64
        /// In the device.
        public var deviceUs: UInt64
        /// In the journal.
        public var journalUs: UInt64

        /// The timing of those parts.
        public init(
            totalUs: UInt64 = 0, queueUs: UInt64 = 0, wireUs: UInt64 = 0, deviceUs: UInt64 = 0,
            journalUs: UInt64 = 0
        ) {
            self.totalUs = totalUs
            self.queueUs = queueUs
            self.wireUs = wireUs
            self.deviceUs = deviceUs
            self.journalUs = journalUs
        }
    }

    /// The request.
    public let requestID: RequestID
    /// Its device; nil for an id that was cancelled before its request arrived.
    public let device: DeviceID?
    /// How it ended.
    public let outcome: Outcome
    /// Who asked.
    public let actor: Email
    /// The device's version before, where the request reached the device: by its own word where it answered,
    /// otherwise the last one known before the command left.
    public let versionBefore: Version
    /// How often a command left for the device.
    public let attempts: UInt32
    /// Which kind of command it was; nil where nobody knows: of an id that was cancelled before its request
    /// arrived, and from a controller that does not say.
    public var command: CommandKind?
    /// Where the time went.
    public let timing: Timing

    /// The report of those parts.
    public init(
        requestID: RequestID, device: DeviceID?, outcome: Outcome, actor: Email,
        versionBefore: Version = .zero, attempts: UInt32 = 0, command: CommandKind? = nil,
        timing: Timing = Timing()
    ) {
        self.requestID = requestID
        self.device = device
        self.outcome = outcome
        self.actor = actor
        self.versionBefore = versionBefore
        self.attempts = attempts
        self.command = command
        self.timing = timing
    }
}
