import FleetProtocol
import Foundation
import ProcessSupport
import Testing

/// What attackers of a fleet know, and what they need.
extension Lab {
    /// Seconds of a siege, from `SENSIBUS_SIEGE`; times are judged only if it is set.
    static let siegeSeconds = ProcessInfo.processInfo.environment["SENSIBUS_SIEGE"].flatMap { Double($0) }

    /// Where its sockets are.
    var place: FleetPlace {
        get throws { try FleetPlace(RunDirectory(path: "\(directory)/.sensibus")) }
    }

    /// What an intruder has: the session of the lab's user, and the fleet's devices.
    func loot(_ lines: [DeviceLine]) throws -> AttackSource.Loot {
        let devices = try lines.map {
            (id: try #require(DeviceID($0.id)), incarnation: try #require(Incarnation($0.incarnation)))
        }
        return AttackSource.Loot(
            token: try #require(Token(try sessionToken())), devices: devices.dropLast(),
            nodes: try RunDirectory(path: "\(directory)/.sensibus").nodeSecret(),
            abused: try #require(devices.last))
    }

    private func sessionToken() throws -> [UInt8] {
        struct File: Decodable {
            let token: String
        }
        let content = try Data(contentsOf: URL(filePath: file("session.json")))
        return try #require([UInt8](hexadecimal: JSONDecoder().decode(File.self, from: content).token))
    }

    /// The memory that a process uses.
    static func residentMiB(of process: Int32) throws -> Int {
        try residentKiB(of: process) / 1_024
    }

    static func residentKiB(of process: Int32) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        let kibibytes = try #require(status.firstMatch(of: /VmRSS:\s+([0-9]+) kB/))
        return try #require(Int(kibibytes.1))
    }

    /// Runs a blocking closure on its own thread.
    static func onThread<Value: Sendable>(
        _ name: String, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { continuation.resume(with: Result { try work() }) }
            thread.name = name
            thread.start()
        }
    }
}
