import ArgumentParser
import FleetTime
import ObserverCore
import ProcessSupport
import UserText

/// `observer replay`: plays a recording.
struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Replay a recording as if it happened now.",
        discussion: """
            In a terminal it is the table of `observer`, and these keys are for the recording: space pauses \
            and goes on, the arrows left and right go 10 s back and on, Home and End to its ends; what lies \
            between is not told. Otherwise it prints the lines that `observer` would have printed. Earlier files (FILE.1, FILE.2, …) come \
            first. A file that is damaged is refused, one that was not written to its end is played up to there.

            EXAMPLES
              observer replay monday.rec --speed 10
              observer replay monday.rec --json --filter 'outcome conflict'
            """)

    @Argument(help: "The file that was recorded into.", completion: .file()) var file: String

    @Option(
        help: ArgumentHelp(
            "How many times as fast as it was, or max; else 1 in a terminal, and max for lines.",
            valueName: "factor"))
    var speed: ReplaySpeed?

    @Flag(help: "Print lines in words, also in a terminal.") var plain = false

    @Flag(help: "Print one JSON object a line.") var json = false

    @Option(
        help: ArgumentHelp(
            "Show devices, and what happens to them, of which it holds.", valueName: "condition"),
        transform: Arguments.filter)
    var filter: EventFilter?

    func validate() throws {
        guard !(plain && json) else {
            throw ValidationError("--plain and --json exclude each other: give one")
        }
    }

    func run() async throws {
        try await World.guarded {
            let files = try RecordedFiles(file)
            for remark in files.remarks { TextOutput.standardError.say("observer: \(SafeText.of(remark))\n") }
            let isLive = !plain && !json && World.hasScreen
            let clock = SystemClock()
            let replay = Replay(
                files.player, presenter: presenter(isLive: isLive, account: files.account),
                speed: speed ?? (isLive ? .times(1) : .max), size: isLive ? Terminal.size : nil,
                eastOfUTC: World.eastOfUTC(at:), clock: { clock.now().monotonic })
            try await ReplayProcess(
                replay: replay, terminal: isLive ? Terminal() : nil, sleep: World.sleep
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
        return LivePresenter(
            view: view, usesColor: World.usesColor, size: Replay.sizeAboveStatus,
            clock: { clock.now().monotonic })
    }
}
