import FleetProtocol
import FoundationEssentials
import Glibc
import ProcessSupport
import UserText

/// The fleets that this user has started on this machine: a file with the run directory of each. It is in
/// `$XDG_STATE_HOME/sensibus/fleets`, by default in `~/.local/state`. An entry is dropped when its run
/// directory no longer exists, and the oldest one when there are more than ``limit``.
struct FleetRegistry: Sendable {
    static let limit = 256

    let path: String

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
    func add(_ directory: RunDirectory) throws(RuntimeError) {
        try create()
        let others = directories().filter { $0 != directory }
        for old in others.dropLast(Self.limit - 1) { try remove(old) }
        try entry(of: directory).replace(with: Array("\(directory.path)\n".utf8))
    }

    func remove(_ directory: RunDirectory) throws(RuntimeError) { try entry(of: directory).remove() }

    /// Returns the run directories that exist, the oldest entry first, and drops the other entries.
    func directories() -> [RunDirectory] {
        // Without the directory, no fleet was started yet.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        var found: [(added: Int, directory: RunDirectory)] = []
        for name in names where name.hasSuffix(".fleet") {
            let file = "\(path)/\(name)"
            guard let directory = directory(in: file) else {
                unlink(file)
                continue
            }
            found.append((FileStatus(of: file)?.changedAt ?? 0, directory))
        }
        return found.sorted { ($0.added, $0.directory.path) < ($1.added, $1.directory.path) }.map(\.directory)
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

    /// Removes a directory that was not completed, if it is there.
    func removeIncomplete(_ directory: RunDirectory) {
        guard access(directory.path, F_OK) == 0 else { return }
        do {
            try FileManager.default.removeItem(atPath: directory.path)
        } catch {
            notify("fleet: \(directory) is incomplete, and cannot be removed: remove it yourself")
        }
    }
}

/// A fleet of `fleet ls`: its run directory, and what its supervisor reports.
struct StartedFleet: Equatable, Sendable {
    enum State: String, Sendable {
        case running
        case silent
        case stopped
        /// Another user could change the run directory, so that it is not used.
        case unsafe
    }

    let directory: RunDirectory
    let state: State
    /// The process ID of the supervisor; nil unless it runs.
    var supervisor: Int32?
    /// The scenario and the age; nil unless the supervisor answers.
    var summary: FleetSummary?
    /// The URL of the page; nil without a gateway.
    var page: String?

    /// The time for which a supervisor may be silent.
    private static let timeout: Duration = .milliseconds(500)

    static func look(at directory: RunDirectory) async -> StartedFleet {
        do {
            try directory.check()
            guard let holder = LockTable.holder(of: directory.lockFile(for: "supervisor")) else {
                return StartedFleet(directory: directory, state: .stopped)
            }
            let reply = try await SupervisorAccess(directory: directory).ask(.processes, timeout: timeout)
            return StartedFleet(
                directory: directory, state: reply == nil ? .silent : .running, supervisor: holder,
                summary: reply?.fleet,
                page: FleetLocation(of: directory, running: reply?.processes).page)
        } catch {
            return StartedFleet(directory: directory, state: .unsafe)
        }
    }

    /// Whether it is stopped, and its directory is still that of a fleet.
    var isStoppedFleet: Bool {
        state == .stopped && access(directory.lockFile(for: "supervisor"), F_OK) == 0
    }

    var json: JSONObject {
        [
            "runDir": directory.path, "state": state.rawValue, "pid": supervisor,
            "scenario": summary?.scenario,
            "uptimeSeconds": summary.map { $0.uptime.wholeMilliseconds / 1_000 }, "page": page,
        ]
    }

    static var columns: [TextTable.Column<StartedFleet>] {
        [
            ("RUN DIR", .left, { $0.directory.path }), ("STATE", .left, { $0.state.rawValue }),
            ("PID", .right, { $0.supervisor.map(String.init) ?? "" }),
            ("UP FOR", .right, { $0.summary.map { TimeText.age($0.uptime) } ?? "" }),
            ("SCENARIO", .left, { $0.summary?.scenario ?? "" }), ("PAGE", .left, { $0.page ?? "" }),
        ]
    }
}

extension FleetRegistry {
    private static let asked = 16

    /// Looks at every fleet, in the order of ``directories()``.
    func look() async -> [StartedFleet] {
        let directories = directories()
        return await withTaskGroup(of: (Int, StartedFleet).self) { group in
            var found: [Int: StartedFleet] = [:]
            for (place, directory) in directories.enumerated() {
                if place >= Self.asked, let (done, fleet) = await group.next() { found[done] = fleet }
                group.addTask { (place, await StartedFleet.look(at: directory)) }
            }
            for await (place, fleet) in group { found[place] = fleet }
            return directories.indices.compactMap { found[$0] }
        }
    }
}
