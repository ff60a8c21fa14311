import ArgumentParser
import ObserverCore
import ProcessSupport

/// `observer record`: records what an observer receives.
struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Record what an observer receives, to be replayed.",
        discussion: """
            It keeps snapshots and updates with their times, until Ctrl-C or SIGTERM. They are with the system \
            within half a second, so that a kill loses no more. A full file becomes FILE.1, FILE.1 becomes \
            FILE.2 and so on, and the last goes; each can be replayed alone. So does a recording that is \
            there already. Any other file stays, and nothing is recorded.

            EXAMPLES
              observer record monday.rec
              observer record --max-size 64M --keep 8 ring.rec
            """)

    @Argument(help: "The file to record into.", completion: .file()) var file: String

    @Option(
        help: ArgumentHelp("How large a file may become, 1M at least.", valueName: "size"),
        transform: ByteText.parse)
    var maxSize: Int = 1 << 30

    @Option(help: ArgumentHelp("How many files are kept, FILE included.", valueName: "files")) var keep = 4

    @OptionGroup var access: AccessOptions

    func validate() throws {
        guard maxSize >= Recorder.leastFileBytes else { throw ValidationError("--max-size is 1M at least") }
        guard (1...1_000).contains(keep) else { throw ValidationError("--keep is 1 to 1000") }
    }

    func run() async throws {
        var random = SystemRandomNumberGenerator()
        let seed: UInt64 = random.next()
        try await World.guarded {
            _ = try await Observation(access: access).run(
                parent: ParentWatch(expectedParent: nil),
                recording: { sessions in
                    RecordingPlan(
                        path: file, fileLimit: maxSize, keep: keep, account: sessions.accountName, seed: seed)
                }, presenter: { _, _ in SilentPresenter() })
        }
    }
}
