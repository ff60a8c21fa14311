/// What a process is to its fleet: it decides what happens when the process dies, and when it ends.
enum ProcessRole: Int, CaseIterable, Comparable, Sendable {
    /// Shows the fleet; when it ends by itself, so does the fleet.
    ///
    /// First to end, so that the terminal is free.
    case observer
    /// Serves the fleet over HTTP; always started again.
    ///
    /// Ends before what it serves.
    case gateway
    /// Hosts devices; stays dead, for people kill nodes to see what happens.
    case node
    /// Carries out requests; always started again.
    ///
    /// Last to end, so that it hears the nodes' goodbyes.
    case controller

    /// Whether the first ends earlier.
    static func < (left: ProcessRole, right: ProcessRole) -> Bool { left.rawValue < right.rawValue }
}
