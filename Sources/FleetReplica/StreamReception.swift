import FleetProtocol

/// The reception of the stream: the controller's epoch, gaps in its sequence numbers, and silence.
struct StreamReception: Sendable {
    private(set) var epoch = Epoch.zero
    private(set) var continuity = StreamContinuity()
    /// The time of the last update, or of the connection; nil without a connection.
    private(set) var receivedAt: MonotonicTime?
    private(set) var isSilent = false
    /// Whether an update of this epoch was received since the connection was last lost.
    ///
    /// A connection for pulls does not imply a subscription, and updates published before the subscription
    /// are lost.
    private(set) var isSubscribed = false

    var position: StreamPosition { StreamPosition(epoch: epoch, sequence: continuity.newest) }

    /// The time at which the stream counts as silent; nil if it does already, or without a connection.
    var silenceDue: MonotonicTime? { isSilent ? nil : receivedAt?.advanced(by: Limits.staleAfter) }

    /// Begins to wait for the first update of a new connection.
    mutating func connect(at now: MonotonicTime) {
        receivedAt = now
        isSilent = false
    }

    /// Ends the subscription with the connection.
    mutating func disconnect() {
        receivedAt = nil
        isSubscribed = false
    }

    /// Enters another epoch, in which sequence numbers restart; returns whether it is the first.
    mutating func enter(_ new: Epoch) -> Bool {
        defer { epoch = new }
        continuity = StreamContinuity()
        isSubscribed = false
        return epoch == .zero
    }

    /// Receives an update of the current epoch.
    mutating func receive(_ update: StreamUpdate, at now: MonotonicTime) -> StreamContinuity.Relation {
        (receivedAt, isSilent, isSubscribed) = (now, false, true)
        return update.body == .beat
            ? continuity.receiveBeat(update.sequence) : continuity.receive(update.sequence)
    }

    /// Begins a snapshot; returns false if updates between its first chunk and the stream are missing.
    mutating func begin(at sequence: StreamSequence) -> Bool { continuity.begin(at: sequence) }

    /// Detects silence; returns whether the stream has become silent.
    mutating func detectSilence(at now: MonotonicTime) -> Bool {
        guard let silenceDue, silenceDue <= now else { return false }
        isSilent = true
        return true
    }

    /// Continues another replica's reception within the same epoch.
    mutating func restore(_ continuity: StreamContinuity, receivedAt: MonotonicTime) {
        (self.continuity, self.receivedAt) = (continuity, receivedAt)
    }
}
