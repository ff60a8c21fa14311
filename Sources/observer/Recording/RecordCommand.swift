import ArgumentParser
import FleetReplica
import Glibc
import ProcessSupport

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

struct RecordingPlan: Sendable {
    /// The path of the current file; earlier ones have the suffixes `.1`, `.2`, ….
    let path: String
    let fileLimit: Int
    /// The number of files to retain, including the current one.
    let keep: Int
    /// The account of the devices; empty before the first log-in.
    let account: String
    let seed: UInt64

    /// Returns the path of a file: 0 is the current one, 1 the previous one.
    static func path(_ path: String, number: Int) -> String { number == 0 ? path : "\(path).\(number)" }
}

/// The reason why a recording cannot be written or played, with the action to take.
struct RecordingFailure: Error, CustomStringConvertible {
    let description: String

    init(description: String) { self.description = description }

    init(_ operation: String, _ path: String, errno number: Int32) {
        description =
            "cannot \(operation) \(path): \(RuntimeError.text(for: number)). Check the path and its permissions"
    }

    init(_ error: RuntimeError) {
        if case .system(let operation, let path, let number) = error {
            self.init(operation, path, errno: number)
        } else {
            self.init(description: error.description)
        }
    }
}

/// A size in bytes with a binary unit, such as `512M` or `1G`; a K is 1,024.
enum ByteText {
    private static let units: [(name: Character, bytes: Int)] = [
        ("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10),
    ]

    /// Parses a size below a tebibyte.
    static func parse(_ text: String) throws -> Int {
        guard let unit = units.first(where: { text.uppercased().hasSuffix(String($0.name)) }),
            let number = Int(text.dropLast()), number > 0, number < (1 << 40) / unit.bytes
        else { throw ValidationError("write a whole number and a unit (K, M or G), such as 512M") }
        return number * unit.bytes
    }

    static func text(_ bytes: Int) -> String {
        guard let unit = units.first(where: { bytes >= $0.bytes }) else { return "\(bytes) bytes" }
        let tenths = bytes * 10 / unit.bytes
        return "\(tenths / 10).\(tenths % 10) \(unit.name)iB"
    }
}
