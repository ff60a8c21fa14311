import FleetProtocol
import Glibc
import ProcessSupport
import UserText

struct FleetFacts: Equatable, Sendable {
    struct File: Equatable, Sendable {
        /// The name within the run directory; `.` for the run directory.
        let name: String
        let owner: UInt32
        /// The nine permission bits of `chmod`.
        let permissions: UInt32
    }

    enum StatusReply: Equatable, Sendable {
        case report(StatusReport)
        /// The request was not sent: no session file can be used; the reason.
        case noSession(String)
        case unauthenticated
        case silence(String)
    }

    var path: String
    /// The effective user ID of this process.
    var user: UInt32
    /// The run directory and its entries, without symbolic links.
    var files: [File]
    /// Why the run directory cannot be trusted, so that its processes are not asked; nil when it can.
    var objection: RuntimeError?
    var sockets: [String]
    /// The process ID of each lock's holder, by the lock's name.
    var holders: [String: Int32]
    /// The supervisor's list of processes; nil when it was not asked or did not answer.
    var processes: [FleetProcess]?
    /// The supervisor's summary; nil in the same cases.
    var summary: FleetSummary?
    var place: FleetLocation
    /// The process IDs of stopped processes, by process name.
    var stopped: [String: Int32] = [:]
    /// The result of the status request; nil after an objection, or when no controller holds its lock.
    var answer: StatusReply?

    var network = NetworkFacts()

    var nodes: [FleetProcess] { (processes ?? []).filter { $0.name.hasPrefix("node-") } }
}

struct MachineFacts: Equatable, Sendable {
    struct Executable: Equatable, Sendable {
        /// The path at which it is expected.
        let path: String
        let canRun: Bool
    }

    struct Disk: Equatable, Sendable {
        let path: String
        /// Bytes free there; nil when the system does not report them.
        let freeBytes: UInt64?
    }

    /// The other executables, which are expected in the directory of `fleet`.
    var executables: [Executable]
    /// The version of libzmq in this process.
    var libzmq: String
    /// The output of `controller --version`; nil when the executable fails or does not answer in time.
    var controller: ComponentVersions?
    /// The limit of open files for one process; nil for no limit.
    var openFilesLimit: UInt64?
    /// Bytes of free or reclaimable memory; nil when the system does not report them.
    var availableMemoryBytes: UInt64?
    /// The run directory; without one, the working directory.
    var diskPath: String
    /// Bytes free there; nil when the system does not report them.
    var freeDiskBytes: UInt64?
    /// Directories of the run directory that are on other file systems.
    var otherDisks: [Disk] = []
    /// The file system of the run directory; nil without a run directory that can be trusted.
    var storage: StorageProbe?
    var ports = PortTable()
    /// Where the IANA Time Zone Database is expected.
    var zoneDirectory: String
    var hasTimeZones: Bool
    var wall: WallTime
}

/// The `flock` locks of the machine, from `/proc/locks`. Reading that file takes no lock, so it cannot make a
/// process that starts at that moment fail.
struct LockTable: Sendable {
    private var holders: [String: Int32] = [:]

    /// Parses lines such as `1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF`.
    init(_ text: String) {
        for line in text.split(separator: "\n") {
            let columns = line.split(separator: " ")
            // The second word is `->` on the line of a process that waits for the lock.
            guard columns.count >= 6, columns[1] == "FLOCK", let holder = Int32(columns[4]) else { continue }
            let file = columns[5].split(separator: ":")
            if let inode = file.last { holders[String(inode)] = holder }
        }
    }

    static func holder(of path: String) -> Int32? {
        FileStatus(of: path).flatMap {
            LockTable(SystemFile.text(of: "/proc/locks")).holder(ofInode: $0.inode)
        }
    }

    func holder(ofInode inode: UInt64) -> Int32? { holders[String(inode)] }
}

/// The TCP ports on which programs listen, from `/proc/net/tcp` and `/proc/net/tcp6`.
struct PortTable: Equatable, Sendable {
    /// The code of the socket state LISTEN.
    private static let listening = "0A"

    private let ports: Set<UInt16>

    /// Parses lines such as `0: 0100007F:21FD 00000000:0000 0A …`.
    init(_ texts: String...) {
        ports = Set(
            texts.flatMap { $0.split(separator: "\n") }.compactMap { line in
                let columns = line.split(separator: " ")
                guard columns.count >= 4, columns[3] == Self.listening else { return nil }
                return columns[1].split(separator: ":").last.flatMap { UInt16($0, radix: 16) }
            })
    }

    func has(_ port: UInt16) -> Bool { ports.contains(port) }
}

/// The process state in `/proc/PID/stat`.
enum ProcessLook {
    /// Returns whether SIGSTOP or a debugger has stopped a process; false for one that does not exist.
    static func isStopped(_ processID: Int32) -> Bool {
        isStopped(stat: SystemFile.text(of: "/proc/\(processID)/stat"))
    }

    /// Parses the text of the file: `42 (name) T …`, where the name may contain blanks and parentheses.
    static func isStopped(stat: String) -> Bool {
        guard let name = stat.lastIndex(of: ")") else { return false }
        let state = stat[name...].dropFirst(2).first
        return state == "T" || state == "t"
    }
}

struct ComponentVersions: Equatable, Sendable {
    private let versions: [String: String]

    /// Parses lines of a name, a blank and a version; ignores other lines.
    init(_ text: String) {
        let pairs = text.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1) }
        versions = Dictionary(
            pairs.filter { $0.count == 2 }.map { (String($0[0]), String($0[1])) },
            uniquingKeysWith: { first, _ in first })
    }

    subscript(name: String) -> String? { versions[name] }
}

struct Finding: Equatable, Sendable {
    enum Level: String, CaseIterable, Sendable {
        case ok
        /// The fleet works, but not as well as it could.
        case warning
        case problem
    }

    let level: Level
    /// The subject of the check, such as `executables`.
    let subject: String
    let text: String
    /// The remedy; empty for a check that passed.
    let advice: String

    static func ok(_ subject: String, _ text: String) -> Finding {
        Finding(level: .ok, subject: subject, text: text, advice: "")
    }

    static func warning(_ subject: String, _ text: String, mend advice: String) -> Finding {
        Finding(level: .warning, subject: subject, text: text, advice: advice)
    }

    static func problem(_ subject: String, _ text: String, mend advice: String) -> Finding {
        Finding(level: .problem, subject: subject, text: text, advice: advice)
    }

    var json: JSONObject {
        ["level": level.rawValue, "subject": subject, "text": text, "advice": advice.nonEmpty]
    }

    /// The lines for the terminal; the second one is the remedy.
    var lines: [String] {
        let word = level.rawValue
        let padding = String(repeating: " ", count: 9 - word.utf8.count)
        let line = "\(word)\(padding)\(SafeText.of(subject)): \(SafeText.of(text))"
        let lines = advice.isEmpty ? [line] : [line, "         \(SafeText.of(advice))"]
        return lines.map(Program.worded)
    }
}
