import FleetProtocol
import FoundationEssentials
import Glibc
import ProcessSupport
import UserText

/// What `fleet status` reads from the run directory and the machine, beside the reports of the processes.
struct StatusDetails: Equatable, Sendable {
    /// The session that the commands use; nil if no user is logged in here.
    var session: StoredSession?
    /// The bytes of the fleet's files.
    var storage = StorageUse()
    /// What stored requests survive; nil unless a controller runs on this machine.
    var durability: String?
    /// The problems and warnings of `fleet doctor`; nil if it did not examine the fleet.
    var findings: [Finding]?

    /// Reads the details of a run directory.
    ///
    /// - Parameter session: The session that the commands use.
    init(of directory: RunDirectory, session: StoredSession?, findings: [Finding]?) {
        self.session = session
        storage = StorageUse(of: directory)
        durability = LockTable.holder(of: directory.lockFile(for: "controller")).flatMap(Self.durability)
        self.findings = findings
    }

    /// No details.
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

    /// The members of the object for scripts.
    var members: JSONObject {
        [
            "version": ProgramVersion.release, "protocol": Limits.protocolVersion,
            "user": session?.email.description, "role": session?.role.name,
            "userAccount": session?.account.name, "storage": storage.json, "durability": durability,
        ]
    }
}

/// The bytes of a fleet's files.
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

    /// The sizes for people.
    var text: String {
        "journal \(Self.size(journal)), devices' memory \(Self.size(memory)), store \(Self.size(store)), "
            + "logs \(Self.size(logs))"
    }

    /// The object for scripts.
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
        do {
            return try FileManager.default.contentsOfDirectory(atPath: directory)
                .reduce(0) { $0 + bytes(of: "\(directory)/\($1)") }
        } catch {
            return 0
        }
    }
}
