import ControllerCore
import FleetProtocol

extension Store {
    /// Reads the devices of every node, most recent epoch first. Nodes beyond the maximum are deleted, and
    /// those from the first that exceeds the maximum of devices.
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
    /// with a journal, as long as a command is open, which an earlier run left without a stored outcome.
    func restoresCommands(isJournalled: Bool, isCommandOpen: Bool) throws(StorageError) -> Bool {
        try transaction(.immediate) { db in
            let wasWhole = try db.prepare("SELECT isWhole FROM recall").value(Bool.self) ?? true
            let isWhole = isJournalled && (wasWhole || !isCommandOpen)
            try db.prepare("UPDATE recall SET isWhole = ?").execute([isWhole])
            return isWhole
        }
    }
}
