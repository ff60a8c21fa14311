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
    /// The run directory, if it is not the default one in the lab's directory.
    private var otherRunDirectory: String?

    init(
        directory: String, executables: FilePath, entry: [String] = [],
        variables: [Environment.Key: String?] = [:]
    ) {
        (self.directory, self.executables) = (directory, executables)
        (self.entry, self.variables) = (entry, variables)
    }

    /// Creates a lab, starts a fleet in it, and stops the fleet in any case.
    ///
    /// - Parameter scenario: The text of its scenario; nil for the default one.
    @discardableResult
    static func withFleet<Value>(
        devices: Int = 20, gateway: Bool = false, scenario: String? = nil, _ options: [String] = [],
        _ body: (Lab) async throws -> Value
    ) async throws -> Value {
        try await withLab { lab in
            let file = try scenario.map { ["--scenario", try lab.write($0, to: "scenario.yaml")] }
            try await lab.up(devices: devices, gateway: gateway, (file ?? []) + options)
            return try await body(lab)
        }
    }

    /// Creates a lab, and removes its files and processes in any case.
    ///
    /// - Parameter executables: The directory of the executables.
    @discardableResult
    static func withLab<Value>(
        of executables: FilePath = Self.products, _ body: (Lab) async throws -> Value
    ) async throws -> Value {
        try require("fleet", in: executables)
        var template = Array("/tmp/sensibus-test-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw Errno(rawValue: errno) }
        let lab = Lab(directory: String(cString: made), executables: executables)
        return try await withCleanup {
            try await body(lab)
        } cleanup: {
            _ = try await lab.fleet("down")
            try FileManager.default.removeItem(atPath: lab.directory)
        }
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

    /// The lab with another run directory, which is relative to the lab's directory or absolute.
    func at(_ runDirectory: String) -> Lab {
        var lab = self
        lab.otherRunDirectory = runDirectory.hasPrefix("/") ? runDirectory : "\(directory)/\(runDirectory)"
        return lab
    }

    var runDirectory: String { otherRunDirectory ?? "\(directory)/.sensibus" }

    /// The path of a file in the run directory.
    func file(_ name: String) -> String { "\(runDirectory)/\(name)" }

    /// The text of a file in the run directory.
    func text(_ name: String) throws -> String { try String(contentsOfFile: file(name), encoding: .utf8) }

    /// The text of a file in the lab's directory, where the programs run.
    func read(_ name: String) throws -> String {
        try String(contentsOfFile: "\(directory)/\(name)", encoding: .utf8)
    }

    /// The only word in a file of the run directory.
    func word(_ name: String) throws -> String {
        try text(name).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Writes a file into the lab's directory, or at an absolute path, and returns its path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        let path = name.hasPrefix("/") ? name : "\(directory)/\(name)"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

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
        let words = try words(program, arguments)
        let result = try await Subprocess.run(
            .path(FilePath(words[0])), arguments: Arguments(Array(words.dropFirst())),
            environment: environment, workingDirectory: FilePath(directory), input: .string(input),
            output: .string(limit: 1 << 24), error: .string(limit: 1 << 20)
        ) { try await started($0.processIdentifier.value) }
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
        let words = try words(program, arguments)
        let result = try await Subprocess.run(
            .path(FilePath(words[0])), arguments: Arguments(Array(words.dropFirst())),
            environment: environment, workingDirectory: FilePath(directory), input: .none,
            output: .fileDescriptor(output, closeAfterSpawningProcess: true), error: .string(limit: 1 << 20)
        ) { try await started($0.processIdentifier.value) }
        return Ended(status: Self.status(result.terminationStatus), output: "", talk: result.standardError)
    }

    /// Runs one of the product's programs while a closure runs, then ends it with SIGTERM.
    ///
    /// - Parameters:
    ///   - log: The file for its output, in this lab's directory.
    ///   - work: The closure; it gets the text of that file.
    func whileRunning(
        _ program: String, _ arguments: [String], log: String,
        _ work: @escaping @Sendable (_ log: @Sendable () -> String) async throws -> Void
    ) async throws {
        let file = "\(directory)/\(log)"
        let words = ["exec \"$@\" </dev/null >>\"$0\" 2>&1", file, executable(program)] + arguments
        _ = try await run("/bin/sh", ["-c"] + words) { process in
            defer { Glibc.kill(process, SIGTERM) }
            // The file is missing until the shell has begun.
            try await work { (try? String(contentsOfFile: file, encoding: .utf8)) ?? "" }
        }
    }

    private func words(_ program: String, _ arguments: [String]) throws -> [String] {
        try Self.require(program, in: executables)
        return entry + [executables.pushing(FilePath(program)).string] + arguments
    }

    /// Each process has its own hash seed, even if the tests' does not, and its files are in the lab; the
    /// tests' own colour setting does not apply to it.
    ///
    /// Tests read the processes' state, also without root.
    private var environment: Environment {
        .inherit.updating([
            "TERM": "dumb", "NO_COLOR": nil, "SENSIBUS_RUN_DIR": otherRunDirectory,
            "SWIFT_DETERMINISTIC_HASHING": nil,
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
