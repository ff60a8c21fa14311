import ArgumentParser
import Synchronization

/// Ctrl-C during a load, and what it means to what is being done just then.
final class LoadInterruption: Sendable {
    private struct State {
        var count = 0
        var handler: (@Sendable () async -> Void)?
    }

    private let state = Mutex(State())

    /// Whether it has come.
    var hasCome: Bool { state.withLock { $0.count > 0 } }

    /// It comes.
    func come() async {
        let handler = state.withLock { state in
            state.count += 1
            return state.handler
        }
        await handler?()
    }

    /// Says what to do each time it comes from now on; done at once if it has come already.
    func handle(_ handler: @escaping @Sendable () async -> Void) async {
        let hasCome = state.withLock { state in
            state.handler = handler
            return state.count > 0
        }
        if hasCome { await handler() }
    }
}

/// Where the results of a load go besides the terminal.
struct LoadFiles: ParsableArguments {
    @Option(help: ArgumentHelp("Write the result as JSON; - for standard output.", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("Write the latencies for HdrHistogram's tools.", valueName: "file"))
    var hgrm: String?

    @Option(help: ArgumentHelp("Write a page with plots.", valueName: "file")) var html: String?

    @Option(help: ArgumentHelp("Hold the result against an earlier one's JSON.", valueName: "file"))
    var compare: String?
}
