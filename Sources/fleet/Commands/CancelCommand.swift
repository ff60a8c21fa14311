import ArgumentParser
import FleetClient
import FleetProtocol
import Wording

/// `fleet cancel`: takes a request back.
struct CancelCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Take a request back, if there is still time.",
        discussion: """
            Exits with 0 when it was cancelled, 1 when it had already ended, and 75 \
            when the device has not said yet. An id that was never seen is cancelled \
            too: should it come later, nothing is done.

            EXAMPLES
              fleet cancel 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07
            """)

    @OptionGroup var request: RequestOptions

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(request.runDirectory, in: surroundings)
        let answer = try await access.withSession { try await $0.cancel(request.requestID) }
        let line = CancelLine(requestID: request.requestID, answer: answer)
        surroundings.print(request.json.isWanted ? line.json.line : line.text)
        return ExitStatus(askedToCancel: answer)
    }
}
