import FoundationEssentials
import Glibc
import ProcessSupport

/// The fleets that this user has started on this machine: a file with the run directory of each.
///
/// It is in `$XDG_STATE_HOME/sensibus/fleets`, by default in `~/.local/state`. An entry is dropped when its
/// run directory no longer exists, and the oldest one when there are more than ``limit``.
struct FleetRegistry: Sendable {
    static let limit = 256

    let path: String

    /// The registry in a directory.
    init(path: String) { self.path = path }

    /// The registry of the user of an environment; nil without a home directory.
    init?(environment: [String: String]) {
        func directory(_ name: String) -> String? {
            environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        guard let state = directory("XDG_STATE_HOME") ?? directory("HOME").map({ "\($0)/.local/state" })
        else { return nil }
        path = "\(state)/sensibus/fleets"
    }

    /// Adds a run directory, as the newest entry.
    ///
    /// - Throws: `RuntimeError` if the directory of the entries cannot be created, or is another user's.
    func add(_ directory: RunDirectory) throws(RuntimeError) {
        try create()
        let others = directories().filter { $0 != directory }
        for old in others.dropLast(Self.limit - 1) { try remove(old) }
        try entry(of: directory).replace(with: Array("\(directory.path)\n".utf8))
    }

    /// Removes a run directory, if it has an entry.
    ///
    /// - Throws: `system` if the entry cannot be removed.
    func remove(_ directory: RunDirectory) throws(RuntimeError) { try entry(of: directory).remove() }

    /// Returns the run directories that exist, the oldest entry first, and drops the other entries.
    func directories() -> [RunDirectory] {
        var found: [(added: Int, directory: RunDirectory)] = []
        for name in names() {
            let file = "\(path)/\(name)"
            guard let directory = directory(in: file) else {
                unlink(file)
                continue
            }
            found.append((FileStatus(of: file)?.changedAt ?? 0, directory))
        }
        return found.sorted { ($0.added, $0.directory.path) < ($1.added, $1.directory.path) }.map(\.directory)
    }

    private func names() -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".fleet") }
        } catch {
            // No fleet was started yet.
            return []
        }
    }

    /// The run directory of an entry; nil if it does not exist, or the entry cannot be read.
    private func directory(in file: String) -> RunDirectory? {
        guard let line = try? PrivateFile(path: file).firstLine(), line.hasPrefix("/"),
            FileStatus(of: line)?.isDirectory == true
        else { return nil }
        return RunDirectory(path: line)
    }

    private func entry(of directory: RunDirectory) -> PrivateFile {
        PrivateFile(path: "\(path)/\(PathHash.text(of: directory.path)).fleet")
    }

    private func create() throws(RuntimeError) {
        var place = ""
        for part in path.split(separator: "/") {
            place += "/\(part)"
            guard mkdir(place, 0o700) == 0 || errno == EEXIST else {
                throw .system(operation: "create directory", path: place, errno: errno)
            }
        }
        try RunDirectory(path: path).check()
    }
}

extension Surroundings {
    /// The fleets that the user has started; nil without a home directory.
    var fleets: FleetRegistry? { FleetRegistry(environment: environment) }

    /// Adds a started fleet to those of `fleet ls`; a failure is a remark.
    func register(_ directory: RunDirectory) {
        do throws(RuntimeError) {
            try fleets?.add(directory)
        } catch {
            notify("fleet: `fleet ls` will not list this fleet: \(error)")
        }
    }
}
