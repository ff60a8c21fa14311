import FleetProtocol

/// A request of a client, and its answer.
struct Asked: Sendable {
    /// The kind of request.
    enum Kind: Sendable {
        /// A toggle, for the first time.
        case toggle
        /// A repeat of a toggle.
        case repetition
        /// A cancel of a toggle.
        case cancel
        /// A query of a toggle's outcome, after all faults have ended.
        case question
    }

    /// The kind of answer.
    enum Reply: Hashable, Sendable {
        case outcome(Outcome)
        case cancel(CancelReply)
        case refused(Refusal)
        /// The message was not sent.
        case unsent
        /// No answer, or none that could be used.
        case nothing(String)
    }

    let kind: Kind
    let requestID: RequestID
    let device: DeviceID
    /// The version that the client expected.
    var expected: Expectation?
    let askedAt: ContinuousClock.Instant
    let answeredAt: ContinuousClock.Instant
    let answer: Reply

    /// The final outcome in the answer; nil if there is none.
    var end: Outcome? {
        switch answer {
        case .outcome(let outcome): outcome.isFinal ? outcome : nil
        case .cancel(.cancelled): .cancelled
        case .cancel(.tooLate(let report)): report.outcome.isFinal ? report.outcome : nil
        case .cancel(.pending), .refused, .unsent, .nothing: nil
        }
    }
}
