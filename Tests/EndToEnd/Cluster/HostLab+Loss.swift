import Glibc
import TestSupport
import Testing

extension HostLab {
    private static let endedWithin = Duration.seconds(5)

    /// Cuts a host from all others, then kills its processes: no peer receives the end of a connection.
    func lose(_ host: Host) async throws {
        try await begin(.blackhole, at: host)
        let took = try await Pace.look(for: Self.endedWithin.slowed) {
            let processes = try await processes(of: host)
            for process in processes { kill(process, SIGKILL) }
            return processes.isEmpty
        }
        try #require(took != nil, "processes of \(host.name) outlive SIGKILL")
    }

    /// Connects a lost host again: it is as after a boot, without processes.
    func restore(_ host: Host) async throws { try await end(.blackhole, at: host) }

    /// The processes in the network of a host.
    func processes(of host: Host) async throws -> [Int32] {
        let lab = Lab(directory: directory, executables: host.lab.executables)
        let listed = try await lab.run("/usr/bin/env", ["ip", "netns", "pids", host.name])
        try #require(listed.status == 0, "ip netns pids \(host.name): \(listed.talk)")
        return listed.output.split(separator: "\n").compactMap { Int32($0) }.filter(TortureFleet.isAlive)
    }

    /// Makes the names of services lead to hosts, on all hosts, beside the names of the hosts.
    func resolve(_ services: [(name: String, host: Host)]) throws {
        let lines =
            hosts.map { "\($0.address) \($0.name)" } + services.map { "\($0.host.address) \($0.name)" }
        for host in hosts { try Self.write(["127.0.0.1 localhost"] + lines, to: host.namesFile) }
    }
}
