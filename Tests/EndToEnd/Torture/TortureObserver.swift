import Glibc
import ProcessSupport
import Synchronization
import SystemPackage

/// An observer that is restarted whenever it ends.
final class TortureObserver: Sendable {
    private struct State {
        var processID: Int32?
        var isKilled = false
        var isOver = false
        var surprises: [String] = []
    }

    private let state = Mutex(State())

    /// Its unexpected ends.
    var surprises: [String] { state.withLock { $0.surprises } }

    /// Runs observers, one after another, until ``end()``.
    func run(in fleet: TortureFleet) async throws {
        let (lab, directory) = fleet.clients
        while !state.withLock(\.isOver) {
            let nowhere = try FileDescriptor.open("/dev/null", .writeOnly)
            let arguments = ["--json", "--run-dir", directory.path]
            let ended = try await lab.run("observer", arguments, output: nowhere) { [self] started in
                let isOver = state.withLock { state in
                    state.processID = started
                    return state.isOver
                }
                if isOver { Glibc.kill(started, SIGTERM) }
            }
            state.withLock { state in
                state.processID = nil
                if !state.isKilled && !state.isOver {
                    state.surprises.append("it ended with \(ended.status), saying: \(ended.talk)")
                }
                state.isKilled = false
            }
        }
    }

    /// Kills the current one.
    ///
    /// - Returns: Whether there was one.
    func kill() async -> Bool {
        let isRunning = await Pace.look(for: .seconds(5)) { state.withLock { $0.processID != nil } }
        guard isRunning != nil else { return false }
        return state.withLock { state in
            guard let processID = state.processID.take() else { return false }
            state.isKilled = true
            return Glibc.kill(processID, SIGKILL) == 0
        }
    }

    /// Ends the current one, and starts no other.
    func end() {
        state.withLock { state in
            state.isOver = true
            if let processID = state.processID { Glibc.kill(processID, SIGTERM) }
        }
    }
}
