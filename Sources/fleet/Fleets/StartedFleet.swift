import FleetProtocol
import Glibc
import ProcessSupport
import UserText

/// A fleet of `fleet ls`: its run directory, and what its supervisor reports.
struct StartedFleet: Equatable, Sendable {
    /// The states of a fleet.
    enum State: String, Sendable {
        /// Its supervisor answers.
        case running
        /// Its supervisor runs, but does not answer.
        case silent
        /// No supervisor runs.
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
            let hasGateway = reply?.processes.contains { $0.name == "gateway" } ?? false
            return StartedFleet(
                directory: directory, state: reply == nil ? .silent : .running, supervisor: holder,
                summary: reply?.fleet,
                page: FleetLocation(of: directory, hasGateway: hasGateway).page)
        } catch {
            return StartedFleet(directory: directory, state: .unsafe)
        }
    }

    /// Whether it is stopped, and its directory is still that of a fleet.
    var isStoppedFleet: Bool {
        state == .stopped && access(directory.lockFile(for: "supervisor"), F_OK) == 0
    }

    /// The object for scripts.
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
    /// The number of fleets that are asked at the same time.
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
