/// A connection to a bounded endpoint.
///
/// It stays the same value while the connection is open, and no later connection has an equal one.
public struct PeerConnection: Hashable, Sendable {
    /// The descriptor of the connection, which later ones reuse.
    let descriptor: Int32
    /// The number of the connection among those with its descriptor.
    let serial: UInt32
}
