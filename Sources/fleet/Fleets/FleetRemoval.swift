import Foundation
import ProcessSupport

/// Removes files of stopped fleets.
///
/// It holds the locks of all processes of the fleet meanwhile, so that none can start.
enum FleetRemoval {
    /// The files and directories with the state of a fleet: requests, accounts, sessions and the devices'
    /// memory.
    ///
    /// The logs, the port and the keys of other machines are not among them.
    private static let stateNames: Set<String> = [
        "controller.sqlite", "controller.sqlite-wal", "controller.sqlite-shm", "journal", "witness", "memory",
        "session.json", "sessions", "observer-session.json", "observer-roster.json", "demo-password",
        "gateway-keys", "seed",
    ]

    /// Removes the state of a stopped fleet.
    ///
    /// - Returns: The names of the removed files and directories.
    /// - Throws: `locked` while a process of the fleet runs, and errors of the file system.
    @discardableResult
    static func reset(_ directory: RunDirectory) throws -> [String] {
        let locks = try locks(of: directory)
        defer { for lock in locks { lock.close() } }
        let present = try state(of: directory)
        for name in present { try FileManager.default.removeItem(atPath: "\(directory)/\(name)") }
        return present
    }

    /// Returns the names of the files and directories that ``reset(_:)`` would remove.
    ///
    /// - Throws: Errors of the file system.
    static func state(of directory: RunDirectory) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path)
            .filter { stateNames.contains($0) }.sorted()
    }

    /// Removes the run directory of a stopped fleet with everything in it.
    ///
    /// - Throws: `locked` while a process of the fleet runs, and errors of the file system.
    static func remove(_ directory: RunDirectory) throws {
        let locks = try locks(of: directory)
        defer { for lock in locks { lock.close() } }
        try FileManager.default.removeItem(atPath: directory.path)
    }

    private static func locks(of directory: RunDirectory) throws -> [FileLock] {
        let present = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            .filter { $0.hasSuffix(".lock") }.map { "\(directory)/\($0)" }
        let first = ["supervisor", "controller"].map(directory.lockFile)
        return try Set(present + first).sorted().map { try FileLock(path: $0) }
    }
}
