import ArgumentParser
import FleetClient
import FleetProtocol

/// `fleet outcome`: tells what became of a request.
struct OutcomeCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "outcome",
        abstract: "Tell what became of a request.",
        discussion: """
            The exit status is the one that `fleet toggle` would have had.

            EXAMPLES
              fleet outcome 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07 --json
            """)

    @Argument(help: "The request's identity.", transform: RequestID.parse)
    var requestID: RequestID

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let report: OutcomeReport
        do {
            report = try await access.withSession { try await $0.outcome(of: requestID) }
        } catch FleetError.refused(.notFound) {
            throw CommandFailure(
                .notPermitted, "no request \(requestID) in this account",
                advice:
                    "a copy of it may still be on its way; `fleet cancel \(requestID)` keeps it from running")
        }
        let line = OutcomeLine(requestID: requestID, device: nil, ending: .report(report))
        surroundings.print(json.isWanted ? line.json.line : line.text(.everything))
        return line.status
    }
}
