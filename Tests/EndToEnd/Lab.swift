import Foundation
import Glibc
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// A directory in which the real executables run as a user would run them.
struct Lab: Sendable {
    /// The result of a program.
    struct Ended: Sendable {
        let status: Int32
        let output: String
        let talk: String

        /// Each line of the output as a value.
        func lines<Line: Decodable>(_ type: Line.Type) throws -> [Line] {
            try output.split(separator: "\n").map { try JSONDecoder().decode(type, from: Data($0.utf8)) }
        }

        /// The only line of the output as a value.
        func line<Line: Decodable>(_ type: Line.Type) throws -> Line {
            try #require(try lines(type).first, "no line of output; standard error: \(talk)")
        }
    }

    let directory: String
    /// The directory of the executables.
    let executables: FilePath
    /// The words before each program, such as those that enter a host's network.
    var entry: [String] = []
    /// Variables of the environment, beside those of every lab.
    var variables: [Environment.Key: String?] = [:]

    /// Creates a lab, starts a fleet in it, and stops the fleet in any case.
    static func withFleet(
        devices: Int = 20, gateway: Bool = false, _ options: [String] = [],
        _ body: (Lab) async throws -> Void
    ) async throws {
        try await withLab { lab in
            let up = try await lab.fleet(
                ["up", "--detach", "--json", "--devices", "\(devices)"]
                    + (gateway ? ["--gateway-port", "0"] : ["--no-gateway"]) + options)
            try #require(up.status == 0, "fleet up: \(up.talk)")
            try await body(lab)
        }
    }

    /// Creates a lab, and removes its files and processes in any case.
    ///
    /// - Parameter executables: The directory of the executables.
    static func withLab(
        of executables: FilePath = Self.products, _ body: (Lab) async throws -> Void
    ) async throws {
        try require("fleet", in: executables)
        var template = Array("/tmp/sensibus-test-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw Errno(rawValue: errno) }
        let lab = Lab(directory: String(cString: made), executables: executables)
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(lab))
        } catch {
            result = .failure(error)
        }
        _ = try await lab.fleet(["down"])
        try FileManager.default.removeItem(atPath: lab.directory)
        try result.get()
    }

    /// The directory of the executables: the environment's `SENSIBUS_EXECUTABLES`, or that of this test
    /// bundle.
    static let products: FilePath = {
        if let path = ProcessInfo.processInfo.environment["SENSIBUS_EXECUTABLES"] { return FilePath(path) }
        let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return FilePath(path).removingLastComponent()
    }()

    /// Whether the environment names the executables, which are then those of a release build.
    static let isOfNamedProducts = ProcessInfo.processInfo.environment["SENSIBUS_EXECUTABLES"] != nil

    /// Fails a test that needs an executable that was not built: the target of these tests depends on none.
    static func require(
        _ program: String, in directory: FilePath = Self.products,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let path = directory.pushing(FilePath(program)).string
        try #require(
            FileManager.default.isExecutableFile(atPath: path),
            "no executable \(path): `make test` builds it, and `make build` that of a release build",
            sourceLocation: sourceLocation)
    }

    func file(_ name: String) -> String { "\(directory)/.sensibus/\(name)" }

    /// The path of one of the product's programs.
    func executable(_ name: String) -> String { executables.appending(name).string }

    /// A UUID of version 7 with the current time.
    static func requestID() -> String {
        let time = String(UInt64(Date().timeIntervalSince1970 * 1_000), radix: 16)
        let digits = String(repeating: "0", count: max(0, 12 - time.count)) + time
        let random = UUID().uuidString.lowercased()
        return
            "\(digits.prefix(8))-\(digits.suffix(4))-7\(random.dropFirst(15).prefix(3))\(random.dropFirst(18))"
    }

    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - program: One of the product's by its name, or any by its absolute path.
    ///   - input: Its standard input.
    ///   - started: Called with the process ID once the program runs.
    func run(
        _ program: String, _ arguments: [String], input: String = "",
        started: @escaping @Sendable (Int32) async throws -> Void = { _ in }
    ) async throws -> Ended {
        try Self.require(program, in: executables)
        let words = entry + [executables.pushing(FilePath(program)).string] + arguments
        let result = try await Subprocess.run(
            .path(FilePath(words[0])), arguments: Arguments(Array(words.dropFirst())),
            environment: environment,
            workingDirectory: FilePath(directory), input: .string(input), output: .string(limit: 1 << 24),
            error: .string(limit: 1 << 20)
        ) { execution in
            try await started(execution.processIdentifier.value)
        }
        return Ended(
            status: Self.status(result.terminationStatus), output: result.standardOutput,
            talk: result.standardError)
    }

    /// Runs a program to its end, with its output readable while it runs.
    ///
    /// - Parameter output: Its standard output; closed here once it runs.
    /// - Returns: The result, without that output.
    func run(
        _ program: String, _ arguments: [String], output: FileDescriptor,
        started: @escaping @Sendable (Int32) async throws -> Void
    ) async throws -> Ended {
        try Self.require(program, in: executables)
        let words = entry + [executables.pushing(FilePath(program)).string] + arguments
        let result = try await Subprocess.run(
            .path(FilePath(words[0])), arguments: Arguments(Array(words.dropFirst())),
            environment: environment,
            workingDirectory: FilePath(directory), input: .none,
            output: .fileDescriptor(output, closeAfterSpawningProcess: true),
            error: .string(limit: 1 << 20)
        ) { execution in
            try await started(execution.processIdentifier.value)
        }
        return Ended(
            status: Self.status(result.terminationStatus), output: "", talk: result.standardError)
    }

    /// Each process has its own hash seed, even if the tests' does not, and its files are in the lab; the
    /// tests' own colour setting does not apply to it.
    ///
    /// Tests read the processes' state, also without root.
    private var environment: Environment {
        .inherit.updating([
            "TERM": "dumb", "NO_COLOR": nil, "SENSIBUS_RUN_DIR": nil, "SWIFT_DETERMINISTIC_HASHING": nil,
            "SENSIBUS_TRACEABLE": "1", "TMPDIR": "\(directory)", "XDG_STATE_HOME": "\(directory)/state",
            "XDG_CONFIG_HOME": "\(directory)/config",
        ]).updating(variables)
    }

    /// The exit status, or 128 plus the signal, as in a shell.
    private static func status(_ termination: TerminationStatus) -> Int32 {
        switch termination {
        case .exited(let code): code
        case .signaled(let signal): 128 + signal
        }
    }

    /// Runs `fleet` to its end.
    func fleet(_ arguments: [String], input: String = "") async throws -> Ended {
        try await run("fleet", arguments, input: input)
    }

    func fleet(_ arguments: String...) async throws -> Ended {
        try await fleet(arguments)
    }

    /// The logs of all the fleet's processes.
    func logs() throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: file("logs"))
        return try names.filter { $0.hasSuffix(".log") }.sorted()
            .map { try String(contentsOfFile: file("logs/\($0)"), encoding: .utf8) }.joined()
    }

    // MARK: Output for scripts

    /// The state of the fleet's processes, as soon as the supervisor and the controller answer.
    ///
    /// On a machine that is stalled either may not answer in time.
    func status() async throws -> StatusLine {
        let status = { try await fleet("status", "--json").line(StatusLine.self) }
        return try await attempt(upTo: 5, until: { !$0.processes.isEmpty && $0.devices != nil }, status)
    }

    func devices() async throws -> [DeviceLine] {
        try await fleet("devices", "--json").lines(DeviceLine.self)
    }

    func device(_ name: String) async throws -> DeviceLine {
        try #require(try await devices().first { $0.name == name })
    }

    func processID(_ name: String) async throws -> Int32 {
        try #require(try await status().processes.first { $0.name == name }?.pid)
    }

    /// Checks repeatedly, each time by running a program, until a condition holds or the time limit passes.
    ///
    /// - Parameter limit: The time limit without slowdown.
    /// - Returns: The time it took.
    @discardableResult
    func eventually(
        _ what: Comment, within limit: Duration, sourceLocation: SourceLocation = #_sourceLocation,
        _ holds: () async throws -> Bool
    ) async throws -> Duration {
        let clock = ContinuousClock()
        let start = clock.now
        while clock.now - start < limit.slowed {
            if try await holds() { return clock.now - start }
        }
        Issue.record("not within \(limit.slowed): \(what)", sourceLocation: sourceLocation)
        return clock.now - start
    }
}

/// A line of `fleet status --json`.
struct StatusLine: Decodable {
    struct Process: Decodable {
        let name: String
        let pid: Int32?
        let state: String
    }

    let devices: Int?
    let online: Int?
    let stale: Int?
    let offline: Int?
    let epoch: UInt64?
    let processes: [Process]
}

/// A line of `fleet devices --json`.
struct DeviceLine: Decodable {
    let id: String
    let name: String
    let on: Bool
    let presence: String
    let reason: String?
    let version: Int
    let incarnation: String
}

/// A line of `fleet toggle --json`.
struct ToggleLine: Decodable, Equatable {
    struct State: Decodable, Equatable {
        let on: Bool
    }

    let requestID: String
    let device: String?
    let outcome: String
    let state: State?
    let version: Int?
    let attempts: Int?
    let latencyUs: Int?
    let user: String?
}

/// A line of `fleet cancel --json`.
struct CancelLine: Decodable {
    let requestID: String
    let result: String
    let outcome: String?
}

/// A line of `observer --json`.
struct ObserverLine: Decodable {
    let at: String
    let kind: String
    let device: String?
    let name: String?
    let on: Bool?
    let presence: String?
    let reason: String?
    let outcome: String?
    let user: String?
    let requestID: String?
    let node: String?
    let cause: String?
    let message: String?
}
