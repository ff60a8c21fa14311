import FleetProtocol
import Stepping

extension SequenceEnd {
    /// How a command ended whose request ended so.
    ///
    /// - Precondition: The outcome is final.
    init(of outcome: Outcome, at now: WallTime) {
        switch outcome {
        case .applied: self.init(.applied, at: now)
        case .unchanged: self.init(.unchanged, at: now)
        case .conflict: self.init(.conflict, "the device was changed meanwhile", at: now)
        case .rejected(let why): self.init(.rejected, why, at: now)
        case .cancelled: self.init(.cancelled, at: now)
        case .expired: self.init(.expired, "its time was over before the device had done it", at: now)
        case .undetermined(let reason): self.init(.undetermined, reason.why, at: now)
        case .unknown: preconditionFailure("unknown is no end")
        }
    }

    /// Its request's id was somebody else's; nothing was done.
    static func taken(at now: WallTime) -> SequenceEnd {
        SequenceEnd(.refused, "idMismatch: its request id was used for something else", at: now)
    }
}

extension Refusal {
    /// After what time it may be another; nil where it stays.
    var pause: Duration? {
        switch self {
        case .busy(let pause), .storageFull(let pause): pause
        case .offline: Limits.beatInterval
        case .unauthenticated, .notFound, .invalid, .idMismatch, .idTooOld, .notAllowed, .offDuty: nil
        }
    }

    /// Its word, and what it means for a command of a sequence.
    var why: String {
        switch self {
        case .offline: "\(name): the device could not be reached"
        case .busy: "\(name): the device had other commands to carry out"
        case .storageFull: "\(name): the controller's disk was full"
        case .notFound: "\(name): the account has no such device any more"
        case .invalid(let what), .notAllowed(let what): "\(name): \(what)"
        case .unauthenticated, .idMismatch, .idTooOld, .offDuty: name
        }
    }
}
