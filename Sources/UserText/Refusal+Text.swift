public import FleetProtocol

extension OffDuty {
    /// The reason why an off-duty user must not switch devices, in words.
    public var text: String {
        switch self {
        case .noRoster:
            "only owners and people on duty can switch devices, and the account has no roster yet"
        case .noShift: "only owners and people on duty can switch devices, and no one is on duty now"
        case .others: "only owners and people on duty can switch devices, and you are not on duty now"
        }
    }
}

extension Refusal {
    /// The reason for the refusal and the next step at a shell, in words; times are in UTC.
    public var explanation: String { explanation(TimeText.iso8601) }

    /// Returns the reason for the refusal and the next step at a shell, in words.
    public func explanation(_ moment: (WallTime) -> String) -> String { cause(moment) + advice }

    /// The reason for the refusal in words, without command lines; times are in UTC.
    public var cause: String { cause(TimeText.iso8601) }

    private func cause(_ moment: (WallTime) -> String) -> String {
        switch self {
        case .offline(let lastSeen):
            (lastSeen.map { "offline, last seen at \(moment($0))" }
                ?? "offline, not seen since the controller started") + "; nothing changed"
        case .busy(let retryAfter): "busy; nothing changed; try again in \(retryAfter.wholeMilliseconds) ms"
        case .storageFull: "busy: the controller's disk is full; nothing changed"
        case .unauthenticated: "no valid session"
        case .notFound: "no such device or request in this account"
        case .invalid(let what): "not accepted: \(SafeText.of(what))"
        case .idMismatch: "this request ID belongs to another request; nothing changed"
        case .idTooOld(let behind):
            "this request ID is \(behind.wholeMilliseconds) ms older than the oldest that the controller "
                + "remembers; check the device before you send a new request"
        case .notAllowed(let why): "not allowed: \(SafeText.of(why))"
        case .offDuty(let reason): "not allowed: \(reason.text) (offDuty)"
        case .moved(let cell): "the account is in cell \(cell)"
        }
    }

    /// The next step at a shell, with the punctuation before it; empty if the cause names it.
    private var advice: String {
        switch self {
        case .offline: "; `fleet devices` shows the reason, and `fleet status` whether its node runs"
        case .storageFull: "; free space (`fleet doctor` names the directory)"
        case .unauthenticated: "; log in with `fleet login EMAIL`"
        case .notFound: "; `fleet devices` lists the devices"
        case .idMismatch: "; omit --request-id to get a new one"
        case .offDuty: "; `fleet roster` shows who is on duty when"
        case .moved: "; name the file of all cells with --cells"
        case .busy, .invalid, .idTooOld, .notAllowed: ""
        }
    }
}

/// Advice for the shell when a fleet cannot be found or asked.
public enum ShellAdvice {
    public static let noFleet = "start one with `fleet up`, or name its run directory with --run-dir"
    /// The advice for a missing session, or a damaged session file.
    public static let noSession = "log in with `fleet login EMAIL`"
    public static let noKey = "run the command that `fleet join-command` prints on the fleet's machine"
    public static let noReply = "see `fleet status`, then try again"
    /// The advice without a connection to a fleet of this machine, or to one on another machine.
    public static func noController(isRemote: Bool) -> String {
        isRemote
            ? "find the cause with `fleet doctor`" : "start a fleet with `fleet up`, or see `fleet status`"
    }
}
