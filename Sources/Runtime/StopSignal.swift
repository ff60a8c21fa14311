import Glibc

/// What asks a process to end.
public enum StopSignal: CaseIterable, Hashable, Sendable {
    /// Ctrl-C.
    case interrupt
    /// The usual request to end.
    case terminate
    /// The terminal has gone.
    case hangUp

    /// The system's number for it.
    public var number: Int32 {
        switch self {
        case .interrupt: SIGINT
        case .terminate: SIGTERM
        case .hangUp: SIGHUP
        }
    }
}
