/// What becomes of a sequence that has not ended, because somebody wants it; each may be repeated.
public enum SequenceSteering: UInt8, CaseIterable, Hashable, Sendable {
    /// The command that runs ends, and the next waits.
    case pause
    /// A paused sequence goes on.
    case resume
    /// The command that runs ends, and those behind are left out.
    case stop
    /// The command that runs is taken back if there is still time, and those behind are left out.
    case cancel
}

/// What a user's program asks about the sequences of its account.
public enum SequenceRequest: Sendable, Equatable {
    /// Has one started under an id that was made for it, or asks how that one stands.
    case start(RequestID, SequencePlan)
    /// Asks how one stands.
    case report(RequestID)
    /// Asks for some of them, those made last first: before that one, nil for the first; 1 to
    /// ``Limits/chunkSequences`` of them.
    case list(before: RequestID?, limit: UInt32)
    /// Has one steered.
    case steer(RequestID, SequenceSteering)
}

/// What the controller answers about the sequences of an account.
public enum SequenceReply: Sendable, Equatable {
    /// How one stands.
    case report(SequenceReport)
    /// Some of them, those made last first.
    case list(SequenceList)
}

/// Some of an account's sequences, those made last first.
public struct SequenceList: Hashable, Sendable {
    /// The sequences.
    public let sequences: [SequenceSummary]
    /// Whether none follows the last of these.
    public let isLast: Bool

    /// The list of those values.
    public init(sequences: [SequenceSummary], isLast: Bool) {
        self.sequences = sequences
        self.isLast = isLast
    }
}
