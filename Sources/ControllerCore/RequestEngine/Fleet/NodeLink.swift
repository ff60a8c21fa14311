import FleetProtocol

/// The connection of a node, and which boot of it counts.
struct NodeLink: Sendable {
    /// A later boot that has sent a hello, and counts as alive once it repeats the hello.
    private struct Successor: Equatable, Sendable {
        let bootID: BootID
        let connection: ConnectionID
    }

    private(set) var connection: ConnectionID
    private(set) var bootID: BootID
    /// Incremented with each boot: change numbers compare only within one boot.
    private(set) var boot: UInt32 = 1
    /// Whether this boot has ended in good order; only a later boot brings the node back.
    private(set) var hasLeft = false
    /// A later boot that may take over; nil without one.
    private var successor: Successor?

    init(_ connection: ConnectionID, _ bootID: BootID) {
        (self.connection, self.bootID) = (connection, bootID)
    }

    /// Records that this boot has ended in good order.
    mutating func leave() { hasLeft = true }

    /// Whether a later boot has repeated its hello; if not, it must be asked to.
    ///
    /// Boots have no order, and the last messages of a dead boot may arrive after the hello of the next: only
    /// a boot that is alive answers.
    mutating func hasAnswered(_ bootID: BootID, at connection: ConnectionID) -> Bool {
        let candidate = Successor(bootID: bootID, connection: connection)
        defer { successor = candidate }
        return successor == candidate
    }

    /// Replaces the connection, and perhaps the boot.
    mutating func move(to connection: ConnectionID, bootID: BootID) {
        successor = nil
        self.connection = connection
        guard bootID != self.bootID else { return }
        self.bootID = bootID
        boot += 1
        hasLeft = false
    }
}
