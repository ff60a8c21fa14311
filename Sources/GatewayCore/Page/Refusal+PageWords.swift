public import FleetProtocol
import Wording

extension OffDuty {
    /// Why a member may not switch devices now, as a sentence of the page.
    public var pageWords: String {
        let why =
            switch self {
            case .noRoster: "The account has no roster yet."
            case .nobody: "No one is on duty now."
            case .others: "You’re not on duty."
            }
        return "\(why) Only people on duty and owners can switch devices."
    }
}

extension Refusal {
    /// Why the controller refused a request, as a sentence of the page, without commands of a terminal.
    public var pageWords: String {
        switch self {
        case .offline: "The device is offline. Nothing changed."
        case .busy: "Too many requests at once. Wait a moment."
        case .storageFull: "The disk is full. Nothing changed."
        case .unauthenticated: "Your session has ended. Log in again."
        case .notFound: "It doesn’t exist any more. Reload the page."
        case .invalid(let what): Self.sentence(what)
        case .idMismatch: "This request ID belongs to another request. Nothing changed."
        case .idTooOld: "This request is too old to be repeated. Check the device, then try again."
        case .notAllowed(let why): Self.sentence(why)
        case .offDuty(let reason): reason.pageWords
        }
    }

    /// The controller's words with a capital and a full stop; they may contain text of a client.
    private static func sentence(_ words: String) -> String {
        let safe = SafeText.of(words)
        guard let last = safe.last else { return "The request was not accepted." }
        let first = safe.prefix(1).uppercased() + safe.dropFirst()
        return ".!?".contains(last) ? first : "\(first)."
    }
}
