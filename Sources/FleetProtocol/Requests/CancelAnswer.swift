/// What a client that cancels hears.
public enum CancelAnswer: Hashable, Sendable {
    /// Never applied, and never will be.
    case cancelled
    /// It had already ended.
    case tooLate(OutcomeReport)
    /// Not final: the device has been asked and has not said.
    case pending

    /// Its word in documents and JSON.
    public var name: String {
        switch self {
        case .cancelled: "cancelled"
        case .tooLate: "tooLate"
        case .pending: "cancelPending"
        }
    }
}
