import ArgumentParser
import FleetReplica
import ProcessSupport

/// `observer record`: records a fleet for replay.
struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Record a fleet for replay.",
        discussion: """
            Records snapshots and updates with their times, until Ctrl-C or SIGTERM. Data is written within \
            half a second, so that a kill loses no more than that. A full file is renamed to FILE.1, FILE.1 \
            to FILE.2 and so on, and the oldest is deleted; each can be replayed on its own. An existing \
            recording is renamed, too; any other existing file is an error.

            EXAMPLES
              observer record monday.rec
              observer record --max-size 64M --keep 8 ring.rec
            """)

    @Argument(help: "File to write.", completion: .file()) var file: String

    @Option(
        help: ArgumentHelp("Maximum size of a file, at least 1M.", valueName: "size"),
        transform: ByteText.parse)
    var maxSize: Int = 1 << 30

    @Option(help: ArgumentHelp("Number of files to keep, with FILE.", valueName: "files")) var keep = 4

    @OptionGroup var access: AccessOptions

    func validate() throws {
        guard maxSize >= Recorder.leastFileBytes else {
            throw ValidationError("--max-size must be at least 1M")
        }
        guard (1...1_000).contains(keep) else { throw ValidationError("--keep must be 1 to 1000") }
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
