public import FleetProtocol

/// What became of a ``ViewEffect``.
public enum ViewResult: Hashable, Sendable {
    /// A command ended, or its time did.
    case ended(OutcomeReport)
    /// A command was not accepted, or cannot be asked for; why, in words.
    case refused(Command, why: String)
    /// The controller answered a cancel.
    case cancelAnswered(RequestID, of: DeviceID, CancelAnswer)
    /// A cancel has no answer; why, in words.
    case cancelFailed(RequestID, of: DeviceID, why: String)
    /// The file is written.
    case exported(TableExport)
    /// There is a file of that name already; nothing was written.
    case fileExists(TableExport)
    /// The file cannot be written; why, in words.
    case exportFailed(TableExport, why: String)
}
