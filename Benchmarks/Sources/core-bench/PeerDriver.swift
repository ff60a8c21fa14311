import CoreParts
import Foundation
import Subprocess
import SystemPackage

/// A C program with a peer's client and device; `Peers/hops.h` describes it.
struct PeerDriver: Sendable {
    /// The path of the program.
    let path: String

    /// Whether the program exists: it cannot be built without the peer's client library.
    var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// The version of the client library; nil if it is not installed.
    var version: String? {
        get async throws { isInstalled ? try await output(["version"]) : nil }
    }

    /// Runs one kind with the server on a port; nil if driver or server is not installed.
    func run(_ kind: String, _ port: Int?) -> Peer.Run? {
        guard isInstalled, let port else { return nil }
        return { inFlight, messages in
            let text = try await output(["\(port)", kind, "\(inFlight)", "\(messages)"])
            guard let perSecond = Self.figure("per_second", of: text),
                let medianUs = Self.figure("p50_us", of: text)
            else { throw BenchFailure.peer("\(path) said: \(text)") }
            return FourHops.Figures(perSecond: perSecond, medianUs: medianUs)
        }
    }

    /// Returns the number on the line that begins with a word.
    private static func figure(_ name: String, of text: String) -> Double? {
        text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }.flatMap {
            Double($0.dropFirst(name.count + 1))
        }
    }

    /// Returns the output of the program, which exits in bounded time.
    private func output(_ arguments: [String]) async throws -> String {
        let result = try await Subprocess.run(
            .path(FilePath(path)), arguments: Arguments(arguments), output: .string(limit: 4_096),
            error: .string(limit: 4_096))
        guard result.terminationStatus.isSuccess else {
            throw BenchFailure.peer("\(path) \(arguments): \(result.standardError)")
        }
        return result.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
