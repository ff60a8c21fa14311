import FoundationEssentials
import Glibc
public import Logging

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

extension RunDirectory {
    /// The email of the user of the demo account.
    public static let demoEmail = "demo@sensibus.local"

    /// Keeps the demo account's password in a file that only its owner may read.
    ///
    /// - Throws: `system` with the call that failed.
    public func writeDemoPassword(_ password: String) throws(RuntimeError) {
        try PrivateFile(path: demoPasswordFile).replace(with: Array("\(password)\n".utf8))
    }

    /// The demo account's password; nil while nobody has kept one.
    ///
    /// - Throws: `system` when the file cannot be read.
    public func readDemoPassword() throws(RuntimeError) -> String? {
        guard let content = try PrivateFile(path: demoPasswordFile).read() else { return nil }
        return String(decoding: content.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}

/// Where the gateway of a fleet listens, which may be at a port that only it knows.
///
/// The supervised gateway alone writes these files. A gateway that was started by hand serves beside it and
/// tells its address in its log.
extension RunDirectory {
    private var gatewayFile: PrivateFile { PrivateFile(path: "\(path)/gateway-url") }

    private var gatewayPortFile: PrivateFile { PrivateFile(path: "\(path)/gateway-port") }

    /// The keys by which clients of Sensibo's API name their requests.
    public var keyFile: String { "\(path)/gateway-keys" }

    /// The URL of the supervised gateway; nil before it listens, and without one.
    ///
    /// A gateway that was killed leaves its last URL.
    ///
    /// - Throws: `system` when the file cannot be read.
    public func gatewayURL() throws(RuntimeError) -> String? {
        try gatewayFile.read().map(Self.firstLine)
    }

    /// Writes the URL of the supervised gateway.
    ///
    /// - Throws: `system` with the call that failed.
    public func noteGateway(url: String) throws(RuntimeError) {
        try gatewayFile.replace(with: Array("\(url)\n".utf8))
    }

    /// Removes the URL: no gateway listens.
    ///
    /// - Throws: `system` with the call that failed.
    public func forgetGateway() throws(RuntimeError) {
        try gatewayFile.remove()
    }

    /// The port that the gateway chose last, so that it chooses the same one again; nil where it never chose.
    ///
    /// - Throws: `system` when the file cannot be read.
    public func gatewayPort() throws(RuntimeError) -> UInt16? {
        try gatewayPortFile.read().flatMap { UInt16(Self.firstLine($0)) }
    }

    /// Writes the port that the gateway chose; the file outlives the fleet.
    ///
    /// - Throws: `system` with the call that failed.
    public func noteGatewayPort(_ port: UInt16) throws(RuntimeError) {
        guard try gatewayPort() != port else { return }
        try gatewayPortFile.replace(with: Array("\(port)\n".utf8))
    }

    private static func firstLine(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}

/// The seed of the fleet to which the stored state of a run directory belongs: the ids of its devices follow
/// from it.
extension RunDirectory {
    /// The name of the file with the seed, which a backup copies.
    public static let seedFileName = "seed"

    private var seedFile: PrivateFile { PrivateFile(path: "\(path)/\(Self.seedFileName)") }

    /// Writes the seed of the fleet that starts here, unless devices of another one are remembered.
    ///
    /// - Throws: `otherSeed` for remembered devices of another seed, and `system` with the call that failed.
    public func claim(seed: UInt64) throws(RuntimeError) {
        let former = try seedFile.read().flatMap {
            UInt64(String(decoding: $0.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
        }
        guard former != seed else { return }
        if let former, hasMemory { throw .otherSeed(path: path, former: former, wanted: seed) }
        try seedFile.replace(with: Array("\(seed)\n".utf8))
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

/// The processes of a fleet that began to serve, each as a file with its ID: so the supervisor knows whether
/// one that died had served before.
extension RunDirectory {
    private func serviceFile(of name: String) -> String { "\(path)/\(name).serving" }

    /// Notes that the calling process serves.
    ///
    /// - Parameter name: The process's name in the fleet, such as `controller`.
    /// - Throws: As ``OwnFile/open(_:_:)``, or `system` where the file cannot be written.
    public func noteService(of name: String) throws(RuntimeError) {
        let path = serviceFile(of: name)
        let descriptor = try OwnFile.open(path, O_RDWR | O_CREAT)
        defer { close(descriptor) }
        try ProcessIDLine.write(to: descriptor, path: path)
    }

    /// Notes that the calling process serves, if it has a supervisor.
    ///
    /// Without the note the supervisor waits before it starts the process again.
    ///
    /// - Parameter logger: Logs a note that cannot be written.
    public func noteService(of name: String, under supervisor: ParentWatch, _ logger: Logger? = nil) {
        guard supervisor.expectedParent != nil else { return }
        do throws(RuntimeError) {
            try noteService(of: name)
        } catch {
            logger?.warning("service not noted", metadata: ["reason": "\(error)"])
        }
    }

    /// Whether the process with that name and ID had begun to serve; false where its file cannot be read.
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
