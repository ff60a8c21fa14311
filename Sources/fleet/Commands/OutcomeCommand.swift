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

    @OptionGroup var request: RequestOptions

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(request.runDirectory, in: surroundings)
        let ending = try await access.withSession { await end(of: request.requestID, with: $0) }
        let line = OutcomeLine(requestID: request.requestID, device: nil, ending: ending)
        if case .report = ending, !request.json.isWanted {
            surroundings.print(line.text(.everything))
        } else {
            surroundings.tell(line, asJSON: request.json.isWanted)
        }
        return line.status
    }

    private func end(of requestID: RequestID, with client: FleetClient) async -> OutcomeLine.Ending {
        do throws(FleetError) {
            return .report(try await client.outcome(of: requestID))
        } catch {
            guard case .refused(.notFound) = error else { return OutcomeLine.Ending(error) }
            let failure = CommandFailure(
                .notPermitted, "no request of that id in this account",
                advice: "a copy may still be on its way; `fleet cancel \(requestID)` keeps it from running")
            return .failure(Refusal.notFound.name, failure)
        }
    }
}
