import FleetProtocol
import FoundationEssentials
import Glibc
import ProcessSupport
import UserText

/// The content of `fleet status`: the controller's report joined with the supervisor's processes.
struct StatusSummary: Sendable {
    /// The controller's report; nil if it did not answer.
    let report: StatusReport?
    /// The nodes that are online, with their machines; of a fleet on the network only.
    var nodes: [CounterReport.Node] = []
    let processes: [FleetProcess]?
    var fleet: FleetSummary?
    /// The run directory, page and demo account of the fleet.
    let place: FleetLocation
    var connection: FleetConnection?
    var listening: NetworkAddress?
    /// The process ID of a supervisor that did not answer; nil if it answered or is not running.
    var silentSupervisor: Int32?
    /// What the run directory and the machine tell.
    var details = StatusDetails()

    var json: JSONObject { members + details.members }

    private var members: JSONObject {
        [
            "devices": report?.devices, "online": report?.online, "stale": report?.stale,
            "offline": report?.offline, "togglesPerSecond": report?.togglesPerSecond,
            "epoch": report?.epoch.value, "processes": (processes ?? []).map(Self.json),
            "runDir": place.runDirectory, "scenario": fleet?.scenario,
            "uptimeSeconds": fleet.map { $0.uptime.wholeMilliseconds / 1_000 }, "page": place.page,
            "account": place.passwordFile.map { _ in place.demo.account.name },
            "email": place.passwordFile.map { _ in place.demo.email.address },
            "passwordFile": place.passwordFile, "listen": listening?.description,
            "connect": connection?.membership?.address.description, "nodes": nodes.map(Self.json),
            "conflicts": (report?.conflicts ?? []).map(Self.json),
        ]
    }

    var lines: [String] {
        (reportLines + placeLines + details.lines + processLines + nodeLines).map(Program.worded)
    }

    private var nodeLines: [String] {
        guard listening != nil || connection?.membership != nil, !nodes.isEmpty else { return [] }
        let columns: [TextTable.Column<CounterReport.Node>] = [
            ("NODE", .left, { $0.name.text }), ("HOST", .left, { $0.host }),
            ("DEVICES", .right, { String($0.devices) }),
        ]
        return TextTable(of: nodes, columns).lines
    }

    private var placeLines: [String] {
        [
            fleet.map { "scenario  \(SafeText.of($0.scenario)), up for \(TimeText.age($0.uptime))" },
            "run dir   \(place.runDirectory)",
            listening.map { "network   \($0)" },
            connection?.membership.map {
                "fleet     \($0.address), joined as \($0.rights.role.name) \($0.rights.name)"
            },
            place.page.map { "page      \($0)" },
            place.account.map { "account   \($0)" },
        ].compactMap { $0 }
    }

    private var reportLines: [String] {
        guard let report else { return ["device counts unavailable: no answer from the controller"] }
        let unknown = report.unknown > 0 ? ", \(report.unknown) not seen yet" : ""
        let rate = (report.togglesPerSecond * 10).rounded() / 10
        return [
            "\(report.online) of \(report.devices) devices online, \(report.stale) stale, "
                + "\(report.offline) offline\(unknown)",
            "\(rate) toggles/s, \(report.pending) pending, loop lag \(report.loopLagUs) µs, "
                + "epoch \(report.epoch)",
            report.online < report.devices
                ? "`fleet devices --filter 'not online'` lists the devices that are not online" : nil,
        ].compactMap { $0 } + report.conflicts.map { "\($0.node): \(SafeText.of($0.text))" }
    }

    private var processLines: [String] {
        guard let processes else {
            guard let silentSupervisor else {
                return connection?.membership == nil ? ["no fleet is running here"] : []
            }
            return ["the supervisor (pid \(silentSupervisor)) does not answer: run `fleet doctor`"]
        }
        let columns: [TextTable.Column<FleetProcess>] = [
            ("PROCESS", .left, { $0.name }), ("PID", .right, { $0.processID.map(String.init) ?? "-" }),
            ("STATE", .left, { $0.state.name }), ("RESTARTS", .right, { String($0.restarts) }),
            ("LAST END", .left, { $0.lastEnd }),
        ]
        return TextTable(of: processes, columns).lines
    }

    private static func json(_ node: CounterReport.Node) -> JSONObject {
        ["name": node.name.text, "host": node.host, "devices": node.devices]
    }

    private static func json(_ conflict: NodeConflict) -> JSONObject {
        func json(_ run: NodeRun) -> JSONObject { ["host": run.host, "boot": run.bootID.description] }
        return [
            "node": conflict.node.text, "serving": json(conflict.serving), "refused": json(conflict.refused),
        ]
    }

    private static func json(_ process: FleetProcess) -> JSONObject {
        ["name": process.name, "pid": process.processID, "state": process.state.name]
    }
}

extension NodeConflict {
    var text: String { "two processes run: \(serving) has the devices, and \(refused) is refused" }
}

/// What `fleet status` reads from the run directory and the machine, beside the reports of the processes.
struct StatusDetails: Equatable, Sendable {
    /// The session that the commands use; nil if no user is logged in here.
    var session: StoredSession?
    var storage = StorageUse()
    /// What stored requests survive; nil unless a controller runs on this machine.
    var durability: String?
    /// The problems and warnings of `fleet doctor`; nil if it did not examine the fleet.
    var findings: [Finding]?

    init(of directory: RunDirectory, session: StoredSession?, findings: [Finding]?) {
        self.session = session
        storage = StorageUse(of: directory)
        durability = LockTable.holder(of: directory.lockFile(for: "controller")).flatMap(Self.durability)
        self.findings = findings
    }

    init() {}

    /// The value of `--durability` with which a controller was started.
    private static func durability(of controller: Int32) -> String? {
        let words = SystemFile.text(of: "/proc/\(controller)/cmdline").split(separator: "\0")
        return words.firstIndex(of: "--durability").flatMap { place in
            words.indices.contains(place + 1) ? String(words[place + 1]) : nil
        }
    }

    var lines: [String] {
        [
            "version   \(ProgramVersion.summary)",
            "session   "
                + (session.map { "\($0.email), \($0.role.name) of account \($0.account)" }
                    ?? "none: log in with `fleet login`"),
            "storage   \(storage.text)" + (durability.map { "; durability \($0)" } ?? ""),
            findings.map { "doctor    \(Self.text(of: $0))" },
        ].compactMap { $0 }
    }

    private static func text(of findings: [Finding]) -> String {
        let problems = findings.count { $0.level == .problem }
        let warnings = findings.count { $0.level == .warning }
        guard let first = findings.first(where: { $0.level == .problem }) ?? findings.first else {
            return "no problems"
        }
        let counts = [
            problems > 0 ? Count.of(problems, "problem") : nil,
            warnings > 0 ? Count.of(warnings, "warning") : nil,
        ].compactMap { $0 }.joined(separator: ", ")
        return "\(counts), such as \(first.subject): \(SafeText.of(first.text)); see `fleet doctor`"
    }

    var members: JSONObject {
        [
            "version": ProgramVersion.release, "protocol": Limits.protocolVersion,
            "user": session?.email.description, "role": session?.role.name,
            "userAccount": session?.account.name, "storage": storage.json, "durability": durability,
        ]
    }
}

struct StorageUse: Equatable, Sendable {
    var journal: UInt64 = 0
    var memory: UInt64 = 0
    /// The accounts, users and services.
    var store: UInt64 = 0
    var logs: UInt64 = 0

    init() {}

    init(of directory: RunDirectory) {
        journal = Self.bytes(in: directory.journalDirectory)
        memory = Self.bytes(in: directory.memoryDirectory)
        logs = Self.bytes(in: directory.logDirectory)
        store = ["", "-wal", "-shm"].reduce(0) { $0 + Self.bytes(of: directory.storeFile + $1) }
    }

    var text: String {
        "journal \(Self.size(journal)), devices' memory \(Self.size(memory)), store \(Self.size(store)), "
            + "logs \(Self.size(logs))"
    }

    var json: JSONObject {
        ["journalBytes": journal, "memoryBytes": memory, "storeBytes": store, "logBytes": logs]
    }

    private static func size(_ bytes: UInt64) -> String {
        switch bytes {
        case ..<(1 << 20): "\((bytes + 1_023) >> 10) KiB"
        case ..<(1 << 30): "\(bytes >> 20) MiB"
        default: "\(Double(bytes * 10 >> 30) / 10) GiB"
        }
    }

    private static func bytes(of file: String) -> UInt64 { UInt64(FileStatus(of: file)?.bytes ?? 0) }

    /// The bytes of the files in a directory; 0 if it cannot be read.
    private static func bytes(in directory: String) -> UInt64 {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.reduce(0) { $0 + bytes(of: "\(directory)/\($1)") }
    }
}
