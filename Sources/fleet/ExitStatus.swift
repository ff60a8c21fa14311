import FleetProtocol

/// The exit status of a command: a contract with scripts. The numbers are those of `sysexits.h` where one
/// fits.
///
/// The cases are in the order of their severity; the status of a command is the most severe one of its
/// devices. An unknown result is worse than a request that was certainly not applied, and an error that a
/// retry cannot fix is worse still.
enum ExitStatus: Int32, CaseIterable, Comparable, Sendable {
    /// Success: applied, unchanged, or the request was carried out.
    case done = 0
    case refused = 1
    /// The device is offline, or no controller is running.
    case absent = 69
    /// The result is not known yet: check it, then try again.
    case undecided = 75
    /// Not logged in, not allowed, or no such device.
    case notPermitted = 77
    case usage = 64
    /// An internal error, to be reported.
    case bug = 70
    case unwritten = 74
    /// The reader of standard output has gone: the status of a shell for SIGPIPE.
    case unread = 141

    init(_ outcome: Outcome) {
        self =
            switch outcome {
            case .applied, .unchanged: .done
            case .conflict, .rejected, .cancelled, .expired: .refused
            case .undetermined, .unknown: .undecided
            }
    }

    init(_ refusal: Refusal) {
        self =
            switch refusal {
            case .offline: .absent
            case .busy, .storageFull: .undecided
            case .unauthenticated, .notFound, .notAllowed, .offDuty, .moved: .notPermitted
            case .invalid, .idMismatch, .idTooOld: .usage
            }
    }

    /// The status of a request that its own client cancelled, by the answer to the cancel.
    init(ownCancel answer: CancelReply) {
        self = answer == .pending ? .undecided : .refused
    }

    /// The status of `fleet cancel`, for which a cancelled request is a success.
    init(askedToCancel answer: CancelReply) {
        self =
            switch answer {
            case .cancelled: .done
            case .tooLate: .refused
            case .pending: .undecided
            }
    }

    static func < (left: ExitStatus, right: ExitStatus) -> Bool {
        left != right && allCases.first { $0 == left || $0 == right } == left
    }
}
