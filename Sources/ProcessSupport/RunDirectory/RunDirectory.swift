import FoundationEssentials
import Glibc
public import Logging

/// The directory of one fleet's sockets, locks, logs, journal and sessions. Only its owner may enter it,
/// which protects the sockets.
public struct RunDirectory: Hashable, Sendable, CustomStringConvertible {
    /// The name of the run directory when neither option nor environment names one.
    public static let defaultName = ".sensibus"
    /// The environment variable with the path of the run directory.
    static let environmentVariable = "SENSIBUS_RUN_DIR"

    /// Absolute, without `.`, `..`, doubled or trailing slashes.
    public let path: String
    /// The path at which its files are opened: ``path``, or that of an open directory (``opened()``).
    package let root: String

    /// The run directory at an absolute path, which need not exist.
    public init(path: String) {
        precondition(path.hasPrefix("/"), "a relative path needs the directory where it starts")
        self.init(path: path, relativeTo: "/")
    }

    /// The run directory at a path, which need not exist; a relative one starts at the absolute directory.
    public init(path: String, relativeTo directory: String) {
        let path = Self.normalised(path.hasPrefix("/") ? path : "\(directory)/\(path)")
        self.init(path: path, root: path)
    }

    init(path: String, root: String) { (self.path, self.root) = (path, root) }

    /// Returns the path from `--run-dir`, or else from ``environmentVariable``; nil when both are missing.
    public static func named(_ explicit: String?, environment: [String: String]) -> String? {
        explicit ?? environment[environmentVariable]
    }

    /// The run directory to use or to create: that of `--run-dir`, of the environment, or the default one.
    public init(named explicit: String?, environment: [String: String], startingAt cwd: String) {
        self.init(path: Self.named(explicit, environment: environment) ?? Self.defaultName, relativeTo: cwd)
    }

    /// Returns the run directory of an existing fleet.
    ///
    /// The value of `--run-dir` has precedence, then ``environmentVariable``, then ``defaultName`` in the
    /// absolute path `cwd`, or in the nearest directory above with one. Throws `noFleet` when none of these
    /// is a directory; as ``check()`` for a directory that other users could have made, or can read.
    public static func find(
        explicit: String?, environment: [String: String], startingAt cwd: String
    ) throws(RuntimeError) -> RunDirectory {
        let directory = try locate(explicit: explicit, environment: environment, startingAt: cwd)
        try directory.check()
        return directory
    }

    /// Returns the same run directory as ``find(explicit:environment:startingAt:)``, without its check.
    ///
    /// Its contents are untrusted, and secrets must not be written to it.
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

    /// Refuses a directory that another user can have made, can read, or can replace.
    public func check() throws(RuntimeError) { try PrivateDirectory(path: path).check() }

    public var description: String { path }

    /// The path of the lock file that a process holds while it runs, so that a second instance cannot start.
    public func lockFile(for process: String) -> String { "\(root)/\(process).lock" }

    /// The controller's epoch, users, sessions and failed log-ins.
    public var storeFile: String { RunFile.store.path(in: self) }

    /// The controller's journal of requests.
    public var journalDirectory: String { "\(root)/journal" }

    public var memoryDirectory: String { "\(root)/memory" }

    /// The path of the device memory of a node.
    public func memoryFile(of node: String) -> String { "\(memoryDirectory)/\(node).entries" }

    /// Creates the directory of the device memory, unless it exists, and checks it.
    public func createMemoryDirectory() throws(RuntimeError) {
        try PrivateDirectory(path: memoryDirectory).create()
    }

    /// Creates the run directory, unless it exists, and checks it; the directory above must exist.
    public func makePrivate() throws(RuntimeError) { try PrivateDirectory(path: path).create() }

    public var logDirectory: String { "\(root)/logs" }

    /// The path of the log with a process's standard output and error.
    public func logFile(of name: String) -> String { "\(logDirectory)/\(name).log" }

    /// The session of the `fleet` commands.
    public var sessionFile: String { RunFile.session.path(in: self) }

    public var observerSessionFile: String { RunFile.observerSession.path(in: self) }

    /// The roster that the observer last loaded.
    public var observerRosterFile: String { RunFile.observerRoster.path(in: self) }

    public var demoPasswordFile: String { RunFile.demoPassword.path(in: self) }

    private static func normalised(_ path: String) -> String {
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }
}

extension RunDirectory {
    /// The email of the user of the demo account.
    public static let demoEmail = "demo@sensibus.local"

    /// Writes the demo account's password to a file of mode 0600.
    public func writeDemoPassword(_ password: String) throws(RuntimeError) {
        try PrivateFile(.demoPassword, in: self).replace(with: Array("\(password)\n".utf8))
    }

    /// Reads the demo account's password; nil for a missing file.
    public func readDemoPassword() throws(RuntimeError) -> String? {
        try PrivateFile(.demoPassword, in: self).firstLine()
    }
}

/// The files with the URL and the port of a fleet's gateway, which may choose its port. Only the supervised
/// gateway writes them. A gateway that was started by hand logs its address instead.
extension RunDirectory {
    /// The file of the `Idempotency-Key` values of Sensibo API clients.
    public var keyFile: String { RunFile.gatewayKeys.path(in: self) }

    /// Reads the URL of the supervised gateway; nil before it listens, and without one. A gateway that was
    /// killed leaves its last URL.
    public func gatewayURL() throws(RuntimeError) -> String? {
        try PrivateFile(.gatewayURL, in: self).firstLine()
    }

    /// Writes the URL of the supervised gateway.
    public func recordGateway(url: String) throws(RuntimeError) {
        try PrivateFile(.gatewayURL, in: self).replace(with: Array("\(url)\n".utf8))
    }

    /// Removes the URL, because the gateway no longer listens.
    public func removeGateway() throws(RuntimeError) { try PrivateFile(.gatewayURL, in: self).remove() }

    /// Reads the port that the gateway chose last, and chooses again; nil when it never chose one.
    public func gatewayPort() throws(RuntimeError) -> UInt16? {
        try PrivateFile(.gatewayPort, in: self).firstLine().flatMap { UInt16($0) }
    }

    /// Writes the port that the gateway chose; the file outlives the fleet.
    public func recordGatewayPort(_ port: UInt16) throws(RuntimeError) {
        guard try gatewayPort() != port else { return }
        try PrivateFile(.gatewayPort, in: self).replace(with: Array("\(port)\n".utf8))
    }
}

/// The seed of the fleet whose state the run directory has, from which the device IDs derive.
extension RunDirectory {
    /// Writes the seed of the starting fleet; throws `otherSeed` for device memory of another seed.
    public func claim(seed: UInt64) throws(RuntimeError) {
        let former = try self.seed()
        guard former != seed else { return }
        if let former, hasMemory { throw .otherSeed(path: path, former: former, wanted: seed) }
        try PrivateFile(.seed, in: self).replace(with: Array("\(seed)\n".utf8))
    }

    /// Reads the seed of the fleet that was started last; nil before the first.
    public func seed() throws(RuntimeError) -> UInt64? {
        try PrivateFile(.seed, in: self).firstLine().flatMap { UInt64($0) }
    }

    /// Whether a node has stored the memory of devices here.
    private var hasMemory: Bool {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: memoryDirectory)
                .contains { $0.hasSuffix(".entries") }
        } catch {
            return false
        }
    }
}

/// The files with the IDs of the processes that serve, from which the supervisor knows whether a process that
/// died had served.
extension RunDirectory {
    private func serviceFile(of name: String) -> String { "\(root)/\(name).serving" }

    /// Writes the ID of the calling process, which has begun to serve, such as `controller`.
    public func recordService(of name: String) throws(RuntimeError) {
        let path = serviceFile(of: name)
        let descriptor = try OwnFile.open(path, O_RDWR | O_CREAT)
        defer { close(descriptor) }
        try ProcessIDLine.write(to: descriptor, path: path)
    }

    /// Writes the ID of the calling process, if it has a supervisor; a failed write is logged. Without the
    /// file the supervisor waits before it restarts the process.
    public func recordService(of name: String, under supervisor: ParentWatch, _ logger: Logger? = nil) {
        guard supervisor.expectedParent != nil else { return }
        do throws(RuntimeError) {
            try recordService(of: name)
        } catch {
            logger?.warning("cannot record that the process serves", metadata: ["reason": "\(error)"])
        }
    }

    /// Whether the process with that name and ID had begun to serve; false when its file cannot be read.
    public func hasServed(_ name: String, as processID: Int32) -> Bool {
        do throws(RuntimeError) {
            let descriptor = try OwnFile.open(serviceFile(of: name), O_RDONLY)
            defer { close(descriptor) }
            return ProcessIDLine.read(from: descriptor) == processID
        } catch {
            return false
        }
    }
}
