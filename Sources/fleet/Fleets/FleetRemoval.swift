import FleetProtocol
import FoundationEssentials
import Glibc
import ProcessSupport

/// Removes only the files of stopped fleets. It holds the locks of all processes of the fleet meanwhile, so
/// that none can start.
enum FleetRemoval {
    /// Removes the state of a stopped fleet; throws `locked` while a process of it runs.
    static func reset(_ directory: RunDirectory) throws {
        let locks = try locks(of: directory)
        defer { for lock in locks { lock.close() } }
        try remove([.state], from: directory)
    }

    /// Returns whether a fleet has state that ``reset(_:)`` would remove.
    static func hasState(in directory: RunDirectory) throws -> Bool {
        try files(of: directory).contains { $0.part == .state }
    }

    /// Removes all files of a stopped fleet, and its run directory unless that has other files. Returns the
    /// names of the other files; throws `locked` while a process of the fleet runs.
    static func remove(_ directory: RunDirectory) throws -> [String] {
        let locks = try locks(of: directory)
        defer { for lock in locks { lock.close() } }
        try directory.removeSockets()
        try remove([.state, .other], from: directory)
        return try removeIfEmpty(directory.path) ? [] : names(in: directory.path)
    }

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

    /// The files of a fleet, by their paths relative to the run directory.
    private static func files(of directory: RunDirectory) throws -> [(path: String, part: FleetFiles.Part)] {
        let names = try names(in: directory.path)
        let isMemory = names.contains("memory") && isDirectory(directory.memoryDirectory)
        let known = FleetFiles(memory: isMemory ? try Self.names(in: directory.memoryDirectory) : [])
        var files: [(path: String, part: FleetFiles.Part)] = []
        for name in names {
            guard isDirectory("\(directory)/\(name)") else {
                if let part = known.part(of: name) { files.append((name, part)) }
                continue
            }
            guard FleetFiles.directories.contains(where: { $0.name == name }) else { continue }
            for inner in try Self.names(in: "\(directory)/\(name)")
            where !isDirectory("\(directory)/\(name)/\(inner)") {
                guard let part = known.part(of: inner, in: name) else { continue }
                files.append(("\(name)/\(inner)", part))
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

/// The files that a fleet writes to its run directory, which may also contain files of the user. A file is
/// recognized by its name: `docs/reference/files.md` describes each.
struct FleetFiles {
    enum Part {
        /// Requests, accounts, sessions and the devices' memory, which `fleet reset` removes.
        case state
        /// All other files: logs, locks, addresses and the keys of other machines.
        case other
    }

    static let directories: [(name: String, part: Part)] = [
        ("journal", .state), ("memory", .state), ("sessions", .state), ("logs", .other), ("network", .other),
        ("moving", .other),
    ]

    /// The processes of a fleet, without its nodes, and the locks of files.
    private static let processes: Set<String> = [
        "supervisor", "controller", "gateway", "observer", "gateway-keys", "devices",
    ]

    /// The names of nodes that have stored the memory of devices; other nodes are called `node-NUMBER`.
    private let nodes: Set<String>

    /// The files of a fleet with those names in the directory of the devices' memory.
    init(memory: [String]) {
        nodes = Set(memory.filter { $0.hasSuffix(".entries") }.map { String($0.dropLast(".entries".count)) })
    }

    /// Returns the part that a file belongs to; nil if no fleet writes a file of that name.
    ///
    /// - Parameter directory: The one of ``directories`` that contains the file; nil for the run directory.
    func part(of name: String, in directory: String? = nil) -> Part? {
        let parts = Self.withoutDraft(name).split(separator: ".", omittingEmptySubsequences: false)
        let (stem, suffix) = (parts.dropLast().joined(separator: "."), parts.last.map(String.init) ?? "")
        let file = parts.joined(separator: ".")
        if let known = RunFile(rawValue: directory.map { "\($0)/\(file)" } ?? file) {
            return known.isState ? .state : .other
        }
        switch directory {
        case nil:
            let isOfProcess = ["lock", "serving"].contains(suffix) && isProcess(stem)
            let isSocket = FleetSocket.allCases.contains { $0.fileName == file }
            return isOfProcess || isSocket || Self.isProbe(name) ? .other : nil
        case "journal":
            let isSegment = ["journal", "sqlite", "sqlite-wal", "sqlite-shm"].contains(suffix)
            return isSegment && stem.isDecimal || Self.isProbe(name) ? .state : nil
        case "memory":
            let entries = suffix == "witness" ? stem : file
            let node = entries.dropLast(".entries".count)
            return entries.hasSuffix(".entries") && NodeName(String(node)) != nil ? .state : nil
        case "sessions": return suffix == "json" && PathHash.isText(stem) ? .state : nil
        case "logs":
            let log = (1...3).contains(Int(suffix) ?? 0) ? stem : file
            return log.hasSuffix(".log") && isProcess(String(log.dropLast(".log".count))) ? .other : nil
        case "moving": return file.hasPrefix("store.sqlite") ? .other : nil
        default: return nil
        }
    }

    private func isProcess(_ name: String) -> Bool {
        if Self.processes.contains(name) || nodes.contains(name) { return true }
        return name.hasPrefix("node-") && name.dropFirst("node-".count).isDecimal
    }

    /// Returns the name of the file that a draft replaces: a draft is called `NAME.new`, `NAME.NUMBER.new`,
    /// `NAME.making` or `NAME.NUMBER.making`.
    private static func withoutDraft(_ name: String) -> String {
        var parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, parts.last == "new" || parts.last == "making" else { return name }
        parts.removeLast()
        if parts.count > 1, let number = parts.last, number.isDecimal { parts.removeLast() }
        return parts.joined(separator: ".")
    }

    /// Whether it is the file with which the disk's speed is measured.
    private static func isProbe(_ name: String) -> Bool {
        name.hasPrefix(".sync-") && name.dropFirst(".sync-".count).isDecimal
    }
}
