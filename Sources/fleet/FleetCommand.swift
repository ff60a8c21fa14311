import ArgumentParser
import Bus
import FleetClient
import FleetProtocol
import Glibc
import ProcessSupport
import UserText

protocol FleetCommand: ParsableCommand, Sendable {
    /// Runs the command. An error other than `CommandFailure` and those of the client, the run directory and
    /// the bus is an internal error.
    func run(in surroundings: Surroundings) async throws -> ExitStatus

    /// Whether programs that the command starts may need to gain privileges, as mail programs do.
    var needsPrivileges: Bool { get }

    /// Whether the command starts programs that must end with it: a stop signal then cancels the command.
    var startsPrograms: Bool { get }
}

extension FleetCommand {
    var needsPrivileges: Bool { false }
    var startsPrograms: Bool { false }

    /// Runs the command, and prints the cause of a failure on standard error.
    func status(in surroundings: Surroundings) async -> ExitStatus {
        do {
            guard startsPrograms else { return try await run(in: surroundings) }
            let status = try await surroundings.untilStopped { try await run(in: surroundings) }
            guard let status else { throw CommandFailure.interrupted }
            return status
        } catch {
            return surroundings.report(CommandFailure(of: error))
        }
    }
}

/// The failure of a command: what failed, why, and what to do next.
struct CommandFailure: Error, Equatable, CustomStringConvertible {
    let status: ExitStatus
    /// What failed and why, safe to print on a terminal.
    let problem: String
    /// What to do next; empty if the problem says it.
    let advice: String

    init(_ status: ExitStatus, _ problem: String, advice: String = "") {
        (self.status, self.problem, self.advice) = (status, problem, advice)
    }

    static let interrupted = CommandFailure(.refused, "interrupted")

    var description: String { advice.isEmpty ? problem : "\(problem)\n  \(advice)" }
}

extension CommandFailure {
    init(_ error: RuntimeError) {
        switch error {
        case .noFleet: self.init(.absent, "\(error)", advice: ShellAdvice.noFleet)
        case .endpoint, .lostDirectory, .noWorkingDirectory: self.init(.absent, "\(error)")
        case .noSession, .damagedSession: self.init(.notPermitted, "\(error)", advice: ShellAdvice.noSession)
        case .openToOthers, .foreignDirectory, .foreignParent, .writableParent, .symbolicLink, .foreignFile,
            .fileOpenToOthers:
            self.init(.notPermitted, "\(error)")
        case .otherSeed(_, let former, _):
            self.init(.usage, "\(error)", advice: "use --seed \(former), or another directory with --run-dir")
        case .noKey: self.init(.notPermitted, "\(error)", advice: ShellAdvice.noKey)
        case .invalidNetworkAddress, .invalidCells, .invalidValue, .peerExists:
            self.init(.usage, "\(error)")
        case .system(_, _, let number): self.init(number == ENOENT ? .usage : .refused, "\(error)")
        case .notDirectory, .notRegularFile, .device, .damagedSecret, .damagedKey, .damagedRegister,
            .fullRegister,
            .locked, .tooFewDescriptors, .tooManyPeers, .tooMuchMemory:
            self.init(.refused, "\(error)")
        }
    }

    /// The failure to write standard output; without a text if its reader has gone.
    init(_ error: TextOutput.Failure) {
        self.init(error.isUnread ? .unread : .unwritten, error.isUnread ? "" : "\(error)")
    }

    init(_ error: BusError) { self.init(.bug, "\(error)") }

    /// The failure for any error; an unknown one is an internal error.
    init(of error: any Error) {
        switch error {
        case let error as CommandFailure: self = error
        case let error as FleetError: self.init(error)
        case let error as RuntimeError: self.init(error)
        case let error as BusError: self.init(error)
        case let error as LogbookTextError: self.init(.usage, error.description)
        default:
            self.init(.bug, "internal error: \(error)", advice: "please report it, with the command line")
        }
    }

    init(_ error: FleetError) {
        switch error {
        case .refused(let refusal): self.init(ExitStatus(refusal), error.explanation)
        case .noController: self.init(.absent, error.explanation)
        case .noReply, .tooManyRequests: self.init(.undecided, error.explanation)
        case .badReply, .unexpectedReply, .closed, .transport: self.init(.bug, error.explanation)
        case .cancelled: self.init(.refused, error.explanation)
        }
    }

    static func noUser(_ email: Email) -> CommandFailure {
        CommandFailure(
            .notPermitted, "no user \(SafeText.of(email.address)) in this account",
            advice: "list the users with `fleet user list`")
    }

    static func noCommandQueue(_ id: RequestID) -> CommandFailure {
        CommandFailure(
            .notPermitted, "no command queue \(id) in this account (notFound)",
            advice: "list the command queues with `fleet queue list`")
    }
}

extension FleetError {
    /// What failed and why, with advice for users of a shell.
    var explanation: String {
        switch self {
        case .refused(let refusal): refusal.explanation
        case .noReply: "\(self): \(ShellAdvice.noReply)"
        case .noController(let endpoint, _):
            "\(self): \(ShellAdvice.noController(isRemote: endpoint.ipcPath == nil))"
        case .badReply, .unexpectedReply, .tooManyRequests, .closed, .cancelled, .transport: description
        }
    }
}

struct ClientOptions: ParsableArguments {
    @OptionGroup var user: UserOption
    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func access(in surroundings: Surroundings) throws -> ControllerAccess {
        try ControllerAccess(runDirectory, as: user, in: surroundings)
    }
}

/// A command that asks the controller, and prints the answer for people or for scripts.
protocol ClientCommand: FleetCommand {
    var client: ClientOptions { get }

    /// Checks the arguments, before the command looks for the fleet.
    func checkArguments() throws

    func output(from access: ControllerAccess) async throws -> CommandOutput
}

extension ClientCommand {
    func checkArguments() throws {}

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        try checkArguments()
        let access = try client.access(in: surroundings)
        return try await surroundings.show(output(from: access), asJSON: client.json.isWanted)
    }
}

/// The output of a command, for people and for scripts; only the requested one of both is computed.
struct CommandOutput {
    /// The JSON values for scripts, one a line.
    let json: () -> [JSONObject]
    let lines: () -> [String]
    /// A remark for people on standard error, after the lines.
    var remark: String?
    /// Messages for everyone on standard error, last.
    var warnings: [String] = []
    var status = ExitStatus.done
    /// Revokes the secret that the output shows once, if it cannot be printed; returns a remark.
    var revoke: (() async throws -> String)?

    init(
        json: @escaping @autoclosure () -> [JSONObject], lines: @escaping @autoclosure () -> [String],
        remark: String? = nil
    ) {
        (self.json, self.lines, self.remark) = (json, lines, remark)
    }

    init(
        _ json: @escaping @autoclosure () -> JSONObject, _ text: @escaping @autoclosure () -> String,
        warnings: [String] = [], status: ExitStatus = .done
    ) {
        (self.json, lines) = ({ [json()] }, { [text()] })
        (self.warnings, self.status) = (warnings, status)
    }

    /// A table for people, and an object of each value for scripts. An empty list has the remark; without
    /// one, its headings.
    static func list<Value>(
        _ values: [Value], _ columns: [TextTable.Column<Value>], json: @escaping (Value) -> JSONObject,
        absence: String? = nil, remark: String? = nil
    ) -> CommandOutput {
        guard !values.isEmpty || absence == nil else {
            return CommandOutput(json: [], lines: [], remark: absence)
        }
        return CommandOutput(
            json: values.map(json), lines: TextTable(of: values, columns).lines, remark: remark)
    }
}
