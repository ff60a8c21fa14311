import FleetProtocol
import Wording

/// What became of a cancel, ready to be told.
struct CancelLine: Equatable, Sendable {
    /// The request that was to be cancelled.
    let requestID: RequestID
    /// What became of it.
    let answer: CancelAnswer

    /// The line for scripts: `outcome` is the word of how the request ended, null while it has not.
    var json: JSONValue {
        let outcome: Outcome? =
            switch answer {
            case .cancelled: .cancelled
            case .tooLate(let report): report.outcome
            case .pending: nil
            }
        return [
            "requestID": .string(requestID.description),
            "result": .string(answer.name),
            "outcome": .text(outcome?.name),
        ]
    }

    /// The line for people.
    var text: String {
        switch answer {
        case .cancelled: "\(requestID): \(answer.explanation)"
        case .tooLate(let report): "\(requestID): \(answer.explanation): \(report.explanation(.power))"
        case .pending: "\(requestID): \(answer.explanation); see `fleet outcome \(requestID)`"
        }
    }
}
