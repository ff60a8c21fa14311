import Foundation
import Glibc
import ProcessSupport
import TestSupport
import Testing

/// The fleet of a run, with access to its processes.
struct TortureFleet: Sendable {
    /// The disk of the journal, if one could be mounted: at first of the maximum size of a tmpfs.
    struct Disk: Sendable {
        let path: String

        /// Mounts it; nil if that is not possible.
        init?(mountedOn path: String) {
            guard mount("tmpfs", path, "tmpfs", 0, "size=4g,mode=700") == 0 else { return nil }
            self.path = path
        }

        /// Leaves room for a few pages only.
        func shrink() throws {
            var facts = statvfs()
            try #require(statvfs(path, &facts) == 0, "errno \(errno)")
            let used = (facts.f_blocks - facts.f_bfree) * facts.f_frsize
            try resize("\(used + 16 * 4_096)")
        }

        func grow() throws {
            try resize("4g")
        }

        func unmount() {
            _ = umount2(path, Int32(MNT_DETACH))
        }

        private func resize(_ size: String) throws {
            let result = mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT), "size=\(size)")
            try #require(result == 0, "size=\(size): errno \(errno)")
        }
    }

    let lab: Lab
    let plan: TorturePlan
    let directory: RunDirectory
    /// The hosts; nil if all processes are on one.
    let network: TortureNetwork?

    init(_ lab: Lab, _ plan: TorturePlan, network: TortureNetwork? = nil) {
        (self.lab, self.plan, self.network) = (lab, plan, network)
        directory = RunDirectory(path: lab.runDirectory)
    }

    static let nodeNames = (1...TorturePlan.nodes).map { "node-\($0)" }

    /// Starts it, and returns when it is ready.
    func up() async throws {
        if let network { return try await up(over: network) }
        try await lab.succeed(
            "up", "--detach", "--gateway-port", "0", "--devices", "\(TorturePlan.devices)", "--nodes",
            "\(TorturePlan.nodes)", "--durability", plan.durability, "--run-dir", directory.path)
    }

    /// The process that holds the lock of that name, or the gateway, which has none; nil if it is not
    /// running.
    func processID(_ name: String) -> Int32? {
        guard name != "gateway" else { return gateway }
        let directory = place(of: name).directory
        guard let text = try? String(contentsOfFile: directory.lockFile(for: name), encoding: .utf8),
            let processID = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)),
            Self.isAlive(processID), commandLine(of: processID).contains(directory.path)
        else { return nil }
        return processID
    }

    private var gateway: Int32? {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.lazy.compactMap { Int32($0) }.first { processID in
            let words = commandLine(of: processID).split(separator: "\0")
            return words.first?.hasSuffix("/gateway") == true && words.contains(directory.path[...])
                && Self.isAlive(processID)
        }
    }

    /// The process of that name, once it runs; it may just have been started.
    func awaitedProcessID(_ name: String) async -> Int32? {
        _ = await Pace.look(for: .seconds(5).slowed) { processID(name) != nil }
        return processID(name)
    }

    /// A killed process of which only the status remains is not running.
    static func isAlive(_ processID: Int32) -> Bool {
        guard let stat = try? String(contentsOfFile: "/proc/\(processID)/stat", encoding: .utf8),
            let nameEnd = stat.lastIndex(of: ")")
        else { return false }
        let state = stat[nameEnd...].dropFirst(2).first
        return state != "Z" && state != "X"
    }

    private func commandLine(of processID: Int32) -> String {
        (try? String(contentsOfFile: "/proc/\(processID)/cmdline", encoding: .utf8)) ?? ""
    }

    /// Whether every device is online, now or soon.
    func isWhole(within limit: Duration) async throws -> Bool {
        try await Pace.look(for: limit.slowed) { try await onlineDevices() == TorturePlan.devices } != nil
    }

    /// The number of devices that are online; nil if the controller does not answer.
    func onlineDevices() async throws -> Int? {
        let status = try await lab.fleet(["status", "--json", "--run-dir", directory.path])
        return status.status == 0 ? try status.line(StatusLine.self).online : nil
    }

    /// Kills a process and waits until it has ended.
    ///
    /// - Returns: Whether there was one.
    func kill(_ name: String) async throws -> Bool {
        guard let processID = processID(name) else { return false }
        Glibc.kill(processID, SIGKILL)
        let took = await Pace.look(for: .seconds(5).slowed) { !Self.isAlive(processID) }
        try #require(took != nil, "\(name) outlives SIGKILL")
        return true
    }

    /// Restarts a node that was killed.
    func restart(_ node: String) async throws {
        guard network == nil else { return try await start(node) }
        let restart = try await lab.fleet(["restart", node, "--run-dir", directory.path])
        try #require(restart.status == 0, "fleet restart \(node): \(restart.talk)")
    }

    /// Ends the whole fleet; returns the time that took.
    func stop() async throws -> Duration {
        let names = ["supervisor", "controller", "gateway"] + Self.nodeNames
        let processes = names.compactMap(processID)
        let supervisor = try #require(processID("supervisor"), "no supervisor is running")
        Glibc.kill(supervisor, SIGTERM)
        if network != nil { for node in Self.nodeNames.compactMap(processID) { Glibc.kill(node, SIGTERM) } }
        let took = await Pace.look(for: .seconds(20).slowed) { !processes.contains(where: Self.isAlive) }
        return try #require(took, "the fleet is running after SIGTERM")
    }

    /// The file of a node's device memory.
    func memoryFile(of node: String) -> String { place(of: node).directory.memoryFile(of: node) }
}
