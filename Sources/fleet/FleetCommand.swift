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
}

extension CommandFailure {
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
