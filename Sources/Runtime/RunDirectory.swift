import FoundationEssentials

/// Where one fleet keeps its sockets, locks, logs, journal and sessions.
///
/// Nobody but its owner may enter it: that is what protects the sockets.
public struct RunDirectory: Hashable, Sendable, CustomStringConvertible {
    /// The name of a run directory that nobody named.
    public static let defaultName = ".sensibus"
    /// The variable of the environment that names one.
    public static let environmentVariable = "SENSIBUS_RUN_DIR"

    /// Absolute, without `.`, `..`, doubled or trailing slashes.
    public let path: String

    /// The run directory at a path, which need not exist; a relative path starts at the working directory.
    public init(path: String) {
        self.init(path: path, relativeTo: FileManager.default.currentDirectoryPath)
    }

    /// The run directory at a path, which need not exist.
    ///
    /// - Parameter directory: Where a relative path starts; absolute.
    public init(path: String, relativeTo directory: String) {
        self.path = Self.normalised(path.hasPrefix("/") ? path : "\(directory)/\(path)")
    }

    /// The path that somebody named, nil if nobody did: that of `--run-dir`, or of ``environmentVariable``.
    public static func named(_ explicit: String?, environment: [String: String]) -> String? {
        explicit ?? environment[environmentVariable].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The run directory of a fleet that somebody has started.
    ///
    /// - Parameters:
    ///   - explicit: What `--run-dir` says; it wins.
    ///   - environment: Where ``environmentVariable`` comes second.
    ///   - cwd: Absolute; third is ``defaultName`` there, or in the nearest directory above that has one.
    /// - Throws: `noFleet` when there is a directory neither at the path named nor at any place searched; as
    ///   ``check()`` for one that other users could have made, or can look into.
    public static func find(
        explicit: String?, environment: [String: String], startingAt cwd: String
    ) throws(RuntimeError) -> RunDirectory {
        let directory = try locate(explicit: explicit, environment: environment, startingAt: cwd)
        try directory.check()
        return directory
    }

    /// The run directory that ``find(explicit:environment:startingAt:)`` means, before it is checked.
    ///
    /// Nothing in it may be believed, and no secret given to it.
    ///
    /// - Throws: `noFleet`.
    public static func locate(
        explicit: String?, environment: [String: String], startingAt cwd: String
    ) throws(RuntimeError) -> RunDirectory {
        if let named = named(explicit, environment: environment) {
            let directory = RunDirectory(path: named, relativeTo: cwd)
            guard directory.leadsToDirectory else { throw .noFleet(searched: directory.path) }
            return directory
        }
        var place = normalised(cwd)
        while true {
            let candidate = RunDirectory(path: defaultName, relativeTo: place)
            if candidate.leadsToDirectory { return candidate }
            guard place != "/" else { throw .noFleet(searched: "\(normalised(cwd)) or above") }
            place = normalised("\(place)/..")
        }
    }

    private var leadsToDirectory: Bool { FileStatus(following: path)?.isDirectory == true }

    /// Refuses a directory that another user can have made, can look into, or can replace.
    ///
    /// - Throws: `symbolicLink`, `notDirectory`, `foreignDirectory`, `openToOthers`, `foreignParent` or
    ///   `writableParent`.
    public func check() throws(RuntimeError) {
        try PrivateDirectory(path: path).check()
    }

    /// The path.
    public var description: String { path }

    /// What a process holds while it runs, so that there is no second one.
    public func lockFile(for process: String) -> String { "\(path)/\(process).lock" }

    /// The controller's epoch, users, sessions and failed log-ins.
    public var storeFile: String { "\(path)/controller.sqlite" }

    /// The controller's journal of requests.
    public var journalDirectory: String { "\(path)/journal" }

    /// Where the memory of devices is.
    public var memoryDirectory: String { "\(path)/memory" }

    /// What a node's devices remember.
    public func memoryFile(of node: String) -> String { "\(memoryDirectory)/\(node).entries" }

    /// Makes the directory of the devices' memory, unless it is there, and checks it.
    ///
    /// - Throws: As ``create(environment:)``.
    public func createMemoryDirectory() throws(RuntimeError) {
        try PrivateDirectory(path: memoryDirectory).create()
    }

    /// Makes the directory itself, unless it is there, and checks it; the directory above must exist.
    ///
    /// - Throws: As ``create(environment:)``.
    public func makePrivate() throws(RuntimeError) {
        try PrivateDirectory(path: path).create()
    }

    /// Where logs are.
    public var logDirectory: String { "\(path)/logs" }

    /// What a process says on its standard output and error.
    public func logFile(of name: String) -> String { "\(logDirectory)/\(name).log" }

    /// The session of the commands.
    public var sessionFile: String { "\(path)/session.json" }

    /// The session of the observer.
    public var observerSessionFile: String { "\(path)/observer-session.json" }

    /// The roster as the observer has loaded it last.
    public var observerRosterFile: String { "\(path)/observer-roster.json" }

    /// The password of the demo account.
    public var demoPasswordFile: String { "\(path)/demo-password" }

    private static func normalised(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }
}
