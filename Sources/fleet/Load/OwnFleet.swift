import FleetProtocol
import FoundationEssentials
import Glibc
import ProcessSupport
import UnixSignals
import UserFiles

extension FleetPlan {
    /// The plan of a temporary fleet for a load; without a scenario, that of `quiet`.
    init(forLoadOf devices: Int, scenario: ScenarioChoice? = nil, hasGateway: Bool = false) {
        self.init(
            devices: devices, nodes: 1, seed: 1,
            scenario: scenario?.argument ?? ReadyMadeScenario.quiet.rawValue,
            restartsNodes: nil, hasCrashes: scenario?.hasCrashes ?? false,
            gatewayPort: hasGateway ? .fixed(0) : nil, cloudDay: scenario?.cloudDay ?? CloudDay())
    }
}

/// A temporary fleet for one load, in its own run directory, which is removed afterwards. This process
/// supervises it, as `fleet up` does: if this process is killed, the fleet ends too.
struct OwnFleet: Sendable {
    let plan: FleetPlan
    let surroundings: Surroundings
    /// The interruption by Ctrl-C, which also aborts the start of the fleet.
    let interruption: LoadInterruption

    /// Starts the fleet, runs work, and always stops the fleet.
    func use<Result: Sendable>(_ work: (RunDirectory) async throws -> Result) async throws -> Result {
        try await LoadDirectory(surroundings: surroundings).use { try await use($0, work) }
    }

    private func use<Result: Sendable>(
        _ directory: RunDirectory, _ work: (RunDirectory) async throws -> Result
    ) async throws -> Result {
        let (readiness, ready) = AsyncStream.makeStream(of: Void.self)
        let supervisor = supervisor(in: directory) {
            ready.yield()
            ready.finish()
        }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { ready.finish() }
                try await supervisor.run()
            }
            await interruption.handle { await end(directory) }
            var isReady = false
            for await _ in readiness { isReady = true }
            guard isReady, !interruption.hasCome else {
                // A supervisor that did not listen yet has not got the handler's request.
                if isReady { await end(directory) }
                try await group.waitForAll()
                throw CommandFailure(.refused, "interrupted: the fleet that was started is stopped")
            }
            let result: Swift.Result<Result, any Error>
            do {
                result = .success(try await work(directory))
            } catch {
                result = .failure(error)
            }
            await end(directory)
            try await group.waitForAll()
            return try result.get()
        }
    }

    /// Creates a supervisor that gets Ctrl-C only from here: the load ends first, then the fleet.
    private func supervisor(
        in directory: RunDirectory, announce: @escaping @Sendable () -> Void
    ) -> Supervisor {
        var secluded = surroundings
        secluded.stopSignals = { await UnixSignalsSequence(trapping: []) }
        return Supervisor(
            plan: plan, directory: directory, display: .none, surroundings: secluded,
            announce: { _ throws(CommandFailure) in announce() })
    }

    /// Asks the supervisor to stop everything, as `fleet down` does.
    private func end(_ directory: RunDirectory) async {
        do {
            _ = try await SupervisorAccess(directory: directory).ask(.endFleet)
        } catch {
            surroundings.notify("fleet: the temporary fleet did not stop cleanly: \(error)")
        }
    }
}

struct LoadDirectory: Sendable {
    /// The environment; its `TMPDIR` names the parent directory.
    let surroundings: Surroundings

    func use<Value>(_ work: (RunDirectory) async throws -> Value) async throws -> Value {
        let directory = try make()
        defer { remove(directory) }
        return try await work(directory)
    }

    private func make() throws(CommandFailure) -> RunDirectory {
        let place = surroundings.environment["TMPDIR"] ?? "/tmp"
        var template = Array("\(place)/sensibus-load-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CommandFailure(
                .refused, "cannot make a directory in \(place) (errno \(errno))",
                advice: "set TMPDIR to another directory")
        }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return RunDirectory(path: path, relativeTo: surroundings.workingDirectory)
    }

    private func remove(_ directory: RunDirectory) {
        do {
            try FileManager.default.removeItem(atPath: directory.path)
        } catch {
            surroundings.notify("fleet: cannot remove \(directory): \(error)")
        }
    }
}
