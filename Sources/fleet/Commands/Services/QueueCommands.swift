import ArgumentParser
import FleetClient
import FleetProtocol
import ProcessSupport
import UserFiles
import UserText

struct QueueGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue", abstract: "Run commands on devices one after another.",
        discussion: """
            Each command starts when the previous one has ended, and takes its time in the device. The \
            controller runs the command queue, also when no client watches and after a restart, and runs no \
            command twice.

            EXAMPLES
              fleet queue --demo
              fleet queue evening.yaml
              fleet queue list
              fleet queue pause 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07
            """,
        subcommands: [
            QueueRunCommand.self, QueueListCommand.self, QueueShowCommand.self,
            QueuePauseCommand.self, QueueResumeCommand.self, QueueStopCommand.self,
            QueueCancelCommand.self,
        ],
        defaultSubcommand: QueueRunCommand.self,
        // The name of earlier versions, which the next version removes.
        aliases: ["sequence"])
}

struct QueueRunCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Start a command queue, or watch a running one, and show each result.",
        discussion: """
            Each command's ID is printed when it has ended. Ctrl-C stops watching; the queue continues. \
            To watch it again, repeat the command with --id.

            A FILE is YAML or JSON:
              on-failure: stop          # or go-on; default: stop
              device: Bedroom 7         # for commands without a device
              commands:
                - {id: warm, takes: 2s, set: {power: on, mode: heat, temperature: 21}}
                - {id: hall, device: Hall 1, takes: 500ms, do: toggle}
            An id has 1 to \(Limits.queueLabelBytes) bytes (default: the command's position); a command \
            takes \(DurationText.text(Limits.longestTaking)) at most, and a queue has \
            \(Limits.queueCommands) commands at most. With --demo, instead of a file, you can name the \
            device, which toggles ten times, taking 1 to 10 seconds (default: the first device online).

            Exits with 0 if all commands succeeded, 1 if one failed or the queue was stopped or \
            cancelled, and 75 if it has not ended.

            EXAMPLES
              fleet queue evening.yaml
              fleet queue --demo "Bedroom 7"
              fleet queue evening.yaml --id 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07
            """)

    @Flag(help: "Run ten demo commands, which take 1 to 10 seconds.") var demo = false
    @Argument(help: .value("file", "A file; with --demo, a device.")) var source: String?

    @Option(
        help: "The queue's ID; repeated with the same ID, it is started only once (default: a new ID).",
        transform: RequestID.parse)
    var id: RequestID?

    @OptionGroup var client: ClientOptions

    func validate() throws {
        try require(
            demo || source != nil, "no file given: name one, or use --demo; see also `fleet queue list`")
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try client.access(in: surroundings)
        let file = try file(in: surroundings)
        let id = id ?? surroundings.makeRequestID()
        return try await access.withSession { client in
            let (plan, names) = try await DeviceDirectory.search(with: client, in: surroundings) {
                directory throws(CommandFailure) in
                let plan = try self.plan(of: file, in: directory)
                return (plan, QueueNames(plan, in: directory))
            }
            let following = QueueFollowing(
                id: id, names: names, isJSON: self.client.json.isWanted, surroundings: surroundings)
            return try await following.run(plan, with: client)
        }
    }

    private func file(in surroundings: Surroundings) throws(CommandFailure) -> QueueFile? {
        guard !demo, let source else { return nil }
        do throws(InvalidFile) {
            return try QueueFile(source, relativeTo: surroundings.workingDirectory)
        } catch {
            throw CommandFailure(.usage, error.description, advice: "nothing was started")
        }
    }

    private func plan(
        of file: QueueFile?, in directory: DeviceDirectory
    ) throws(CommandFailure) -> QueuePlan {
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

struct QueueListCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the account's command queues, the newest first.",
        discussion: """
            Ended queues are stored as long as ended requests are (default: one day), and \
            \(Limits.accountQueues) at most.

            EXAMPLES
              fleet queue list
              fleet queue list --json | jq -r 'select(.isFinal | not) | .id'
            """)

    @Option(help: "The maximum number of command queues, 1 to \(Limits.accountQueues).") var limit = 20
    @OptionGroup var client: ClientOptions

    func validate() throws {
        try require(
            (1...Limits.accountQueues).contains(limit), "--limit must be 1 to \(Limits.accountQueues)")
    }

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let commandQueues = try await access.withSession { try await $0.commandQueues(limit) }
        return .list(
            commandQueues, QueueSummary.columns(at: access.surroundings.now().wall), json: \.json,
            absence: "fleet: no command queues yet; start one with `fleet queue --demo`")
    }
}

struct QueueShowCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the state of a command queue and of each of its commands.",
        discussion: """
            EXAMPLES
              fleet queue show 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07
              fleet queue show 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07 --json | jq -r '.list[].state'
            """)

    @OptionGroup var options: QueueOptions

    var client: ClientOptions { options.client }

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let id = options.id
        let (report, names) = try await access.withSession(else: .noCommandQueue(id)) { client in
            let report = try await client.commandQueue(id)
            let directory = DeviceDirectory(try await client.devices())
            return (report, QueueNames(report.plan, in: directory))
        }
        return CommandOutput(json: [report.json], lines: report.lines(names))
    }
}

struct QueuePauseCommand: SteeringCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Pause a command queue after the running command.",
        discussion: """
            The running command ends normally. Exits with 1 if there is nothing left to pause.

            EXAMPLES
              fleet queue pause 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07
            """)

    static let steering = QueueSteering.pause
    static let reached: Set<QueueState> = [.paused]

    @OptionGroup var options: QueueOptions
}

struct QueueResumeCommand: SteeringCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Resume a paused command queue.",
        discussion: """
            Exits with 1 if it was stopped, was cancelled or has ended.

            EXAMPLES
              fleet queue resume 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07
            """)

    static let steering = QueueSteering.resume
    static let reached: Set<QueueState> = [.running]

    @OptionGroup var options: QueueOptions
}

struct QueueStopCommand: SteeringCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stop a command queue after the running command.",
        discussion: """
            The running command ends normally, and the commands after it are skipped. Exits with 1 if the \
            queue had ended otherwise.

            EXAMPLES
              fleet queue stop 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07
            """)

    static let steering = QueueSteering.stop
    static let reached: Set<QueueState> = [.stopping, .stopped]

    @OptionGroup var options: QueueOptions
}

struct QueueCancelCommand: SteeringCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancel the running command of a queue, and skip the rest.",
        discussion: """
            As with `fleet cancel`, the device may have been faster: then the command keeps its outcome. \
            Exits with 1 if the queue had ended otherwise.

            EXAMPLES
              fleet queue cancel 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07
            """)

    static let steering = QueueSteering.cancel
    static let reached: Set<QueueState> = [.cancelling, .cancelled]

    @OptionGroup var options: QueueOptions
}

struct QueueOptions: ParsableArguments {
    @Argument(help: "The queue's ID; `fleet queue list` shows it.", transform: RequestID.parse)
    var id: RequestID

    @OptionGroup var client: ClientOptions
}

/// A command that pauses, resumes, stops or cancels a command queue.
protocol SteeringCommand: ClientCommand {
    static var steering: QueueSteering { get }
    /// The states that the command leads to, now or after the running command.
    static var reached: Set<QueueState> { get }
    var options: QueueOptions { get }
}

extension SteeringCommand {
    var client: ClientOptions { options.client }

    /// Steers the command queue, and reports its state; `refused` if the wanted state is out of reach.
    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let id = options.id
        let report = try await access.withSession(else: .noCommandQueue(id)) {
            try await $0.steerCommandQueue(id, Self.steering)
        }
        let isReached = Self.reached.contains(report.state)
        return CommandOutput(
            report.json, "queue \(id) is \(report.standing)",
            warnings: isReached ? [] : ["it cannot \(Self.steering) any more: it is \(report.state.name)"],
            status: isReached ? .done : .refused)
    }
}
