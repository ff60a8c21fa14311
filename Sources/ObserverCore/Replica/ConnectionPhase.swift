/// How the connection to the controller is, as a person is shown it.
public enum ConnectionPhase: Hashable, Sendable {
    /// On its way.
    case connecting
    /// There.
    case established
    /// It did not come about, or ended; why, in words.
    case failed(String)

    /// Its words on the screen.
    public var words: String {
        switch self {
        case .connecting: "connecting"
        case .established: "established"
        case .failed: "connection error"
        }
    }
}
