import Bus
import FleetProtocol
import ProcessSupport
import UserText

/// The checks of `fleet doctor`: pure functions from facts to findings.
enum Checkup {
    /// Open files reserved for clients; below that the limit counts as tight.
    static let clientOpenFiles: UInt64 = 256
    /// Memory to hash a password, 64 MiB, and as much for everything else.
    static let leastMemoryBytes: UInt64 = 128 << 20
    /// Below this a disk counts as full: no segment of the journal fits.
    static let fullDiskBytes: UInt64 = 64 << 10
    /// Disk space that logs and the store may need soon.
    static let leastDiskBytes: UInt64 = 64 << 20
    /// Disk space that an unattended fleet may need.
    static let comfortableDiskBytes: UInt64 = 1 << 30
    /// The earliest plausible time, 2024-01-01: a clock that shows less is wrong.
    static let earliestTime = WallTime(unixMilliseconds: 1_704_067_200_000)

    /// All findings, in the order of the output; `fleet` is nil if there is no run directory.
    static func findings(_ machine: MachineFacts, _ fleet: FleetFacts?) -> [Finding] {
        let ofMachine =
            [executables(machine), protocolVersion(machine)] + libraries(machine)
            + [openFiles(machine, fleet), memory(machine, fleet)] + disks(machine) + storage(machine)
            + [clock(machine), timeZones(machine)]
        guard let fleet else {
            let text = "none here or above; `fleet up` creates one"
            return ofMachine + [.ok("run directory", text), port(machine, nil)].compactMap { $0 }
        }
        return ofMachine + runDirectory(fleet) + processes(fleet)
            + network(fleet.network, at: machine.wall) + [port(machine, fleet)].compactMap { $0 }
    }

    private static func executables(_ facts: MachineFacts) -> Finding {
        let missing = facts.executables.filter { !$0.canRun }.map(\.path)
        guard missing.isEmpty else {
            return .problem(
                "executables", "missing, or cannot be run: \(missing.joined(separator: ", "))",
                mend: "build everything with `make build`: they must be in one directory")
        }
        return .ok("executables", "all \(facts.executables.count) are in one directory")
    }

    private static func protocolVersion(_ facts: MachineFacts) -> Finding {
        let ours = String(Limits.protocolVersion)
        guard let versions = facts.controller else {
            return .problem(
                "protocol", "the controller's executable does not report its version",
                mend: "run `controller --version` to see the error")
        }
        guard versions["protocol"] == ours else {
            return .problem(
                "protocol", "this is version \(ours), the controller's \(versions["protocol"] ?? "unknown")",
                mend: "use executables of the same build")
        }
        return .ok("protocol", "version \(ours)")
    }

    private static func timeZones(_ facts: MachineFacts) -> Finding {
        guard facts.hasTimeZones else {
            return .warning(
                "time zones", "\(facts.zoneDirectory) has none, so schedules and rosters can use UTC only",
                mend: "install the package tzdata, and restart the fleet")
        }
        return .ok("time zones", "in \(facts.zoneDirectory)")
    }

    private static func libraries(_ facts: MachineFacts) -> [Finding] {
        let controller = facts.controller
        var findings = [library("libzmq", facts.libzmq, atLeast: (4, 3))]
        if let theirs = controller?["libzmq"], theirs != facts.libzmq {
            findings.append(
                .warning(
                    "libzmq", "`fleet` uses \(facts.libzmq), the controller \(theirs)",
                    mend: "use executables of the same build, on one machine"))
        }
        guard let controller else { return findings }
        findings.append(library("libsodium", controller["libsodium"], atLeast: (1, 0)))
        findings.append(library("SQLite", controller["SQLite"], atLeast: (3, 35)))
        return findings
    }

    private static func library(
        _ name: String, _ version: String?, atLeast least: (major: Int, minor: Int)
    ) -> Finding {
        let parts = (version ?? "").split(separator: ".").compactMap { Int($0) }
        guard let version, parts.count >= 2 else {
            return .problem(name, "unknown version", mend: "install it with `make dependencies`")
        }
        guard (parts[0], parts[1]) >= (least.major, least.minor) else {
            return .problem(
                name, "\(version) is too old: \(least.major).\(least.minor) or newer is needed",
                mend: "install a newer version with `make dependencies`, and build again")
        }
        return .ok(name, version)
    }

    private static func openFiles(_ facts: MachineFacts, _ fleet: FleetFacts?) -> Finding {
        guard let limit = facts.openFilesLimit else { return .ok("open files", "no limit") }
        let nodes = max(1, UInt64(fleet?.nodes.count ?? 0))
        let needed = FleetNeeds(devices: 0, nodes: Int(nodes)).openFiles
        let need = nodes == 1 ? "1 node needs \(needed)" : "\(nodes) nodes need \(needed)"
        let text = "a process may have \(limit) files open, and \(need)"
        let advice = "raise it before `fleet up`: ulimit -n \(needed + clientOpenFiles)"
        if limit < needed { return .problem("open files", text, mend: advice) }
        if limit < needed + clientOpenFiles {
            return .warning("open files", "\(text); many observers may exhaust it", mend: advice)
        }
        return .ok("open files", text)
    }

    private static func memory(_ facts: MachineFacts, _ fleet: FleetFacts?) -> Finding {
        guard let available = facts.availableMemoryBytes else {
            return .warning("memory", "the system does not report free memory", mend: "check /proc/meminfo")
        }
        let text = "\(megabytes(available)) free"
        if available < leastMemoryBytes {
            return .problem(
                "memory", "\(text), and checking a password takes 64 MiB",
                mend: "stop programs that use much memory")
        }
        guard case .report(let report)? = fleet?.answer else { return .ok("memory", text) }
        let needed = UInt64(report.devices) * FleetNeeds.deviceBytes
        guard available >= needed else {
            return .warning(
                "memory", "\(text), and \(report.devices) devices may need \(megabytes(needed))",
                mend: "start fewer devices, or stop programs that use much memory")
        }
        return .ok("memory", text)
    }

    private static func disks(_ facts: MachineFacts) -> [Finding] {
        let home = MachineFacts.Disk(path: facts.diskPath, freeBytes: facts.freeDiskBytes)
        return ([home] + facts.otherDisks).map(disk)
    }

    private static func disk(_ disk: MachineFacts.Disk) -> Finding {
        guard let free = disk.freeBytes else {
            return .warning(
                "disk", "the system does not report the free space at \(disk.path)",
                mend: "check with `df \(disk.path)`")
        }
        guard free >= fullDiskBytes else {
            return .problem(
                "disk",
                "the disk of \(disk.path) is full: nothing can be committed, and commands end as busy",
                mend: "free space there: the fleet continues without a restart")
        }
        let text = "\(megabytes(free)) free at \(disk.path)"
        let advice = "free space there, or use another directory with --run-dir"
        if free < leastDiskBytes { return .problem("disk", text, mend: advice) }
        return free < comfortableDiskBytes ? .warning("disk", text, mend: advice) : .ok("disk", text)
    }

    private static func clock(_ facts: MachineFacts) -> Finding {
        guard facts.wall >= earliestTime else {
            return .problem(
                "clock", "shows \(TimeText.iso8601(facts.wall)), which is wrong; request IDs depend on it",
                mend: "set it: timedatectl set-ntp true")
        }
        return .ok("clock", TimeText.iso8601(facts.wall))
    }

    private static func megabytes(_ bytes: UInt64) -> String { "\(bytes >> 20) MiB" }
}

extension Checkup {
    private static let secrets: Set<String> = ["session.json", "observer-session.json", "demo-password"]

    static func runDirectory(_ facts: FleetFacts) -> [Finding] {
        let mending = way(facts) + permissions(facts)
        let fine = Finding.ok("run directory", "only you can access \(facts.path)")
        return (mending.isEmpty ? [fine] : mending) + leftOvers(facts)
    }

    /// Whether another user can replace the directory, or has put a symbolic link in its place. Its own owner
    /// and mode are findings of ``permissions(_:)``.
    private static func way(_ facts: FleetFacts) -> [Finding] {
        switch facts.objection {
        case nil, .openToOthers?, .foreignDirectory?: []
        case let objection?:
            [
                .problem(
                    "run directory", "\(objection)",
                    mend: "choose another run directory: commands refuse one that another user can replace")
            ]
        }
    }

    private static func permissions(_ facts: FleetFacts) -> [Finding] {
        facts.files.flatMap { file in
            let path = file.name == "." ? facts.path : "\(facts.path)/\(file.name)"
            var findings: [Finding] = []
            if file.owner != facts.user {
                findings.append(
                    .problem(
                        "run directory", "\(path) belongs to user \(file.owner), and you are \(facts.user)",
                        mend: "as root: chown -R \(facts.user) \(facts.path)"))
            }
            if file.permissions & 0o077 != 0, file.name == "." || secrets.contains(file.name) {
                let wanted = file.name == "." ? "700" : "600"
                findings.append(
                    .problem(
                        "run directory",
                        "\(path) is accessible to other users (mode \(String(file.permissions, radix: 8)))",
                        mend: "chmod \(wanted) \(path)"))
            }
            return findings
        }
    }

    /// Socket files without a process that holds the lock.
    private static func leftOvers(_ facts: FleetFacts) -> [Finding] {
        let left = facts.sockets.filter { name in
            facts.holders[name == FleetSocket.supervisor.fileName ? "supervisor" : "controller"] == nil
        }
        guard !left.isEmpty else { return [.ok("sockets", "no leftover files")] }
        return [
            .warning(
                "sockets", "left by killed processes: \(left.joined(separator: ", "))",
                mend: "harmless: the next `fleet up` replaces them")
        ]
    }
}

/// Findings about the file system of the run directory, on which `--durability power` depends.
extension Checkup {
    static func storage(_ facts: MachineFacts) -> [Finding] {
        guard let probe = facts.storage else { return [] }
        let text = "\(probe.fileSystem); a sync takes \(DurationText.text(probe.sync))"
        // Most fleets do not need it.
        let concern = probe.concerns.first.map { "; not for --durability power: \($0)" } ?? ""
        return [.ok("storage", text + concern)]
    }
}

extension StorageProbe {
    /// Says why requests may not survive a power failure although they should.
    static func notify(_ durability: Durability, of directory: RunDirectory, in surroundings: Surroundings) {
        guard durability == .power,
            let probe = try? StorageProbe(ofJournalIn: directory, now: { surroundings.now().monotonic })
        else { return }
        for concern in probe.concerns {
            surroundings.notify("fleet: --durability power is not kept in \(directory): \(concern)")
        }
    }
}
