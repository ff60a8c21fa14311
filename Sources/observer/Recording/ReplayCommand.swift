import ArgumentParser
import FleetProtocol
import ProcessSupport
import UserText

/// `observer replay`: plays a recording.
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
            try await ReplayProcess(
                replay: replay, terminal: terminal, sleep: World.sleep
            ).run()
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
        view.become(.replaying)
        view.exportCSV(as: csv.text)
        return LivePresenter(
            view: view, palette: Palette(for: Environment.current), size: Replay.sizeAboveStatus,
            clock: { clock.now().monotonic })
    }
}
