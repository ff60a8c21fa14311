import ArgumentParser
import Bus
import FleetProtocol
import FleetReplica
import Glibc
import ProcessSupport
import UnixSignals
import UserText

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Replay a recording.",
        discussion: """
            In a terminal it shows the table of `observer`. Space pauses and continues, the left and right \
            arrows go 10 s back and forward, and Home and End to the start and the end; skipped events are \
            not in the log. Elsewhere it prints the lines that `observer` would have printed. Earlier \
            files (FILE.1, FILE.2, …) are replayed first. A damaged file is an error; an incomplete write \
            at the end of a file is ignored.

            EXAMPLES
              observer replay monday.rec --speed 10
              observer replay monday.rec --json --filter 'outcome conflict'
            """)

    @Argument(help: "File to replay.", completion: .file()) var file: String

    @Option(
        help: ArgumentHelp(
            "Speed, such as 10 for ten times as fast, or max (default: 1 in a terminal, else max).",
            valueName: "factor"))
    var speed: ReplaySpeed?

    @Flag(help: "Print lines of text, also in a terminal.") var plain = false

    @Flag(help: "Print JSON objects, one per line.") var json = false

    @Option(
        help: ArgumentHelp(
            "Show only devices that match a condition, and their events.", valueName: "condition"),
        transform: Arguments.filter)
    var filter: EventFilter?

    @OptionGroup var csv: CSVOptions

    func validate() throws {
        guard !(plain && json) else { throw ValidationError("give --plain or --json, not both") }
    }

    func run() async throws {
        try await World.guarded {
            let files = try RecordedFiles(file)
            for remark in files.remarks {
                TextOutput.standardError.writeIgnoringErrors("observer: \(SafeText.of(remark))\n")
            }
            let isLive = !plain && !json && World.hasScreen
            let clock = SystemClock()
            let terminal = isLive ? Terminal() : nil
            let replay = Replay(
                files.player, presenter: presenter(isLive: isLive, account: files.account),
                speed: speed ?? (isLive ? .times(1) : .max), size: isLive ? Terminal.size : nil,
                eastOfUTC: World.eastOfUTC(at:), suspend: { terminal?.suspend() },
                clock: { clock.now().monotonic })
            try await ReplayProcess(replay: replay, terminal: terminal, sleep: World.sleep).run()
        }
    }

    private func presenter(isLive: Bool, account: String) -> any Presenter {
        let filter = filter ?? .all
        if json { return JSONPresenter(filter: filter) }
        guard isLive else { return PlainPresenter(filter: filter, eastOfUTC: World.eastOfUTC(at:)) }
        let clock = SystemClock()
        var view = ViewModel(
            account: account, condition: filter.condition, eastOfUTC: World.eastOfUTC(at:),
            random: World.randomness())
        view.statusSources.fleet = Program.fleet.command
        view.become(.replaying)
        view.exportCSV(as: csv.text)
        return LivePresenter(
            view: view, palette: Palette(for: Environment.current), size: Replay.sizeAboveStatus,
            clock: { clock.now().monotonic })
    }
}

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
