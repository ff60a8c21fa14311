import Bus
import FleetReplica
import Glibc
import ProcessSupport
import UnixSignals

/// The concurrent tasks of a replay, from its start to its orderly shutdown.
struct ReplayProcess: Sendable {
    private enum EndReason: Error {
        case asked
        case played
    }

    let replay: Replay
    /// The terminal that shows the table; nil if lines are printed.
    let terminal: Terminal?
    let sleep: @Sendable (Duration) async throws -> Void

    /// Runs until the recording ends, the user quits, or the output is gone.
    ///
    /// - Throws: `BusError`, `RecordingDamage`, `RuntimeError`.
    func run() async throws {
        let signals = await UnixSignalsSequence(
            trapping: ObserverProcess.ends + (terminal == nil ? [] : ObserverProcess.redraws))
        signal(SIGPIPE, SIG_IGN)
        terminal?.enter()
        defer { TerminalMode.restore() }
        try await Loop.withThread(name: "replay") { loop in
            let keys = Keyboard(isUsed: terminal != nil, loop: loop)
            defer { keys.close() }
            do {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await obey(signals) }
                    group.addTask {
                        for await pressed in keys.keys where try await replay.press(pressed) { throw end() }
                    }
                    group.addTask { try await play() }
                    for try await _ in group {}
                }
            } catch let failure as TextOutput.Failure where failure.isUnread {
                // The reader of the output is gone, as with `observer replay FILE | head`. This is not an
                // error.
            } catch is EndReason {
                // The user asked for it, or the recording ended.
            }
        }
    }

    private func obey(_ signals: UnixSignalsSequence) async throws {
        for await signal in signals {
            guard ObserverProcess.redraws.contains(signal) else { throw end() }
            if signal == .sigcont { terminal?.enter() }
            try await replay.redraw()
        }
    }

    /// Starts the shutdown timer, because a write to a full pipe could block the process.
    private func end() -> EndReason {
        LastSecond.begin()
        return .asked
    }

    private func play() async throws {
        while true {
            if try await replay.turn() { throw EndReason.played }
            try await sleep(await replay.untilTurn)
        }
    }
}
