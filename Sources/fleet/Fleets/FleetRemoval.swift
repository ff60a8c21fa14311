import FoundationEssentials
import Glibc
import ProcessSupport

/// Removes only the files of stopped fleets.
///
/// It holds the locks of all processes of the fleet meanwhile, so that none can start.
enum FleetRemoval {
    /// A file of a fleet, by its path relative to the run directory.
    private struct File {
        let path: String
        let part: FleetFiles.Part
    }

    /// Removes the state of a stopped fleet.
    ///
    /// - Throws: `locked` while a process of the fleet runs, and errors of the file system.
    static func reset(_ directory: RunDirectory) throws {
        let locks = try locks(of: directory)
        defer { for lock in locks { lock.close() } }
        try remove([.state], from: directory)
    }

    /// Returns whether a fleet has state that ``reset(_:)`` would remove.
    ///
    /// - Throws: Errors of the file system.
    static func hasState(in directory: RunDirectory) throws -> Bool {
        try files(of: directory).contains { $0.part == .state }
    }

    /// Removes all files of a stopped fleet, and its run directory unless that has other files.
    ///
    /// - Returns: The names of the other files and directories in the run directory.
    /// - Throws: `locked` while a process of the fleet runs, and errors of the file system.
    static func remove(_ directory: RunDirectory) throws -> [String] {
        let locks = try locks(of: directory)
        defer { for lock in locks { lock.close() } }
        try directory.removeSockets()
        try remove([.state, .other], from: directory)
        return try removeIfEmpty(directory.path) ? [] : names(in: directory.path)
    }

    /// Removes the files of some parts, and their directories that are then empty.
    private static func remove(_ parts: Set<FleetFiles.Part>, from directory: RunDirectory) throws {
        for file in try files(of: directory) where parts.contains(file.part) {
            let path = "\(directory)/\(file.path)"
            guard unlink(path) == 0 || errno == ENOENT else {
                throw RuntimeError.system(operation: "remove", path: path, errno: errno)
            }
        }
        for (name, part) in FleetFiles.directories
        where parts.contains(part) && isDirectory("\(directory)/\(name)") {
            _ = try removeIfEmpty("\(directory)/\(name)")
        }
    }

    /// Removes a directory; returns false if it has files.
    private static func removeIfEmpty(_ path: String) throws -> Bool {
        if rmdir(path) == 0 || errno == ENOENT { return true }
        guard errno == ENOTEMPTY || errno == EEXIST else {
            throw RuntimeError.system(operation: "remove", path: path, errno: errno)
        }
        return false
    }

    /// Returns the files of the fleet, in alphabetical order.
    private static func files(of directory: RunDirectory) throws -> [File] {
        let names = try names(in: directory.path)
        let isMemory = names.contains("memory") && isDirectory(directory.memoryDirectory)
        let known = FleetFiles(memory: isMemory ? try Self.names(in: directory.memoryDirectory) : [])
        var files: [File] = []
        for name in names {
            guard isDirectory("\(directory)/\(name)") else {
                if let part = known.part(of: name) { files.append(File(path: name, part: part)) }
                continue
            }
            guard FleetFiles.directories.contains(where: { $0.name == name }) else { continue }
            for inner in try Self.names(in: "\(directory)/\(name)")
            where !isDirectory("\(directory)/\(name)/\(inner)") {
                guard let part = known.part(of: inner, in: name) else { continue }
                files.append(File(path: "\(name)/\(inner)", part: part))
            }
        }
        return files
    }

    private static func locks(of directory: RunDirectory) throws -> [FileLock] {
        let present = try files(of: directory).map(\.path).filter { $0.hasSuffix(".lock") }
        let first = ["supervisor.lock", "controller.lock"]
        return try Set(present + first).sorted().map { try FileLock(path: "\(directory)/\($0)") }
    }

    private static func names(in directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    }

    /// Whether a path leads to a directory, and not to a symbolic link.
    private static func isDirectory(_ path: String) -> Bool { FileStatus(of: path)?.isDirectory == true }
}
