import FleetClient
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

    /// Whether it is a new toggle that was applied.
    var isAcknowledged: Bool {
        guard kind == .toggle, case .outcome(.applied) = answer else { return false }
        return true
    }

    /// Whether a user would see that it failed: it was refused, or not answered.
    var isFailure: Bool {
        switch answer {
        case .refused, .unsent, .outcome(.undetermined), .outcome(.unknown): true
        // The client itself ended the wait.
        case .nothing(FleetError.cancelled.description): false
        case .nothing(let text): !text.hasPrefix(TorturePage.answeredText)
        case .outcome, .cancel: false
        }
    }

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
