import Foundation
import Glibc
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// Some hosts on a network of their own, whose links can be disturbed.
///
/// The last one is the host of the test process, so that the test's own clients are on the network too. The
/// test process must run by `Tests/in-namespaces`.
struct HostLab: Sendable {
    private static let support = FilePath(#filePath).removingLastComponent().appending("Support")

    let directory: String
    let hosts: [Host]
    /// The switch between the hosts.
    let forwarder: FaultProgram

    /// Creates hosts, and removes them with their processes in any case.
    static func withHosts(
        _ names: [String], executables: FilePath = Lab.products, seed: UInt64 = 1,
        _ body: (HostLab) async throws -> Void
    ) async throws {
        try #require(
            ProcessInfo.processInfo.environment["SENSIBUS_NAMESPACES"] == "1",
            "tests with hosts run by Tests/in-namespaces, as in `make test-hosts`")
        try await Lab.withLab(of: executables) { lab in
            let clock = try await compileClockShift(in: lab)
            let hosts = try names.indices.map { try host($0, names, in: lab, clock) }
            let interfaces = hosts.map { "host-\($0.number)" }
            try await FaultProgram.with(["forward", "--seed", "\(seed)"] + interfaces) { forwarder in
                let hostLab = HostLab(directory: lab.directory, hosts: hosts, forwarder: forwarder)
                let result: Result<Void, any Error>
                do {
                    for host in hosts { try await connect(host, lab) }
                    result = .success(try await body(hostLab))
                } catch {
                    result = .failure(error)
                }
                for host in hosts { try await remove(host, lab) }
                try result.get()
            }
        }
    }

    /// The host of that name.
    subscript(_ name: String) -> Host {
        get throws { try #require(hosts.first { $0.name == name }) }
    }

    /// The host of the test process.
    var own: Host {
        get throws { try #require(hosts.last) }
    }

    static func script(_ name: String) -> String { support.appending(name).string }

    // MARK: Creation

    private static func compileClockShift(in lab: Lab) async throws -> String {
        let library = "\(lab.directory)/clock_shift.so"
        let compiler = try await lab.run(
            "/usr/bin/env", ["cc", "-shared", "-fPIC", "-O1", "-o", library, script("clock_shift.c"), "-ldl"])
        try #require(compiler.status == 0, "cc: \(compiler.talk)")
        return library
    }

    private static func host(_ index: Int, _ names: [String], in lab: Lab, _ clock: String) throws -> Host {
        let directory = "\(lab.directory)/\(names[index])"
        try #require(mkdir(directory, 0o700) == 0, "errno \(errno)")
        let isOwn = index == names.count - 1
        let namesFile = isOwn ? "/etc/hosts" : "\(directory)/hosts"
        let lines = names.enumerated().map { "10.77.0.\($0.offset + 1) \($0.element)" }
        try write(["127.0.0.1 localhost"] + lines, to: namesFile)
        let clockFile = "\(directory)/clock"
        try Data(count: 8).write(to: URL(filePath: clockFile))
        let entry =
            isOwn
            ? []
            : [
                "/usr/bin/nsenter", "--net=/run/netns/\(names[index])", "unshare", "--mount", "--propagation",
                "private", "sh", "-c", "mount --bind \"$0\" /etc/hosts && exec \"$@\"", namesFile,
            ]
        let variables: [Subprocess.Environment.Key: String?] = [
            "LD_PRELOAD": clock, "CLOCK_SHIFT": clockFile,
        ]
        return Host(
            number: index + 1, name: names[index],
            lab: Lab(
                directory: directory, executables: lab.executables, entry: entry, variables: variables),
            entry: entry, namesFile: namesFile, clockFile: clockFile)
    }

    /// Writes a file in place: programs see it by a mount.
    static func write(_ lines: [String], to path: String) throws {
        let file = fopen(path, "w")
        try #require(file != nil, "\(path): errno \(errno)")
        fputs(lines.map { "\($0)\n" }.joined(), file)
        fclose(file)
    }

    /// Moves the forwarder's interface into the host's network.
    private static func connect(_ host: Host, _ lab: Lab) async throws {
        let interface = "host-\(host.number)"
        let isOwn = host.entry.isEmpty
        var commands: [[String]] = []
        if isOwn {
            commands = [["link", "set", interface, "name", "eth0"]]
        } else {
            commands = [
                ["netns", "add", host.name], ["link", "set", interface, "netns", host.name, "name", "eth0"],
            ]
        }
        let inside = isOwn ? [] : ["-n", host.name]
        commands += [
            inside + ["link", "set", "lo", "up"],
            inside + ["addr", "add", "\(host.address)/16", "dev", "eth0"],
            inside + ["link", "set", "eth0", "up"],
        ]
        for command in commands {
            let ended = try await lab.run("/usr/bin/env", ["ip"] + command)
            try #require(ended.status == 0, "ip \(command): \(ended.talk)")
        }
    }

    /// Ends the processes of a host and removes its network.
    private static func remove(_ host: Host, _ lab: Lab) async throws {
        _ = try await host.lab.fleet(["down"])
        guard !host.entry.isEmpty else { return }
        let processes = try await lab.run("/usr/bin/env", ["ip", "netns", "pids", host.name])
        for process in processes.output.split(separator: "\n").compactMap({ Int32($0) }) {
            kill(process, SIGKILL)
        }
        _ = try await lab.run("/usr/bin/env", ["ip", "netns", "del", host.name])
    }
}
