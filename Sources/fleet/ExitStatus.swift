import FleetProtocol

/// What a command tells the shell that started it: the contract of every script.
///
/// The numbers are those of `sysexits.h` where one fits.
enum ExitStatus: Int32, CaseIterable, Comparable, Sendable {
    /// Applied, unchanged, or what was asked.
    case done = 0
    /// The device or the controller said no.
    case refused = 1
    /// The command cannot be meant so.
    case usage = 64
    /// The device is offline, or no controller is there.
    case absent = 69
    /// An internal error, to be reported.
    case bug = 70
    /// Nobody knows yet: look, then try again.
    case undecided = 75
    /// Not logged in, not allowed, or no such device.
    case notPermitted = 77

    /// The status of one device's request, by how it ended.
    init(_ outcome: Outcome) {
        self =
            switch outcome {
            case .applied, .unchanged: .done
            case .conflict, .rejected, .cancelled, .expired: .refused
            case .undetermined, .unknown: .undecided
            }
    }

    /// The status of a message that was not accepted.
    init(_ refusal: Refusal) {
        self =
            switch refusal {
            case .offline: .absent
            case .busy, .storageFull: .undecided
            case .unauthenticated, .notFound, .notAllowed, .offDuty: .notPermitted
            case .invalid, .idMismatch, .idTooOld: .usage
            }
    }

    /// The status of a request that its own client took back, by what became of it.
    init(takenBack answer: CancelAnswer) {
        self =
            switch answer {
            case .cancelled, .tooLate: .refused
            case .pending: .undecided
            }
    }

    /// The status of `fleet cancel`, for which a cancelled request is what was asked.
    init(askedToCancel answer: CancelAnswer) {
        self =
            switch answer {
            case .cancelled: .done
            case .tooLate: .refused
            case .pending: .undecided
            }
    }

    /// How bad it is: of several devices' statuses the command's is the worst.
    ///
    /// In order: 0, 1, 69, 75, 77, 64, 70. What nobody knows yet is worse than what surely did not happen,
    /// and what trying again cannot mend is worse still.
    private var badness: Int {
        switch self {
        case .done: 0
        case .refused: 1
        case .absent: 2
        case .undecided: 3
        case .notPermitted: 4
        case .usage: 5
        case .bug: 6
        }
    }

    /// Whether the first is less bad.
    static func < (left: ExitStatus, right: ExitStatus) -> Bool { left.badness < right.badness }
}
