import FleetProtocol

/// Something that a client asked, and what it heard.
struct Asked: Sendable {
    /// What was asked.
    enum Kind: Sendable {
        /// A toggle, for the first time.
        case toggle
        /// The very same toggle once more.
        case repetition
        /// That a toggle be taken back.
        case cancel
        /// What became of a toggle, after everything had healed.
        case question
    }

    /// What was heard.
    enum Answer: Hashable, Sendable {
        case outcome(Outcome)
        case cancel(CancelAnswer)
        case refused(Refusal)
        /// The message never left.
        case unsent
        /// No answer, or none that could be used.
        case nothing(String)
    }

    let kind: Kind
    let requestID: RequestID
    let device: DeviceID
    /// The version that the client named.
    var expected: Expectation?
    let askedAt: ContinuousClock.Instant
    let answeredAt: ContinuousClock.Instant
    let answer: Answer

    /// The final outcome that the answer tells of; nil when it tells of none.
    var end: Outcome? {
        switch answer {
        case .outcome(let outcome): outcome.isFinal ? outcome : nil
        case .cancel(.cancelled): .cancelled
        case .cancel(.tooLate(let report)): report.outcome.isFinal ? report.outcome : nil
        case .cancel(.pending), .refused, .unsent, .nothing: nil
        }
    }
}
