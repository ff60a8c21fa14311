import FleetClient
import FleetProtocol

extension OutcomeLine.Ending {
    /// How a request ended for which the client got no answer.
    ///
    /// The words for scripts are the error's own; whether anything was done is unknown where it left.
    init(_ error: FleetError) {
        switch error {
        case .refused(let refusal): self = .refusal(refusal)
        case .cancelled: self = .takenBack(.cancelled)
        case .noAnswer: self = .failure("noAnswer", CommandFailure(error))
        case .noController: self = .failure("noController", CommandFailure(error))
        case .badReply, .unexpectedReply: self = .failure("badReply", CommandFailure(error))
        case .tooManyRequests: self = .failure("tooManyRequests", CommandFailure(error))
        case .closed, .transport: self = .failure("failed", CommandFailure(error))
        }
    }
}
