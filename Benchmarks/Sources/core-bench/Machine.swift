import Bus
import CoreParts
import Foundation
import Subprocess

/// The machine and the versions of a measurement.
struct Machine {
    /// A list in Markdown, one fact a line.
    let text: String

    /// Reads the facts of this machine, and the commit of the working copy.
    init() async {
        text = Self.text(of: await Self.facts())
    }

    /// Reads the facts of this machine and of the peers, and the commit of the working copy.
    ///
    /// - Parameter drivers: The directory of the peers' drivers.
    init(drivers: String, in directory: BenchDirectory) async throws {
        func driver(_ name: String) async throws -> String {
            try await PeerDriver(path: "\(drivers)/\(name)").version ?? "not installed"
        }
        let mosquitto = try await PeerServer.mosquitto(in: directory).version ?? "not installed"
        let nats = try await PeerServer.nats(in: directory).version ?? "not installed"
        let peers = [
            ("mosquitto", "\(mosquitto), client library \(try await driver("mosquitto"))"),
            ("nats-server", "\(nats), client library \(try await driver("nats"))"),
        ]
        text = Self.text(of: await Self.facts(withPeers: peers))
    }

    private static func facts(withPeers peers: [(String, String)] = []) async -> [(String, String)] {
        let own = [
            ("processor", "\(processor), \(ProcessInfo.processInfo.activeProcessorCount) cores"),
            ("load when it began", firstWord(of: "/proc/loadavg")),
            ("kernel", await output(of: "uname", ["-sr"])), ("libzmq", LibZMQ.version),
        ]
        let sources = [
            ("Swift", swiftVersion(await output(of: "swift", ["--version"]))),
            ("commit", await output(of: "git", ["describe", "--always", "--dirty", "--abbrev=12"])),
        ]
        return own + peers + sources
    }

    private static func text(of facts: [(String, String)]) -> String {
        facts.map { "- \($0): \($1)" }.joined(separator: "\n")
    }

    private static var processor: String {
        let lines = contents(of: "/proc/cpuinfo").split(separator: "\n")
        let name = lines.first { $0.hasPrefix("model name") }?.split(separator: ":").last
        return name.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown"
    }

    private static func firstWord(of path: String) -> String {
        contents(of: path).split(separator: " ").first.map(String.init) ?? "unknown"
    }

    private static func contents(of path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }

    /// Returns the version, such as `6.3.1`, in the first line of `swift --version`.
    private static func swiftVersion(_ text: String) -> String {
        let words = text.split(separator: " ")
        guard let place = words.firstIndex(of: "version"), place + 1 < words.count else { return text }
        return String(words[place + 1])
    }

    private static func output(of name: String, _ arguments: [String]) async -> String {
        let result = try? await Subprocess.run(
            .name(name), arguments: Arguments(arguments), output: .string(limit: 4_096), error: .discarded)
        let text = result?.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
        return text.flatMap { $0.isEmpty ? nil : $0 } ?? "unknown"
    }
}
