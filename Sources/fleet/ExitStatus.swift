import FleetProtocol

/// The exit status of a command: a contract with scripts. The numbers are those of `sysexits.h` where one
/// fits.
enum ExitStatus: Int32, CaseIterable, Comparable, Sendable {
    /// Success: applied, unchanged, or the request was carried out.
    case done = 0
    case refused = 1
    case usage = 64
    /// The device is offline, or no controller is running.
    case absent = 69
    /// An internal error, to be reported.
    case bug = 70
    case unwritten = 74
    /// The result is not known yet: check it, then try again.
    case undecided = 75
    /// Not logged in, not allowed, or no such device.
    case notPermitted = 77
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
        self =
            switch answer {
            case .cancelled, .tooLate: .refused
            case .pending: .undecided
            }
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

    /// The severity; the command's status is the most severe one of its devices. In order: 0, 1, 69, 75, 77,
    /// 64, 70, 74, 141. An unknown result is worse than a request that was certainly not applied, and an
    /// error that a retry cannot fix is worse still.
    private var badness: Int {
        switch self {
        case .done: 0
        case .refused: 1
        case .absent: 2
        case .undecided: 3
        case .notPermitted: 4
        case .usage: 5
        case .bug: 6
        case .unwritten: 7
        case .unread: 8
        }
    }

    static func < (left: ExitStatus, right: ExitStatus) -> Bool { left.badness < right.badness }
}
