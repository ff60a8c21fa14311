import ArgumentParser
import FleetClient
import FleetProtocol
import UserText

/// What commands about one sequence have in common.
struct SequenceOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp("What it is known by; `fleet sequence list` tells.", valueName: "id"),
        transform: RequestID.parse)
    var id: RequestID

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    /// Steers the sequence, and tells how it stands then.
    ///
    /// - Parameter reached: Whether that is what was wanted, now or once the command that runs has ended.
    /// - Returns: `refused` where it was not to be had any more.
    func steer(
        _ steering: SequenceSteering, in surroundings: Surroundings,
        _ reached: (SequenceState) -> Bool
    ) async throws -> ExitStatus {
        let id = id
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let report = try await access.aboutSequence(id) { try await $0.steerSequence(id, steering) }
        surroundings.print(json.isWanted ? report.json.line : "sequence \(id) is \(report.standing)")
        guard !reached(report.state) else { return .done }
        surroundings.say("fleet: it cannot \(steering) any more: it is \(report.state.name)")
        return .refused
    }
}

extension ControllerAccess {
    /// Does something about a sequence, and says what is missing where there is none.
    func aboutSequence<Result: Sendable>(
        _ id: RequestID, _ work: @Sendable (FleetClient) async throws -> Result
    ) async throws -> Result {
        try await withSession { client in
            do {
                return try await work(client)
            } catch FleetError.refused(.notFound) {
                throw CommandFailure(
                    .notPermitted, "no sequence \(id) in this account (notFound)",
                    advice: "`fleet sequence list` tells of those there are")
            }
        }
    }
}
