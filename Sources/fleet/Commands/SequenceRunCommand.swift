import ArgumentParser
import FleetClient
import FleetProtocol
import ScenarioFiles
import Wording

/// `fleet sequence run`: starts a sequence and follows it to its end, or one that was started before.
struct SequenceRunCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Start a sequence, or look on again, and tell each command's end.",
        discussion: """
            Each command's id is printed when it has ended. Ctrl-C only ends the looking on: the sequence \
            goes on, and the same with --id looks on again.

            A FILE is YAML or JSON:
              on-failure: stop          # or go-on; stop where nothing is said
              device: Bedroom 7         # for the commands that name none
              commands:
                - {id: warm, takes: 2s, set: {power: on, mode: heat, temperature: 21}}
                - {id: hall, device: Hall 1, takes: 500ms, do: toggle}
            An id is 1 to \(Limits.sequenceLabelBytes) bytes, and the command's place where none is \
            written; a command takes \(DurationText.text(Limits.longestTaking)) at most, and a sequence has \
            \(Limits.sequenceCommands) at most. With --demo, in the place of a file, the device may be named \
            that toggles ten times, taking 1 to 10 seconds; otherwise the first that is online does.

            Exits with 0 when all commands were carried out, 1 when one failed or the sequence was stopped \
            or cancelled, and 75 when it had not ended.

            EXAMPLES
              fleet sequence evening.yaml
              fleet sequence --demo "Bedroom 7"
              fleet sequence evening.yaml --id 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07
            """)

    @Flag(help: "The commands 1 to 10, which take 1 to 10 seconds.")
    var demo = false

    @Argument(help: ArgumentHelp("A file; with --demo, a device.", valueName: "file"))
    var source: String?

    @Option(
        help: ArgumentHelp(
            "What the sequence is known by; started once, however often it is used (default: a new one).",
            valueName: "id"), transform: RequestID.parse)
    var id: RequestID?

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard demo || source != nil else {
            throw ValidationError("name a file, or --demo; `fleet sequence list` tells of those there are")
        }
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let file = try file(in: surroundings)
        let id = id ?? surroundings.makeRequestID()
        return try await access.withSession { client in
            let (plan, names) = try await DeviceDirectory.search(with: client, in: surroundings) {
                directory throws(CommandFailure) in try named(file, in: directory)
            }
            let following = SequenceFollowing(
                id: id, names: names, isJSON: json.isWanted, surroundings: surroundings)
            return try await following.run(plan, with: client)
        }
    }

    private func file(in surroundings: Surroundings) throws(CommandFailure) -> SequenceFile? {
        guard !demo, let source else { return nil }
        do throws(ScenarioFileError) {
            return try SequenceFile(source, relativeTo: surroundings.workingDirectory)
        } catch {
            throw CommandFailure(.usage, error.description, advice: "nothing was started")
        }
    }

    /// The plan, and what its devices are called.
    private func named(
        _ file: SequenceFile?, in directory: DeviceDirectory
    ) throws(CommandFailure) -> (SequencePlan, SequenceNames) {
        let plan = try plan(of: file, in: directory)
        return (plan, SequenceNames(plan, in: directory))
    }

    private func plan(
        of file: SequenceFile?, in directory: DeviceDirectory
    ) throws(CommandFailure) -> SequencePlan {
        if let file { return try file.plan(in: directory) }
        if let source { return .demo(on: try directory.device(source).id) }
        guard let device = directory.devices.first(where: { $0.presence.kind == .online }) else {
            throw CommandFailure(
                .absent, "no device of the account is online",
                advice: "`fleet status` shows whether its nodes run; name a device to wait for it")
        }
        return .demo(on: device.id)
    }
}
