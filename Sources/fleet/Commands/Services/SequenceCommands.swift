import ArgumentParser
import FleetClient
import FleetProtocol
import FleetTime
import ScenarioFiles
import SequenceFiles
import UserText

/// `fleet sequence`: the commands that run and control sequences.
struct SequenceGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sequence", abstract: "Run commands on devices one after another.",
        discussion: """
            Each command starts when the previous one has ended, and takes its time in the device. The \
            controller runs the sequence, also when no client watches and after a restart, and runs no \
            command twice.

            EXAMPLES
              fleet sequence --demo
              fleet sequence evening.yaml
              fleet sequence list
              fleet sequence pause 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07
            """,
        subcommands: [
            SequenceRunCommand.self, SequenceListCommand.self, SequenceShowCommand.self,
            SequencePauseCommand.self, SequenceResumeCommand.self, SequenceStopCommand.self,
            SequenceCancelCommand.self,
        ],
        defaultSubcommand: SequenceRunCommand.self)
}

/// `fleet sequence run`: starts a sequence, or finds the one with its ID, and follows it to its end.
struct SequenceRunCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Start a sequence, or watch a running one, and show each result.",
        discussion: """
            Each command's ID is printed when it has ended. Ctrl-C stops watching; the sequence continues. \
            To watch it again, repeat the command with --id.

            A FILE is YAML or JSON:
              on-failure: stop          # or go-on; default: stop
              device: Bedroom 7         # for commands without a device
              commands:
                - {id: warm, takes: 2s, set: {power: on, mode: heat, temperature: 21}}
                - {id: hall, device: Hall 1, takes: 500ms, do: toggle}
            An id has 1 to \(Limits.sequenceLabelBytes) bytes (default: the command's position); a command \
            takes \(DurationText.text(Limits.longestTaking)) at most, and a sequence has \
            \(Limits.sequenceCommands) commands at most. With --demo, instead of a file, you can name the \
            device, which toggles ten times, taking 1 to 10 seconds (default: the first device online).

            Exits with 0 if all commands succeeded, 1 if one failed or the sequence was stopped or \
            cancelled, and 75 if it has not ended.

            EXAMPLES
              fleet sequence evening.yaml
              fleet sequence --demo "Bedroom 7"
              fleet sequence evening.yaml --id 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07
            """)

    @Flag(help: "Run ten demo commands, which take 1 to 10 seconds.") var demo = false

    @Argument(help: ArgumentHelp("A file; with --demo, a device.", valueName: "file")) var source: String?

    @Option(
        help: ArgumentHelp(
            "The sequence's ID; repeated with the same ID, it is started only once (default: a new ID).",
            valueName: "id"), transform: RequestID.parse)
    var id: RequestID?

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        try require(
            demo || source != nil, "no file given: name one, or use --demo; see also `fleet sequence list`")
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
        do throws(InvalidFile) {
            return try SequenceFile(source, relativeTo: surroundings.workingDirectory)
        } catch {
            throw CommandFailure(.usage, error.description, advice: "nothing was started")
        }
    }

    /// Returns the plan, and the names of its devices.
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
                advice: "`fleet status` shows whether its nodes are running; name a device to wait for it")
        }
        return .demo(on: device.id)
    }
}

/// `fleet sequence list`: lists the account's sequences.
struct SequenceListCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the account's sequences, the newest first.",
        discussion: """
            Ended sequences are stored as long as ended requests are (default: one day), and \
            \(Limits.accountSequences) at most.

            EXAMPLES
              fleet sequence list
              fleet sequence list --json | jq -r 'select(.isFinal | not) | .id'
            """)

    @Option(help: "The maximum number of sequences, 1 to \(Limits.accountSequences).") var limit = 20

    @OptionGroup var client: ClientOptions

    func validate() throws {
        try require(
            (1...Limits.accountSequences).contains(limit), "--limit must be 1 to \(Limits.accountSequences)")
    }

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let sequences = try await access.withSession { try await $0.sequences(limit) }
        guard !sequences.isEmpty else {
            return .nothing(remark: "fleet: no sequences yet; start one with `fleet sequence --demo`")
        }
        return CommandOutput(
            json: sequences.map(\.json),
            lines: SequenceSummary.table(of: sequences, at: access.surroundings.now().wall).lines)
    }
}

/// `fleet sequence show`: shows the state of a sequence and of its commands.
struct SequenceShowCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the state of a sequence and of each of its commands.",
        discussion: """
            EXAMPLES
              fleet sequence show 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07
              fleet sequence show 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07 --json | jq -r '.list[].state'
            """)

    @OptionGroup var options: SequenceOptions

    var client: ClientOptions { options.client }

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let id = options.id
        let (report, names) = try await access.withSession(else: .noSequence(id)) { client in
            let report = try await client.sequence(id)
            let directory = DeviceDirectory(try await client.devices())
            return (report, SequenceNames(report.plan, in: directory))
        }
        return CommandOutput(json: [report.json], lines: report.lines(names))
    }
}

/// `fleet sequence pause`: pauses a sequence after the running command.
struct SequencePauseCommand: SteeringCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pause a sequence after the running command.",
        discussion: """
            The running command ends normally. Exits with 1 if there is nothing left to pause.

            EXAMPLES
              fleet sequence pause 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07
            """)

    static let steering = SequenceSteering.pause
    static let reached: Set<SequenceState> = [.paused]

    @OptionGroup var options: SequenceOptions
}

/// `fleet sequence resume`: resumes a paused sequence.
struct SequenceResumeCommand: SteeringCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Resume a paused sequence.",
        discussion: """
            Exits with 1 if it was stopped, was cancelled or has ended.

            EXAMPLES
              fleet sequence resume 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07
            """)

    static let steering = SequenceSteering.resume
    static let reached: Set<SequenceState> = [.running]

    @OptionGroup var options: SequenceOptions
}

/// `fleet sequence stop`: ends a sequence after the running command.
struct SequenceStopCommand: SteeringCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stop a sequence after the running command.",
        discussion: """
            The running command ends normally, and the commands after it are skipped. Exits with 1 if the \
            sequence had ended otherwise.

            EXAMPLES
              fleet sequence stop 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07
            """)

    static let steering = SequenceSteering.stop
    static let reached: Set<SequenceState> = [.stopping, .stopped]

    @OptionGroup var options: SequenceOptions
}

/// `fleet sequence cancel`: cancels the running command, and skips the rest of the sequence.
struct SequenceCancelCommand: SteeringCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancel the running command of a sequence, and skip the rest.",
        discussion: """
            As with `fleet cancel`, the device may have been faster: then the command keeps its outcome. \
            Exits with 1 if the sequence had ended otherwise.

            EXAMPLES
              fleet sequence cancel 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07
            """)

    static let steering = SequenceSteering.cancel
    static let reached: Set<SequenceState> = [.cancelling, .cancelled]

    @OptionGroup var options: SequenceOptions
}
