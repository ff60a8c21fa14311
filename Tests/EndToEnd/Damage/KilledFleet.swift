import FleetClient
import FleetProtocol
import Foundation
import Glibc
import ProcessSupport
import TestSupport
import Testing

/// A small fleet after all its processes were killed, and its answers before that.
struct KilledFleet {
    /// The answers of a fleet.
    struct Contents: Equatable {
        var outcomes: [RequestID: OutcomeReport] = [:]
        var devices: [DeviceID: DeviceState] = [:]
        var users: [User] = []
        var keys: [APIKey] = []
    }

    private static let toggles = 60
    private static let devices = 12
    private static let arguments = [
        "up", "--detach", "--no-gateway", "--devices", "\(devices)", "--nodes", "2",
    ]
    private static let processes = ["supervisor", "controller", "node-1", "node-2"]

    let lab: Lab
    /// The answers before the kill.
    let contents: Contents
    private let session: StoredSession
    private let directory: RunDirectory
    /// The run directory as the processes left it.
    private var original: String { "\(lab.directory)/original" }

    /// Starts a fleet in a lab, completes some requests, and kills the fleet.
    init(in lab: Lab) async throws {
        self.lab = lab
        let directory = RunDirectory(path: lab.runDirectory)
        self.directory = directory
        try await lab.succeed(Self.arguments)
        let session = try StoredSession.read(from: directory.sessionFile)
        self.session = session
        let ids = try await Self.withClient(of: directory, session) { try await Self.use($0) }
        contents = try await Self.withClient(of: directory, session) { try await Self.ask($0, about: ids) }
        try await killAll()
        // Sockets cannot be copied, and a start creates them.
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path)
        where name.hasSuffix(".sock") {
            try FileManager.default.removeItem(atPath: "\(directory.path)/\(name)")
        }
        try FileManager.default.copyItem(atPath: directory.path, toPath: original)
    }

    /// Every file that the processes left, by its path in the run directory.
    var files: [String] { get throws { try FileDamage.files(in: original) } }

    /// Damages a file of the run directory, and starts a fleet from it.
    ///
    /// - Returns: The fault in the fleet's answers; nil if they are unchanged, or if the start is refused
    ///   with the file's name.
    func fault(after damage: FileDamage, of file: String, at place: Double) async throws -> String? {
        try FileManager.default.removeItem(atPath: directory.path)
        try FileManager.default.copyItem(atPath: original, toPath: directory.path)
        try damage.strike("\(directory.path)/\(file)", at: place)
        let what = "\(damage) \(file) at \(place)"
        let name = FileDamage.reportedName(file)
        let up = try await lab.fleet(Self.arguments)
        guard up.status == 0 else {
            return up.talk.contains("/\(name)") ? nil : "\(what): refused without its name: \(up.talk)"
        }
        return try await withCleanup {
            do {
                let now = try await Self.withClient(of: directory, session) {
                    try await Self.ask($0, about: contents.outcomes.keys.sorted())
                }
                return difference(now, isOfMemory: file.hasPrefix("memory/")).map { "\(what): \($0)" }
            } catch {
                // A part that is read after the start makes the controller exit after the start.
                return try lab.logs().contains("/\(name) is damaged") ? nil : "\(what): \(error)"
            }
        } cleanup: {
            try await killAll()
        }
    }

    /// A description of the differences from before.
    ///
    /// - Parameter isOfMemory: Whether devices may have lost their memory, which begins a new incarnation of
    ///   each.
    private func difference(_ now: Contents, isOfMemory: Bool) -> String? {
        let ended = contents.outcomes.count { now.outcomes[$0.key] != $0.value }
        if ended > 0 { return "\(ended) outcomes are others" }
        if now.users != contents.users || now.keys != contents.keys { return "users or keys are others" }
        let changed = contents.devices.count { device, state in
            guard let present = now.devices[device] else { return true }
            let isNew = present.incarnation != state.incarnation
            return isNew ? !isOfMemory : present != state
        }
        return changed > 0 ? "\(changed) devices are in other states" : nil
    }

    /// Stops every process, so that none detects another's end, and kills them.
    private func killAll() async throws {
        let running = Self.processes.compactMap { name in
            (try? lab.word("\(name).lock")).flatMap { Int32($0) }
        }.filter(TortureFleet.isAlive)
        for signal in [SIGSTOP, SIGKILL] { for process in running { kill(process, signal) } }
        let took = await Pace.look(for: .seconds(5).slowed) { !running.contains(where: TortureFleet.isAlive) }
        try #require(took != nil, "a process is alive after SIGKILL")
    }

    private static func withClient<Value: Sendable>(
        of directory: RunDirectory, _ session: StoredSession, _ body: (FleetClient) async throws -> Value
    ) async throws -> Value {
        try await FleetClient.withClient(
            of: try FleetConnection(directory).clientEndpoints, threadName: "asking",
            credentials: session.credentials, clock: { SystemClock().now() }, seed: 1, body)
    }

    /// Toggles devices, creates two API keys and revokes one.
    ///
    /// - Returns: The IDs of the ended requests.
    private static func use(_ client: FleetClient) async throws -> [RequestID] {
        var generator = SystemRandomNumberGenerator()
        var devices: [DeviceID] = []
        let found = try await Pace.look(for: .seconds(5).slowed) {
            devices = try await client.devices().rows.map(\.device)
            return devices.count == Self.devices
        }
        try #require(found != nil, "not all devices have come up")
        var ids: [RequestID] = []
        for number in 0..<toggles {
            let id = RequestID(at: SystemClock().now().wall, using: &generator)
            let device = devices[number % devices.count]
            _ = try await client.perform(Command(requestID: id, device: device, kind: .toggle))
            ids.append(id)
        }
        for name in ["one", "two"] {
            let digest = try #require(
                TokenDigest((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }))
            try await client.addKey(try #require(APIKey.Name(name)), digest: digest)
        }
        try await client.revokeKey(try #require(APIKey.Name("two")))
        return ids
    }

    private static func ask(_ client: FleetClient, about ids: [RequestID]) async throws -> Contents {
        var contents = Contents()
        for id in ids { contents.outcomes[id] = try await client.outcome(of: id) }
        for row in try await client.devices().rows { contents.devices[row.device] = row.reported }
        contents.users = try await client.users()
        contents.keys = try await client.keys()
        return contents
    }
}
