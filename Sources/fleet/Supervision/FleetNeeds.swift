/// What a fleet, or what it grows by, needs of the machine: compared with what is there before anything is
/// started.
struct FleetNeeds: Sendable {
    /// Files that a controller has open whatever the fleet: 192 of its own, and 16 connections to each of its
    /// four sockets with a quarter more, for those that are being replaced.
    static let ownOpenFiles: UInt64 = 272
    /// Files that each node costs the controller: it gives each of its four sockets an equal part of them,
    /// with a quarter more, and a node connects to two.
    ///
    /// Devices cost none: they share the connections of their node.
    static let nodeOpenFiles: UInt64 = 5
    /// Hashing a password takes 64 MiB, and controller and supervisor as much again.
    static let ownBytes: UInt64 = 128 << 20
    /// A node without devices; most of its 24 MiB are libraries that it shares with the others.
    static let nodeBytes: UInt64 = 8 << 20
    /// Memory of one device over all processes: of 1,000,000 some 115 bytes were measured in the node, 150 in
    /// the controller, and 230 in an observer.
    static let deviceBytes: UInt64 = 768

    /// Files that its controller may have open.
    let openFiles: UInt64
    /// Memory of all its processes.
    let memoryBytes: UInt64

    /// Whose needs they are, in words, and what to do about files and about memory that are not there.
    private let words: (who: String, files: String, memory: String)

    /// The needs of a fleet of that size.
    init(devices: Int, nodes: Int) {
        openFiles = Self.ownOpenFiles + UInt64(nodes) * Self.nodeOpenFiles
        memoryBytes = Self.ownBytes + UInt64(nodes) * Self.nodeBytes + UInt64(devices) * Self.deviceBytes
        words = ("this fleet needs", "have fewer --nodes", "have fewer --devices")
    }

    /// The needs of one more node with so many devices, beside a fleet that runs.
    ///
    /// - Parameter nodes: How many nodes there are then.
    init(growth devices: Int, nodes: Int) {
        openFiles = Self.ownOpenFiles + UInt64(nodes) * Self.nodeOpenFiles
        memoryBytes = Self.nodeBytes + UInt64(devices) * Self.deviceBytes
        words = ("that growth needs", "start a fleet of fewer nodes", "ask for fewer devices")
    }

    /// Says what of it is not there, and what to do.
    ///
    /// - Throws: `CommandFailure` with what there is, what is needed, and advice.
    func check(against limits: MachineLimits) throws(CommandFailure) {
        if let there = limits.openFiles, there < openFiles {
            throw CommandFailure(
                .refused, "a process may have \(there) files open, and \(words.who) \(openFiles)",
                advice: "raise the limit: ulimit -n \(openFiles); or \(words.files)")
        }
        if let there = limits.memoryBytes, there < memoryBytes {
            throw CommandFailure(
                .refused,
                "\(there >> 20) MiB of memory are free, and \(words.who) \(memoryBytes >> 20) MiB",
                advice: "\(words.memory), or end what takes much memory")
        }
    }
}
