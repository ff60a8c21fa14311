/// What the remote of an air conditioner sends.
public enum RemoteKind: String, CaseIterable, Sendable {
    /// A code for on and another for off.
    case discrete
    /// One code for both, so that whoever misses one assumes the opposite of what is.
    case toggle
}
