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
    /// The switch between the hosts; nil if the system's is used.
    private let switchProgram: FaultProgram?

    /// Creates hosts, and removes them with their processes in any case.
    ///
    /// - Parameter isDisturbable: Whether their packets pass a program that can lose them. The switch of the
    ///   system is faster.
    static func withHosts(
        _ names: [String], executables: FilePath = Lab.products, seed: UInt64 = 1,
        isDisturbable: Bool = true, _ body: (HostLab) async throws -> Void
    ) async throws {
        try #require(
            ProcessInfo.processInfo.environment["SENSIBUS_NAMESPACES"] == "1",
            "tests with hosts run by Tests/in-namespaces, as in `Tests/stress hosts`")
        try await Lab.withLab(of: executables) { lab in
            let clock = try await compile("clock_shift", in: lab)
            let hosts = try names.indices.map { try host($0, names, in: lab, clock) }
            func run(switchProgram program: FaultProgram?) async throws {
                try await connected(
                    HostLab(directory: lab.directory, hosts: hosts, switchProgram: program), lab, body)
            }
            guard isDisturbable else { return try await run(switchProgram: nil) }
            let interfaces = hosts.map { "host-\($0.number)" }
            try await FaultProgram.with(["forward", "--seed", "\(seed)"] + interfaces) {
                try await run(switchProgram: $0)
            }
        }
    }

    private static func connected(
        _ hostLab: HostLab, _ lab: Lab, _ body: (HostLab) async throws -> Void
    ) async throws {
        try await withCleanup {
            if hostLab.switchProgram == nil { try await addSwitch(for: hostLab.hosts, lab) }
            for host in hostLab.hosts { try await connect(host, lab) }
            try await body(hostLab)
        } cleanup: {
            for host in hostLab.hosts { try await remove(host, lab) }
            // The forwarder's interfaces end with it.
            if hostLab.switchProgram == nil { try await removeSwitch(of: hostLab.hosts, lab) }
        }
    }

    /// The switch between the hosts, whose links can be disturbed.
    var forwarder: FaultProgram {
        get throws { try #require(switchProgram) }
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

    /// Compiles a library of `Support` that programs preload, and returns its path.
    static func compile(_ name: String, in lab: Lab) async throws -> String {
        let library = "\(lab.directory)/\(name).so"
        let compiler = try await lab.run(
            "/usr/bin/env",
            ["cc", "-shared", "-fPIC", "-O1", "-o", library, script("\(name).c"), "-ldl"])
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

    /// Makes an interface for each host, all at a switch of the system.
    private static func addSwitch(for hosts: [Host], _ lab: Lab) async throws {
        try await ip(["link", "add", "switch", "type", "bridge"], lab)
        try await ip(["link", "set", "switch", "up"], lab)
        for host in hosts {
            let port = "port-\(host.number)"
            let interface = "host-\(host.number)"
            try await ip(["link", "add", port, "type", "veth", "peer", "name", interface], lab)
            try await ip(["link", "set", port, "master", "switch", "up"], lab)
        }
    }

    /// Moves its interface into the host's network.
    private static func connect(_ host: Host, _ lab: Lab) async throws {
        let interface = "host-\(host.number)"
        let isOwn = host.entry.isEmpty
        if isOwn {
            try await ip(["link", "set", interface, "name", "eth0"], lab)
        } else {
            try await ip(["netns", "add", host.name], lab)
            try await ip(["link", "set", interface, "netns", host.name, "name", "eth0"], lab)
        }
        let inside = isOwn ? [] : ["-n", host.name]
        try await ip(inside + ["link", "set", "lo", "up"], lab)
        try await ip(inside + ["addr", "add", "\(host.address)/16", "dev", "eth0"], lab)
        try await ip(inside + ["link", "set", "eth0", "up"], lab)
    }

    private static func removeSwitch(of hosts: [Host], _ lab: Lab) async throws {
        for link in hosts.map({ "port-\($0.number)" }) + ["switch"] {
            // That of another host ended with its network.
            _ = try await lab.run("/usr/bin/env", ["ip", "link", "del", link])
        }
    }

    private static func ip(_ words: [String], _ lab: Lab) async throws {
        let ended = try await lab.run("/usr/bin/env", ["ip"] + words)
        try #require(ended.status == 0, "ip \(words): \(ended.talk)")
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
