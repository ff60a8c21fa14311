public import FleetProtocol
public import FleetTime

extension OffDuty {
    /// The reason why an off-duty user must not switch devices, in words.
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
    /// The reason for the refusal and the next step at a shell, in words; times are in UTC.
    public var explanation: String { explanation(TimeText.iso8601) }

    /// Returns the reason for the refusal and the next step at a shell, in words.
    ///
    /// - Parameter moment: Formats a time.
    public func explanation(_ moment: (WallTime) -> String) -> String { cause(moment) + advice }

    /// The reason for the refusal in words, without command lines; times are in UTC.
    public var cause: String { cause(TimeText.iso8601) }

    private func cause(_ moment: (WallTime) -> String) -> String {
        switch self {
        case .offline(let lastSeen):
            (lastSeen.map { "offline since it was last seen at \(moment($0))" }
                ?? "offline, and not seen since the controller started") + "; nothing was done"
        case .busy(let retryAfter): "busy; nothing was done: try again in \(retryAfter.wholeMilliseconds) ms"
        case .storageFull: "busy: the controller's disk is full; nothing was done"
        case .unauthenticated: "no valid session"
        case .notFound: "no such device or request in this account"
        case .invalid(let what): "not accepted: \(SafeText.of(what)); correct it and ask again"
        case .idMismatch: "this request id was used for something else; nothing was done"
        case .idTooOld(let behind):
            "this request id is \(behind.wholeMilliseconds) ms older than what the controller remembers; "
                + "look at the device before you ask anew"
        case .notAllowed(let why): "not allowed: \(SafeText.of(why)); log in as somebody who may"
        case .offDuty(let reason): "not allowed: \(reason.words) (offDuty)"
        }
    }

    /// The next step at a shell, with the punctuation before it; empty if the cause names it.
    private var advice: String {
        switch self {
        case .offline: ": `fleet status` shows whether its node runs"
        case .storageFull: ": free space there, `fleet doctor` names it"
        case .unauthenticated: "; log in with `fleet login EMAIL`"
        case .notFound: "; `fleet devices` lists the devices"
        case .idMismatch: ": leave --request-id out to get a new one"
        case .offDuty: "; `fleet roster` shows who is on duty when"
        case .busy, .invalid, .idTooOld, .notAllowed: ""
        }
    }
}

/// Advice for the shell when a fleet cannot be found or asked.
public enum ShellAdvice {
    /// There is no run directory.
    public static let noFleet = "start one with `fleet up`, or name its run directory with --run-dir"
    /// There is no session, or its file is damaged.
    public static let noSession = "log in with `fleet login EMAIL`"
    /// No answer came in time.
    public static let noAnswer = "see `fleet status`, then try again"
    /// The client had no connection.
    public static let noController = "start a fleet with `fleet up`, or see `fleet status`"
}
