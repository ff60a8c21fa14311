import ArgumentParser
import FleetClient
import FleetProtocol
import UserText

/// The options that all commands about one sequence share.
struct SequenceOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The sequence's ID; `fleet sequence list` shows it.", valueName: "id"),
        transform: RequestID.parse)
    var id: RequestID

    @OptionGroup var client: ClientOptions
}

/// A command that pauses, resumes, stops or cancels a sequence.
protocol SteeringCommand: ClientCommand {
    /// What the command does to the sequence.
    static var steering: SequenceSteering { get }
    /// The states that the command leads to, now or after the running command.
    static var reached: Set<SequenceState> { get }
    /// The sequence, and the options of commands that ask the controller.
    var options: SequenceOptions { get }
}

extension SteeringCommand {
    var client: ClientOptions { options.client }

    /// Steers the sequence, and reports its state.
    ///
    /// - Returns: An output of status `refused` where the wanted state can no longer be reached.
    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let id = options.id
        let report = try await access.withSession(else: .noSequence(id)) {
            try await $0.steerSequence(id, Self.steering)
        }
        let isReached = Self.reached.contains(report.state)
        return CommandOutput(
            report.json, "sequence \(id) is \(report.standing)",
            warnings: isReached ? [] : ["it cannot \(Self.steering) any more: it is \(report.state.name)"],
            status: isReached ? .done : .refused)
    }
}
