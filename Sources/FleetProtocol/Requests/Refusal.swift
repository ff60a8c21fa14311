public import Stepping

/// Why one message was not accepted: nothing was started, and the same id may come again.
public enum Refusal: Hashable, Sendable {
    /// The device is offline; nil: it was not heard of since the controller started.
    case offline(lastSeen: WallTime?)
    /// A bound is reached; worth trying again after that time.
    case busy(retryAfter: Duration)
    /// The controller's disk is full, and nothing can be committed; worth trying again after that time.
    case storageFull(retryAfter: Duration)
    /// No token, or none that is valid.
    case unauthenticated
    /// No such device or request, or not this account's.
    case notFound
    /// The message breaks a rule; which, in words.
    case invalid(String)
    /// The id was used before, for something else.
    case idMismatch
    /// The id is older than what is remembered, by that much.
    case idTooOld(behind: Duration)
    /// The user may not do this; why, in words.
    case notAllowed(String)
    /// The user may not do this while others are on duty, or nobody.
    case offDuty(OffDuty)

    /// How long to wait before trying again; nil where that would change nothing.
    public var retryAfter: Duration? {
        switch self {
        case .busy(let pause), .storageFull(let pause): pause
        case .offline, .unauthenticated, .notFound, .invalid, .idMismatch, .idTooOld, .notAllowed, .offDuty:
            nil
        }
    }

    /// Its word in documents and JSON.
    public var name: String {
        switch self {
        case .offline: "offline"
        case .busy, .storageFull: "busy"
        case .unauthenticated: "unauthenticated"
        case .notFound: "notFound"
        case .invalid: "invalid"
        case .idMismatch: "idMismatch"
        case .idTooOld: "idTooOld"
        case .notAllowed: "notAllowed"
        case .offDuty: "offDuty"
        }
    }
}
