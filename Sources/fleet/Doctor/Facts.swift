import FleetProtocol
import Glibc
import Runtime
import Stepping
import Wording

/// What `fleet doctor` looks at that is one fleet's.
struct FleetFacts: Equatable, Sendable {
    /// A file or directory of the run directory.
    struct File: Equatable, Sendable {
        /// Its name within the run directory; `.` for that itself.
        let name: String
        /// The user it belongs to.
        let owner: UInt32
        /// Who may do what, the nine bits of `chmod`.
        let permissions: UInt32
    }

    /// What became of asking the controller.
    enum Answer: Equatable, Sendable {
        /// It told how the devices are.
        case report(StatusReport)
        /// It was not asked: nobody has logged in; why not, in words.
        case noSession(String)
        /// It answered that it does not know the session.
        case unauthenticated
        /// It did not answer; why, in words.
        case silence(String)
    }

    /// Where the run directory is.
    var path: String
    /// The user who asks.
    var user: UInt32
    /// What is in the run directory.
    var files: [File]
    /// The reason why the run directory cannot be trusted, and its processes are not asked; nil when it can.
    var objection: RuntimeError?
    /// The bytes of the longest socket's path in the run directory.
    var socketPathBytes: Int
    /// Whether the sockets are in a short directory that the run directory leads to.
    var areSocketsLinked: Bool
    /// The names of the socket files that are there.
    var sockets: [String]
    /// Who holds which lock: process ids by the process's name.
    var holders: [String: Int32]
    /// The supervisor's processes; nil when none answered.
    var processes: [FleetProcess]?
    /// The supervisor's summary; nil likewise.
    var summary: FleetSummary?
    /// Where people find the fleet.
    var place: FleetPlace
    /// The processes of this fleet that are stopped, by their names.
    var stopped: [String: Int32] = [:]
    /// What the controller answered; nil when no controller is there to be asked.
    var answer: Answer?

    /// The supervisor's nodes.
    var nodes: [FleetProcess] { (processes ?? []).filter { $0.name.hasPrefix("node-") } }
}

/// What `fleet doctor` looks at that is the machine's or the installation's.
struct MachineFacts: Equatable, Sendable {
    /// A program of the fleet.
    struct Executable: Equatable, Sendable {
        /// Where it should be.
        let path: String
        /// Whether it is there and may be run.
        let canRun: Bool
    }

    /// A disk with files of the fleet.
    struct Disk: Equatable, Sendable {
        /// A directory on it.
        let path: String
        /// Bytes free there; nil when the system does not say.
        let freeBytes: UInt64?
    }

    /// The programs beside `fleet`.
    var executables: [Executable]
    /// The libzmq of this process.
    var libzmq: String
    /// What the controller's executable says of itself; nil when it cannot be run.
    var controller: ComponentVersions?
    /// Files that one process may have open; nil for no limit.
    var openFilesLimit: UInt64?
    /// Bytes of memory that are free, or soon are; nil when the system does not say.
    var availableMemoryBytes: UInt64?
    /// Where the fleet's files go, or would.
    var diskPath: String
    /// Bytes free there; nil when the system does not say.
    var freeDiskBytes: UInt64?
    /// Parts of the run directory on disks of their own.
    var otherDisks: [Disk] = []
    /// The ports at which programs listen.
    var ports = PortTable()
    /// The clock that people set.
    var wall: WallTime
}

/// The locks of the machine as `/proc/locks` lists them.
///
/// Looking there takes no lock: a process that starts at that moment is not kept from it.
struct LockTable: Sendable {
    private var holders: [String: Int32] = [:]

    /// The table in that text: lines such as `1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF`.
    init(_ text: String) {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            // A line with an arrow is of somebody who waits.
            guard words.count >= 6, words[1] == "FLOCK", let holder = Int32(words[4]) else { continue }
            let file = words[5].split(separator: ":")
            if let inode = file.last { holders[String(inode)] = holder }
        }
    }

    /// The process that holds the file at a path now; nil for none.
    static func holder(of path: String) -> Int32? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return LockTable(SystemFile.text(of: "/proc/locks")).holder(ofInode: UInt64(status.st_ino))
    }

    /// The process that holds the file of that inode; nil for none.
    func holder(ofInode inode: UInt64) -> Int32? { holders[String(inode)] }
}

/// The TCP ports of the machine at which programs listen, as `/proc/net/tcp` and `/proc/net/tcp6` list them.
struct PortTable: Equatable, Sendable {
    /// The state of a socket that listens.
    private static let listening = "0A"

    private let ports: Set<UInt16>

    /// The ports in those texts: lines such as `0: 0100007F:21FD 00000000:0000 0A …`.
    init(_ texts: String...) {
        ports = Set(
            texts.flatMap { $0.split(separator: "\n") }.compactMap { line in
                let words = line.split(separator: " ")
                guard words.count >= 4, words[3] == Self.listening else { return nil }
                return words[1].split(separator: ":").last.flatMap { UInt16($0, radix: 16) }
            })
    }

    /// Whether a program listens at a port.
    func has(_ port: UInt16) -> Bool { ports.contains(port) }
}

/// The state of a process as `/proc/PID/stat` has it.
enum ProcessLook {
    /// Whether a process is stopped, by SIGSTOP or a debugger; false for one that is not there.
    static func isStopped(_ processID: Int32) -> Bool {
        isStopped(stat: SystemFile.text(of: "/proc/\(processID)/stat"))
    }

    /// As above, for the text of the file: `42 (name) T …`, where the name may have blanks and brackets.
    static func isStopped(stat: String) -> Bool {
        guard let name = stat.lastIndex(of: ")") else { return false }
        let state = stat[name...].dropFirst(2).first
        return state == "T" || state == "t"
    }
}

/// The versions that `controller --version` tells.
struct ComponentVersions: Equatable, Sendable {
    private let versions: [String: String]

    /// The versions in lines of a name, a blank and a version; other lines do not count.
    init(_ text: String) {
        let pairs = text.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1) }
        versions = Dictionary(
            pairs.filter { $0.count == 2 }.map { (String($0[0]), String($0[1])) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The version of one component; nil when there was no line of it.
    subscript(name: String) -> String? { versions[name] }
}

/// What a check of `fleet doctor` found.
struct Finding: Equatable, Sendable {
    /// How bad it is.
    enum Level: String, CaseIterable, Sendable {
        /// As it should be.
        case ok
        /// The fleet works, though not as well as it could.
        case warning
        /// Something does not work.
        case problem
    }

    /// How bad it is.
    let level: Level
    /// What was looked at.
    let subject: String
    /// What was found.
    let text: String
    /// How to mend it; empty where there is nothing to mend.
    let advice: String

    /// As it should be.
    static func ok(_ subject: String, _ text: String) -> Finding {
        Finding(level: .ok, subject: subject, text: text, advice: "")
    }

    /// Not as good as it could be.
    static func warning(_ subject: String, _ text: String, mend advice: String) -> Finding {
        Finding(level: .warning, subject: subject, text: text, advice: advice)
    }

    /// Something does not work.
    static func problem(_ subject: String, _ text: String, mend advice: String) -> Finding {
        Finding(level: .problem, subject: subject, text: text, advice: advice)
    }

    /// The line for scripts.
    var json: JSONValue {
        [
            "level": .string(level.rawValue), "subject": .string(subject), "text": .string(text),
            "advice": advice.isEmpty ? .null : .string(advice),
        ]
    }

    /// The lines for people: how to mend it stands below.
    var lines: [String] {
        let word = level.rawValue
        let padding = String(repeating: " ", count: 9 - word.utf8.count)
        let line = "\(word)\(padding)\(SafeText.of(subject)): \(SafeText.of(text))"
        return advice.isEmpty ? [line] : [line, "         \(SafeText.of(advice))"]
    }
}
