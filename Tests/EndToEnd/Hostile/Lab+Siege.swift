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
        get throws { try FleetPlace(RunDirectory(path: runDirectory)) }
    }

    /// What an intruder has: the session of the lab's user, and the fleet's devices.
    func loot(_ lines: [DeviceLine]) throws -> AttackSource.Loot {
        let devices = try lines.map {
            (id: try #require(DeviceID($0.id)), incarnation: try #require(Incarnation($0.incarnation)))
        }
        return AttackSource.Loot(
            token: try StoredSession.read(from: file("session.json")).token, devices: devices.dropLast(),
            nodes: try RunDirectory(path: runDirectory).nodeSecret(),
            abused: try #require(devices.last))
    }

    /// Starts a fleet without a gateway whose processes can open 1,024 descriptors each.
    func upWithFewDescriptors(_ options: String...) async throws {
        let words = ["--nofile=1024:1024", executable("fleet"), "up", "--detach", "--no-gateway"]
        let up = try await run("/usr/bin/prlimit", words + options)
        try #require(up.status == 0, "fleet up: \(up.talk)")
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
