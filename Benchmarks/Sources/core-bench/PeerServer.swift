import Bus
import CoreParts
import Foundation
import Subprocess
import SystemPackage

/// A peer's server: a child process on a free loopback port.
struct PeerServer: Sendable {
    /// Directories to search in addition to `PATH`, which lacks `sbin` for most users.
    private static let places = ["/usr/sbin", "/usr/local/sbin"]
    private static let timeout: Duration = .seconds(5)

    private let name: String
    /// The option that prints the version.
    private let versionOption: String
    /// Returns the arguments with which it listens on a port.
    private let arguments: @Sendable (_ port: Int) throws -> [String]
    /// A part of the line that it writes on standard error when it listens; it exits if it cannot.
    private let readyLine: String

    /// An MQTT broker without persistence and without a limit on queued messages.
    static func mosquitto(in directory: BenchDirectory) -> PeerServer {
        PeerServer(
            name: "mosquitto", versionOption: "-h",
            arguments: { port in
                let configuration = """
                    listener \(port) 127.0.0.1
                    allow_anonymous true
                    persistence false
                    set_tcp_nodelay true
                    max_inflight_messages 0
                    max_queued_messages 0
                    sys_interval 0
                    connection_messages false
                    log_dest stderr

                    """
                let file = directory.file("mosquitto.conf")
                try configuration.write(toFile: file, atomically: true, encoding: .utf8)
                return ["-c", file]
            }, readyLine: " running")
    }

    /// A NATS server with its streams in the directory of the run.
    static func nats(in directory: BenchDirectory) -> PeerServer {
        PeerServer(
            name: "nats-server", versionOption: "--version",
            arguments: { port in
                ["-a", "127.0.0.1", "-p", "\(port)", "--jetstream", "--store_dir", directory.file("streams")]
            }, readyLine: "Server is ready")
    }

    /// The path of the program; nil if it is not installed.
    private var program: String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let places = path.split(separator: ":").map(String.init) + Self.places
        return places.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// The version of the program; nil if it is not installed.
    var version: String? {
        get async throws {
            guard let program else { return nil }
            // mosquitto prints it with the usage, and exits with an error status.
            let result = try await Subprocess.run(
                .path(FilePath(program)), arguments: [versionOption], output: .string(limit: 1 << 16),
                error: .discarded)
            let words = result.standardOutput.split(whereSeparator: \.isWhitespace)
            return words.first { $0.contains(".") }.map { String($0.trimmingPrefix("v")) }
        }
    }

    /// Starts the server, runs a closure with it, and stops it, also after an error.
    ///
    /// - Parameter work: Receives the port; nil if the server is not installed.
    func run<Value: Sendable>(_ work: @Sendable (_ port: Int?) async throws -> Value) async throws -> Value {
        guard let program else { return try await work(nil) }
        let port = try Self.freePort()
        let ended = try await Subprocess.run(
            .path(FilePath(program)), arguments: Arguments(try arguments(port)), input: .none,
            output: .discarded, error: .sequence
        ) { server in
            let result: Result<Value, any Error>
            do {
                try await waitUntilReady(server)
                result = .success(try await work(port))
            } catch {
                result = .failure(error)
            }
            await server.teardown(using: [.gracefulShutDown(allowedDurationToNextStep: Self.timeout)])
            return result
        }
        return try ended.closureResult.get()
    }

    /// Waits for the ready line, and stops a server that takes too long, which ends its output.
    ///
    /// Its later output, a few lines, stays in the pipe.
    private func waitUntilReady(_ server: Execution<NoInput, DiscardedOutput, SequenceOutput>) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await Task.sleep(for: Self.timeout)
                try server.send(signal: .kill)
            }
            var lines: [String] = []
            for try await line in server.standardError.strings() {
                lines.append(line)
                guard !line.contains(readyLine) else { return group.cancelAll() }
            }
            group.cancelAll()
            throw BenchFailure.peer("\(name) does not start: \(lines.suffix(3).joined(separator: " "))")
        }
    }

    /// Returns a port that is free now; if another process takes it first, the server reports that and exits.
    private static func freePort() throws -> Int {
        let context = try Context()
        defer { context.terminate() }
        let socket = try Socket(.pull, context: context, options: .bench)
        defer { socket.close() }
        try socket.bind(try Endpoint("tcp://127.0.0.1:*"))
        let port = try socket.lastEndpoint.map { "\($0)" }?.split(separator: ":").last.flatMap { Int($0) }
        guard let port else { throw BenchFailure.setUp }
        return port
    }
}
