import ArgumentParser
import FleetClient
import FleetProtocol
import UserText

/// The options that all commands about one command queue share.
struct QueueOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The queue's ID; `fleet queue list` shows it.", valueName: "id"),
        transform: RequestID.parse)
    var id: RequestID

    @OptionGroup var client: ClientOptions
}

/// A command that pauses, resumes, stops or cancels a command queue.
protocol SteeringCommand: ClientCommand {
    /// What the command does to the command queue.
    static var steering: QueueSteering { get }
    /// The states that the command leads to, now or after the running command.
    static var reached: Set<QueueState> { get }
    /// The command queue, and the options of commands that ask the controller.
    var options: QueueOptions { get }
}

extension SteeringCommand {
    var client: ClientOptions { options.client }

    /// Steers the command queue, and reports its state.
    ///
    /// - Returns: An output of status `refused` where the wanted state can no longer be reached.
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
