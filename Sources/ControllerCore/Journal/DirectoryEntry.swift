public import FleetProtocol

/// What the controller must not forget of nodes: which devices they have.
///
/// As a journal's entry, it is an effect that stands before every effect that depends on it: a device is kept
/// before anybody is told of it.
public enum DirectoryEntry: Sendable, Equatable {
    /// A node has these devices, besides those that are kept already.
    case added(NodeDevices)
    /// A node has these devices and no others; with none, it is forgotten.
    case listed(NodeDevices)
    /// A node that is kept has said what it has in this life of the controller too.
    case heard(AccountID, NodeName)
}
