public import FleetProtocol
public import Stepping

extension OffDuty {
    /// Why whoever asks may not switch devices, in words.
    public var words: String {
        switch self {
        case .noRoster:
            "only people on duty, and owners, switch devices here, and the account has no roster yet"
        case .nobody: "only people on duty, and owners, switch devices here, and nobody is on duty now"
        case .others: "only people on duty, and owners, switch devices here, and you are not on duty now"
        }
    }
}

extension Refusal {
    /// Why the message was not accepted, in words, with what to do next; times are in UTC.
    public var explanation: String { explanation(TimeText.iso8601) }

    /// Why the message was not accepted, in words, with what to do next.
    ///
    /// - Parameter moment: Formats a time.
    public func explanation(_ moment: (WallTime) -> String) -> String {
        switch self {
        case .offline(let lastSeen):
            (lastSeen.map { "offline since it was last seen at \(moment($0))" }
                ?? "offline, and not seen since the controller started")
                + "; nothing was done: `fleet status` shows whether its node runs"
        case .busy(let retryAfter):
            "busy; nothing was done: try again in \(retryAfter.wholeMilliseconds) ms"
        case .storageFull:
            "busy: the controller's disk is full; nothing was done: free space there, `fleet doctor` names it"
        case .unauthenticated: "no valid session; log in with `fleet login EMAIL`"
        case .notFound: "no such device or request in this account; `fleet devices` lists the devices"
        case .invalid(let what): "not accepted: \(SafeText.of(what)); correct it and ask again"
        case .idMismatch:
            "this request id was used for something else; nothing was done: leave --request-id out to get "
                + "a new one"
        case .idTooOld(let behind):
            "this request id is \(behind.wholeMilliseconds) ms older than what the controller remembers; "
                + "look at the device before you ask anew"
        case .notAllowed(let why): "not allowed: \(SafeText.of(why)); log in as somebody who may"
        case .offDuty(let reason):
            "not allowed: \(reason.words) (offDuty); `fleet roster` shows who is on duty when"
        }
    }
}
