import ControllerCore
import FleetProtocol

/// The tables of services and of nodes.
extension Store {
    /// Reads the devices of every node, most recent epoch first.
    ///
    /// - Parameters:
    ///   - nodes: The maximum number of nodes; others are deleted.
    ///   - devices: The maximum number of devices; the first node that exceeds it is deleted, and all later
    ///     ones.
    func nodes(
        atMost nodes: Int = NodeDevices.nodesAtMost, devices: Int = NodeDevices.devicesAtMost
    ) throws(StorageError) -> [NodeDevices] {
        try transaction(.immediate) { db in
            try NodeTables.read(from: db, atMost: nodes, devices: devices)
        }
    }

    func serviceRecords() throws(StorageError) -> [ServiceRecord] {
        try transaction(.deferred) { db in try ServiceRecordTable.read(from: db) }
    }

    /// Returns whether the journal has every queue command that an earlier run of the controller may have
    /// sent, and stores the result for the next run.
    ///
    /// The journal lacks the commands of a run without journal. So the result stays false, also in later runs
    /// with a journal, as long as a command is open.
    ///
    /// - Parameters:
    ///   - isJournalled: Whether this run writes a journal.
    ///   - isCommandOpen: Whether an earlier run left a command without a stored outcome.
    func restoresCommands(
        isJournalled: Bool, isCommandOpen: Bool
    ) throws(StorageError) -> Bool {
        try transaction(.immediate) { db in
            let wasWhole = try db.prepare("SELECT isWhole FROM recall").value(Bool.self) ?? true
            let isWhole = isJournalled && (wasWhole || !isCommandOpen)
            try db.prepare("UPDATE recall SET isWhole = ?").execute([isWhole])
            return isWhole
        }
    }
}
