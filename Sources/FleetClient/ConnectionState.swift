/// Whether the controller can be reached.
public enum ConnectionState: Hashable, Sendable {
    /// A first connection, or one that was lost, is being made.
    case connecting
    /// Messages go through.
    case established
    /// The last try failed; why, in words. The next follows by itself.
    case failed(String)
}
